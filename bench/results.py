"""What a benchmark is and what it finds: figures, each with its goal and the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import Protocol

from hushpoll_shared.errors import HushpollError, InvalidValue


class BenchError(HushpollError):
    """Say why something could not be measured."""


class Effort(Enum):
    """How long is measured: long enough to trust the figures, or just long enough to see them."""

    FULL = "full"
    QUICK = "quick"

    def choose(self, full: int, quick: int) -> int:
        """Give the number for this effort."""
        return full if self is Effort.FULL else quick


@dataclass(frozen=True)
class Goal:
    """A limit that a figure should keep."""

    limit: float
    sign: str

    def is_met(self, value: float) -> bool:
        """Tell whether a figure keeps the limit."""
        return value >= self.limit if self.sign == "≥" else value < self.limit


def at_least(limit: float) -> Goal:
    """Want this much or more."""
    return Goal(limit, "≥")


def below(limit: float) -> Goal:
    """Want less than this."""
    return Goal(limit, "<")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One measured figure. Without a goal it is there to understand the others."""

    what: str
    value: float
    unit: str
    goal: Goal | None = None

    def __post_init__(self) -> None:
        """Refuse what no clock or counter can show."""
        if not isfinite(self.value) or self.value < 0:
            raise InvalidValue(f"the figure of {self.what!r} is not a number from 0 up")

    @property
    def verdict(self) -> str:
        """Say `ok` or `missed` for a figure with a goal."""
        if self.goal is None:
            return ""
        return "ok" if self.goal.is_met(self.value) else "missed"

    def to_json(self) -> dict[str, object]:
        """Give the figure in full precision."""
        goal = None if self.goal is None else f"{self.goal.sign} {self.goal.limit:g}"
        return {
            "what": self.what,
            "value": self.value,
            "unit": self.unit,
            "goal": goal,
            "verdict": self.verdict or None,
        }


class Watcher(Protocol):
    """Somebody who wants to know how far a benchmark is."""

    def step(self, what: str) -> None:
        """Hear that the next of the announced steps begins."""

    def note(self, text: str) -> None:
        """Hear what a reader of the figures should know."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: its name, what it asks, how many steps it takes, and how it is run."""

    name: str
    title: str
    steps: Callable[[Effort], int]
    measure: Callable[[Effort, Watcher], list[Figure]]
