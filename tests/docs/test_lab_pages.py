"""The pages of docs/lab/ do not lie: their commands are run again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs.test_mechanism_pages import (
    test_the_commands_print_what_they_show as check_commands,
)

from hushpoll_server.lab.attacks import ATTACKS

FOLDER = Path(__file__).parents[2] / "docs" / "lab"
PAGES = sorted(FOLDER.glob("[a-z]*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_print_what_they_show(page: Path) -> None:
    check_commands(page)


def test_every_attack_has_its_page_with_its_figures() -> None:
    for name in ATTACKS:
        assert f"$ hushpoll lab attack {name}\n" in (FOLDER / f"{name}.md").read_text(encoding="utf-8")
