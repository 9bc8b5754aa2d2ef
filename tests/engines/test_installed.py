"""Engines that are not installed are named with their cure. These tests start none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engines.__main__ import main
from tests.engines.installed import FIREFOX, WEBKIT


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the machine have the programs of one folder only."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def install(folder: Path, name: str) -> None:
    (folder / name).touch(mode=0o755)


@pytest.mark.parametrize("name", ["firefox-esr", "firefox"])
def test_an_engine_is_known_by_any_of_its_names(programs: Path, name: str) -> None:
    install(programs, name)
    assert FIREFOX.missing() == ""


def test_an_engine_without_one_of_its_programs_is_missing_and_names_the_cure(programs: Path) -> None:
    install(programs, "WebKitWebDriver")
    assert WEBKIT.missing() == (
        "WebKitGTK was not tried: no Xvfb. Debian, Ubuntu: apt-get install webkit2gtk-driver xvfb"
    )
    install(programs, "Xvfb")
    assert WEBKIT.missing() == ""


def test_without_any_engine_the_run_fails_and_names_them_all(
    programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([]) == 1
    printed = capsys.readouterr().out
    assert "Tried: no engine at all." in printed
    for engine in (FIREFOX, WEBKIT):
        assert printed.count(engine.missing()) == 2
