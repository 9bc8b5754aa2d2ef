"""What a benchmark found: a figure, its goal, and the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from hushpoll_shared.errors import InvalidValue


@dataclass(frozen=True)
class Goal:
    """A limit that a figure should keep."""

    limit: float
    at_least: bool

    def is_met(self, value: float) -> bool:
        """Tell whether a figure keeps the limit."""
        return value >= self.limit if self.at_least else value <= self.limit


def at_least(limit: float) -> Goal:
    """Want this much or more."""
    return Goal(limit, at_least=True)


def at_most(limit: float) -> Goal:
    """Want this much or less."""
    return Goal(limit, at_least=False)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One measured figure. Without a goal it is there to understand the others."""

    what: str
    value: float
    unit: str
    goal: Goal | None = None

    def __post_init__(self) -> None:
        """Refuse what no clock or counter can show."""
        if not 0 <= self.value < float("inf"):
            raise InvalidValue(f"the figure of {self.what!r} is not a finite number")

    @property
    def verdict(self) -> str:
        """Say `ok` or `below` for a figure with a goal."""
        if self.goal is None:
            return ""
        return "ok" if self.goal.is_met(self.value) else "below"

    def to_json(self) -> dict[str, object]:
        """Give the figure in full precision."""
        goal = None if self.goal is None else {"limit": self.goal.limit, "at_least": self.goal.at_least}
        return {
            "what": self.what,
            "value": self.value,
            "unit": self.unit,
            "goal": goal,
            "verdict": self.verdict or None,
        }


class Step(Protocol):
    """Tell the progress bar that a part of the work is done."""

    def __call__(self, what: str) -> None:
        """Say what is done next."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: its name, what it is for, how many steps it tells, and how it is run."""

    name: str
    title: str
    steps: Callable[[bool], int]
    measure: Callable[[bool, Step], list[Figure]]
