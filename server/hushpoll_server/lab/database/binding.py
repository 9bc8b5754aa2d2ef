"""A condition in the numbers of a table: what the engine filters by.

The rule here: what is refused depends on the query and the declarations alone, never on a cell. A text that no row has
is an empty list of codes, not an error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hushpoll_server.lab.database.columns import Categories, Labels, Numbers, read_number
from hushpoll_server.lab.database.grammar import Between, Compare, Condition, In, Joined, Name, Not, Value
from hushpoll_server.lab.database.loading import Column, Table
from hushpoll_server.lab.database.parser import refuse


@dataclass(frozen=True)
class Within:
    """The column at this place is from `low` to `high`; no row is if low is above high."""

    column: int
    low: int
    high: int


@dataclass(frozen=True)
class OneOf:
    """The column at this place is one of these codes; no row is if there are none."""

    column: int
    codes: tuple[int, ...]


@dataclass(frozen=True)
class Unless:
    """What does not hold."""

    part: Filter


@dataclass(frozen=True)
class Together:
    """All parts hold, or one of them does."""

    word: Literal["AND", "OR"]
    parts: tuple[Filter, ...]


Filter = Within | OneOf | Unless | Together


def find_column(name: Name, table: Table) -> int:
    """Return the place of a column; refuse a name that the table does not have."""
    place = table.find(name.text)
    if place is None:
        names = ", ".join(column.name for column in table.columns[:30])
        refuse(name.at, f"there is no column {name}: the columns are {names}")
    return place


def bind(condition: Condition, table: Table) -> Filter:
    """Return the filter of a condition; refuse what cannot be compared."""
    match condition:
        case Not(part):
            return Unless(bind(part, table))
        case Joined(word, parts):
            return Together(word, tuple(bind(part, table) for part in parts))
        case Compare(name, operator, value) if operator in ("=", "!="):
            equal = _one_of(name, (value,), table)
            return equal if operator == "=" else Unless(equal)
        case Compare(name, operator, value):
            place, kind = _number_column(name, table)
            return _within(place, *_range(operator, _number(value, name) / kind.step, kind), kind)
        case In(name, values):
            return _one_of(name, values, table)
        case Between(name, low, high):
            place, kind = _number_column(name, table)
            first, last = (_number(value, name) / kind.step for value in (low, high))
            return _within(place, math.ceil(first), math.floor(last), kind)


def _within(place: int, low: int, high: int, kind: Numbers) -> Within:
    """Return the range within the bounds or just beside them: the engine has no numbers of a thousand digits."""
    return Within(place, min(max(low, kind.low), kind.high + 1), max(min(high, kind.high), kind.low - 1))


def _range(operator: str, steps: Fraction, kind: Numbers) -> tuple[int, int]:
    """Return the stored numbers that are below or above a number of steps."""
    match operator:
        case "<":
            return kind.low, math.ceil(steps) - 1
        case "<=":
            return kind.low, math.floor(steps)
        case ">":
            return math.floor(steps) + 1, kind.high
        case _:
            return math.ceil(steps), kind.high


def _number_column(name: Name, table: Table) -> tuple[int, Numbers]:
    place = find_column(name, table)
    kind = table.columns[place].kind
    if not isinstance(kind, Numbers):
        refuse(name.at, f"{name} is not declared as a number: declare its bounds, such as --bounds {name.text}=0:100")
    return place, kind


def _one_of(name: Name, values: tuple[Value, ...], table: Table) -> OneOf:
    place = find_column(name, table)
    codes = [_code(value, name, table.columns[place]) for value in values]
    return OneOf(place, tuple(sorted({code for code in codes if code is not None})))


def _code(value: Value, name: Name, column: Column) -> int | None:
    match column.kind:
        case Numbers() as kind:
            steps = _number(value, name) / kind.step
            return steps.numerator if steps.denominator == 1 and kind.low <= steps <= kind.high else None
        case Categories() as kind:
            if (text := _text(value, name)) not in kind.groups:
                refuse(value.at, f"{name} has no such category: it has {', '.join(kind.groups[:30])}")
            return kind.groups.index(text)
        case Labels():
            return column.labels.get(_text(value, name))


def _number(value: Value, name: Name) -> Fraction:
    if not value.is_number:
        refuse(value.at, f"{name} is a number: write the value without quotes")
    return read_number(value.text)


def _text(value: Value, name: Name) -> str:
    if value.is_number:
        refuse(
            value.at,
            f"{name} is not declared as a number: put the value in single quotes, or declare bounds, such as "
            f"--bounds {name.text}=0:100",
        )
    return value.text
