"""A query as a frozen value, and its one spelling.

    query       = SELECT what [FROM data] [WHERE condition]
    what        = COUNT(*) | SUM(column) | AVG(column) | HISTOGRAM(column) | MOST COMMON column
    condition   = all {OR all}
    all         = one {AND one}
    one         = NOT one | (condition) | comparison
    comparison  = column = value | column != value | column < value | column <= value | column > value | column >= value
                | column [NOT] IN (value, …) | column [NOT] BETWEEN value AND value
    column      = a word, or any name in double quotes
    value       = a decimal number, or a text in single quotes

There is nothing else: no join, no subquery, no function of a column, no error that a cell could cause. Every query is
one that the noise covers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

What = Literal["COUNT", "SUM", "AVG", "HISTOGRAM", "MOST COMMON"]
Operator = Literal["=", "!=", "<", "<=", ">", ">="]

PLAIN_NAME = re.compile(r"[^\W\d]\w*")
KEYWORDS = frozenset(
    {"SELECT", "FROM", "WHERE", "COUNT", "SUM", "AVG", "HISTOGRAM", "MOST", "COMMON"}
    | {"AND", "OR", "NOT", "IN", "BETWEEN"}
)


@dataclass(frozen=True)
class Name:
    """A column as it was named, and where."""

    text: str
    at: int

    def __str__(self) -> str:
        """Return the name, in double quotes if it is no plain word."""
        if PLAIN_NAME.fullmatch(self.text) and self.text.upper() not in KEYWORDS:
            return self.text
        doubled = self.text.replace('"', '""')
        return f'"{doubled}"'


@dataclass(frozen=True)
class Value:
    """A number or a text to compare with, and where it was written."""

    text: str
    is_number: bool
    at: int

    def __str__(self) -> str:
        """Return the value, a text in single quotes."""
        doubled = self.text.replace("'", "''")
        return self.text if self.is_number else f"'{doubled}'"


@dataclass(frozen=True)
class Compare:
    """A column compared with one value."""

    name: Name
    operator: Operator
    value: Value

    def __str__(self) -> str:
        """Return the comparison."""
        return f"{self.name} {self.operator} {self.value}"


@dataclass(frozen=True)
class In:
    """A column whose value is one of some."""

    name: Name
    values: tuple[Value, ...]

    def __str__(self) -> str:
        """Return the list."""
        return f"{self.name} IN ({', '.join(map(str, self.values))})"


@dataclass(frozen=True)
class Between:
    """A column whose value is from one number to another, both included."""

    name: Name
    low: Value
    high: Value

    def __str__(self) -> str:
        """Return the range."""
        return f"{self.name} BETWEEN {self.low} AND {self.high}"


@dataclass(frozen=True)
class Not:
    """What does not hold."""

    part: Condition

    def __str__(self) -> str:
        """Return the negation."""
        return f"NOT ({self.part})"


@dataclass(frozen=True)
class Joined:
    """Conditions that all hold (AND), or of which one does (OR)."""

    word: Literal["AND", "OR"]
    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        """Return the parts, each in brackets."""
        return f" {self.word} ".join(f"({part})" for part in self.parts)


Condition = Compare | In | Between | Not | Joined


@dataclass(frozen=True)
class Query:
    """One question to the database."""

    what: What
    name: Name | None
    where: Condition | None

    def __str__(self) -> str:
        """Return the one spelling, by which a repeated query is recognised."""
        what = "MOST COMMON" if self.what == "MOST COMMON" else f"{self.what}({self.name or '*'})"
        end = f" {self.name}" if self.what == "MOST COMMON" else ""
        return f"SELECT {what}{end}" + (f" WHERE {self.where}" if self.where else "")
