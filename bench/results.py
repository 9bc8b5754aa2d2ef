"""What a benchmark is, and what it measures: figures, each with its goal and the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import isfinite
from typing import Protocol

from hushpoll_shared.errors import HushpollError, InvalidValue


class BenchError(HushpollError):
    """Something could not be measured."""


class Effort(Enum):
    """How long to measure: long enough to trust the figures, or just long enough to see them."""

    FULL = "full"
    QUICK = "quick"

    def choose(self, full: int, quick: int) -> int:
        """Return the number for this effort."""
        return full if self is Effort.FULL else quick


@dataclass(frozen=True)
class Goal:
    """A limit that a figure should meet."""

    limit: float
    sign: str

    def is_met(self, value: float) -> bool:
        """Return whether a figure meets the limit."""
        return value >= self.limit if self.sign == "≥" else value < self.limit


def at_least(limit: float) -> Goal:
    """Return the goal of this much or more."""
    return Goal(limit, "≥")


def below(limit: float) -> Goal:
    """Return the goal of less than this."""
    return Goal(limit, "<")


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One measured figure. Without a goal it helps to understand the others."""

    what: str
    value: float
    unit: str
    goal: Goal | None = None

    def __post_init__(self) -> None:
        """Refuse values that no clock or counter can have."""
        if not isfinite(self.value) or self.value < 0:
            raise InvalidValue(f"the figure of {self.what!r} is not a finite number of at least 0")

    @property
    def verdict(self) -> str:
        """Return `ok` or `missed` for a figure with a goal, else nothing."""
        if self.goal is None:
            return ""
        return "ok" if self.goal.is_met(self.value) else "missed"

    def to_json(self) -> dict[str, object]:
        """Return the figure with full precision."""
        goal = None if self.goal is None else f"{self.goal.sign} {self.goal.limit:g}"
        return {
            "what": self.what,
            "value": self.value,
            "unit": self.unit,
            "goal": goal,
            "verdict": self.verdict or None,
        }


class Watcher(Protocol):
    """A receiver of progress and notes of a benchmark."""

    def step(self, what: str) -> None:
        """Take note that the next of the announced steps begins."""

    def note(self, text: str) -> None:
        """Take note of something that a reader of the figures should know."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: its name, its title, how many steps it takes, and how it is run."""

    name: str
    title: str
    steps: Callable[[Effort], int]
    measure: Callable[[Effort, Watcher], list[Figure]]
