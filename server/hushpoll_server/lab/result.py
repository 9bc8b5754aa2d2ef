"""What an attack hands back: sentences, tables, a picture as figures, and a verdict on each defence.

The rule here: a result is a frozen value that a command, a page and a notebook show alike; what was expected from
theory stands beside what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hushpoll_server.estimate.results import Json

Value = str | int | float | bool | None
Kind = Literal["text", "share", "number", "count", "yes"]


@dataclass(frozen=True)
class Column:
    """One column of a table: its name for programs, its heading for people, and what it holds."""

    name: str
    heading: str
    kind: Kind = "text"

    def write(self, value: Value) -> str:
        """Return a value as people read it."""
        if value is None:
            return "–"
        if self.kind == "yes":
            return "yes" if value else "no"
        if self.kind == "share":
            return f"{float(value):.4f}"
        return f"{value:,}" if self.kind == "count" else f"{value:.4g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Table:
    """Rows of figures below a caption."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]

    def to_json(self) -> Json:
        """Return the rows by the names of their columns, with full precision."""
        names = [column.name for column in self.columns]
        rows = [dict(zip(names, row, strict=True)) for row in self.rows]
        return {"name": self.name, "caption": self.caption, "rows": rows}

    def written(self) -> list[list[str]]:
        """Return the cells of all rows as people read them."""
        return [[column.write(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows]


@dataclass(frozen=True)
class Series:
    """Points of a picture with a name: a line of theory, or dots of what was measured."""

    name: str
    points: tuple[tuple[float, float], ...]
    dots: bool = False


@dataclass(frozen=True)
class Scale:
    """A direction of a picture: its label, its ends, and the values that are written along it."""

    label: str
    low: float
    high: float
    ticks: tuple[float, ...]
    logarithmic: bool = False


@dataclass(frozen=True)
class Picture:
    """A picture as figures; `marks` are values of x that have a name."""

    title: str
    description: str
    x: Scale
    y: Scale
    series: tuple[Series, ...]
    marks: tuple[tuple[float, str], ...] = ()

    def to_json(self) -> Json:
        """Return the series by name."""
        series = [{"name": each.name, "points": [list(point) for point in each.points]} for each in self.series]
        marks = [{"x": x, "name": name} for x, name in self.marks]
        return {"title": self.title, "x": self.x.label, "y": self.y.label, "series": series, "marks": marks}


@dataclass(frozen=True)
class Verdict:
    """Whether a defence held against an attack, and why."""

    defence: str
    sentence: str
    holds: bool

    def to_json(self) -> Json:
        """Return the verdict by its names."""
        return dict(vars(self))


def holds(defence: str, sentence: str) -> Verdict:
    """Return the verdict that a defence held."""
    return Verdict(defence, holds=True, sentence=sentence)


def fails(defence: str, sentence: str) -> Verdict:
    """Return the verdict that a defence did not hold."""
    return Verdict(defence, holds=False, sentence=sentence)


@dataclass(frozen=True, kw_only=True)
class AttackResult:
    """An attack that was run."""

    name: str
    title: str
    statement: str
    parameters: Mapping[str, Value]
    tables: tuple[Table, ...]
    verdicts: tuple[Verdict, ...]
    picture: Picture
    steps: tuple[str, ...] = field(default=())

    def to_json(self) -> Json:
        """Return what `hushpoll lab attack --json` prints."""
        return {
            "name": self.name,
            "title": self.title,
            "statement": self.statement,
            "parameters": dict(self.parameters),
            "steps": list(self.steps),
            "tables": [table.to_json() for table in self.tables],
            "verdicts": [verdict.to_json() for verdict in self.verdicts],
            "picture": self.picture.to_json(),
        }
