"""The pages of docs/statistics/ do not lie: their examples and commands are run again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs.test_mechanism_pages import (
    test_the_commands_print_what_they_show as check_commands,
)
from tests.docs.test_mechanism_pages import (
    test_the_examples_give_what_they_show as check_examples,
)

PAGES = sorted((Path(__file__).parents[2] / "docs" / "statistics").glob("*.md"))

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@every_page
def test_the_examples_of_a_page_give_what_they_show(page: Path) -> None:
    check_examples(page)


@every_page
def test_the_commands_of_a_page_print_what_they_show(page: Path) -> None:
    check_commands(page)
