"""The pages of docs/mechanisms/ and docs/estimation.md do not lie: tables, examples and commands are run again."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.docs.mechanism_figures import TABLES
from tests.mechanisms.cases import Row

from hushpoll_client.cli import main

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted([*(DOCS / "mechanisms").glob("[a-z]*.md"), DOCS / "estimation.md"])
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def text_of(page: str) -> str:
    [path] = [path for path in PAGES if path.name == page]
    return path.read_text(encoding="utf-8")


def table(page: str, heading: str) -> list[Row]:
    """Return the cells of the table whose first line starts so, without its head."""
    text = text_of(page)
    lines = text[text.index(f"\n| {heading}") :].splitlines()[3:]
    rows = lines[: lines.index("")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


@pytest.mark.parametrize(("page", "heading"), TABLES, ids=lambda name: name.split(" ")[0])
def test_the_table_follows_from_the_code(page: str, heading: str) -> None:
    assert table(page, heading) == [*TABLES[page, heading]()]


def blocks(page: Path, language: str) -> str:
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return "\n".join(text for kind, text in found if kind == language)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_give_what_they_show(page: Path) -> None:
    test = doctest.DocTestParser().get_doctest(blocks(page, "pycon"), {}, page.name, page.name, 0)
    assert not doctest.DocTestRunner(verbose=False).run(test).failed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_print_what_they_show(page: Path) -> None:
    for shown in re.split(r"^\$ ", blocks(page, ""), flags=re.MULTILINE)[1:]:
        command, _, output = shown.partition("\n")
        name, *arguments = shlex.split(command)
        assert name == "hushpoll"
        assert CliRunner().invoke(main, arguments).output.strip() == output.strip(), command


def test_every_mechanism_page_has_an_example() -> None:
    without = [
        page.name for page in PAGES if not blocks(page, "pycon") and "\n$ hushpoll" not in page.read_text("utf-8")
    ]
    assert without == []
