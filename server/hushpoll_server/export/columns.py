"""What a column of an exported table holds: its name, its kind and its meaning in a sentence.

The rule here: a table's columns are listed once, and the header, the types of Parquet and the codebook follow from the
list. A column keeps its place and its meaning; new ones are appended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

# A row by the names of its columns; a cell that is missing or None is empty in the file.
Row = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """One column."""

    name: str
    meaning: str
    kind: Literal["text", "whole", "number"] = "text"

    def to_json(self) -> dict[str, str]:
        """Return the entry of the codebook."""
        return {"name": self.name, "kind": self.kind, "meaning": self.meaning}


def whole(name: str, meaning: str) -> Column:
    """Return a column of whole numbers."""
    return Column(name, meaning, "whole")


def number(name: str, meaning: str) -> Column:
    """Return a column of numbers."""
    return Column(name, meaning, "number")


def names_of(columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the header of a table."""
    return tuple(column.name for column in columns)


def joined(*lists: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns of a table with rows of several kinds, each name once."""
    columns: dict[str, Column] = {}
    for column in (each for columns_of_one in lists for each in columns_of_one):
        columns.setdefault(column.name, column)
    return tuple(columns.values())
