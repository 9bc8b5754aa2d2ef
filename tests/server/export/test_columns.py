"""The page about exports lists every column, as the files have them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hushpoll_server.export import associations, days, tables, wide
from hushpoll_server.export.columns import Column
from hushpoll_server.mechanisms.notation import Notation

PAGE = (Path(__file__).parents[3] / "docs" / "export.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("heading", "columns"),
    [("Estimates, long", tables.COLUMNS), ("Tests", associations.COLUMNS), ("Days", days.COLUMNS)],
    ids=["long", "tests", "days"],
)
def test_every_column_is_documented_in_its_place_with_its_meaning(heading: str, columns: tuple[Column, ...]) -> None:
    section = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| `(\w+)` \| (text|whole|number) \| (.+) \|$", section, re.MULTILINE)
    assert rows == [(column.name, column.kind, column.meaning) for column in columns]


def test_the_first_columns_of_the_wide_table_are_documented() -> None:
    assert ", ".join(f"`{column.name}`" for column in wide.ABOUT) in PAGE.replace("\n", " ")


def test_every_notation_of_a_draw_is_documented() -> None:
    assert all(f"| `{each.value}` | {each.meaning} |" in PAGE for each in Notation)
