"""The page about the lab shows what its commands print."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs.console import Console, is_as_shown, shown_commands

PAGE = Path(__file__).parents[2] / "docs" / "lab.md"


@pytest.mark.loopback
def test_every_command_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(tmp_path, monkeypatch)
    monkeypatch.setenv("HUSHPOLL_HOME", str(tmp_path / "home"))
    shown = list(shown_commands(PAGE.read_text(encoding="utf-8")))
    assert len(shown) >= 2
    for command, output in shown:
        printed = console.type(command)
        assert is_as_shown(output, printed), printed
