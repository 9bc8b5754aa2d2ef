"""What every design has in common: integers that a manifest fixes, and the odds and the epsilon that follow from them.

The law here: a reader believes no claim. Odds and epsilon are computed from the integers; a manifest whose odds differ,
or whose epsilon is smaller, is refused.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from hushpoll_shared.epsilon import Epsilon, format_odds
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN

Draw = int | str

# More than any survey asks for; keeps every number that is computed from a manifest small.
LARGEST_SIZE = 2**53
THRESHOLDS = frozenset({"threshold", "permanent", "instant"})
_THRESHOLD = re.compile(r"[1-9]\d{0,19}", re.ASCII)


@dataclass(frozen=True)
class Design(ABC):
    """A mechanism with its parameters."""

    NAME: ClassVar[str]

    @property
    @abstractmethod
    def odds(self) -> Fraction:
        """Give the exact worst ratio of the probabilities of one report under two answers."""

    @cached_property
    def epsilon(self) -> Epsilon:
        """Give ln(odds), rounded up."""
        return Epsilon.of_odds(self.odds)

    @property
    @abstractmethod
    def width(self) -> int:
        """Give the number of characters of a draw."""

    @property
    def blank(self) -> str:
        """Give what stands for the draw of a question that was not asked."""
        return "-" * self.width

    @abstractmethod
    def is_draw(self, value: object) -> bool:
        """Tell whether a value from a report is a draw of this design."""

    @abstractmethod
    def supported_cells(self, draw: Any) -> tuple[str, ...]:
        """Name the counters that a draw counts for."""

    @abstractmethod
    def variance(self) -> float:
        """Give the variance for each respondent, in the measure that planning uses for the type of question."""

    @abstractmethod
    def lower_bound(self) -> float:
        """Give what no design with the same odds can fall below, in the same measure."""

    def parameters(self) -> dict[str, object]:
        """Give the integers as the manifest writes them: thresholds as texts, because JSON readers round numbers."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: str(value) if name in THRESHOLDS else value for name, value in values.items()}

    def to_json(self) -> dict[str, object]:
        """Give the fields that a manifest holds, claims included."""
        claims = {"odds": format_odds(self.odds), "epsilon": str(self.epsilon)}
        return {"name": self.NAME, **self.parameters(), **claims}

    @classmethod
    def read(cls, fields: Any) -> Self:
        """Read the design from a manifest; refuse claims that its integers do not bear out."""
        if not isinstance(fields, dict):
            raise InvalidValue("a mechanism must be an object")
        design = cls.from_parameters(fields)
        computed = design.to_json()
        if tuple(fields) != tuple(computed) or any(fields[key] != computed[key] for key in fields if key != "epsilon"):
            raise InvalidValue("a mechanism claims odds or fields that its integers do not bear out")
        if Epsilon.parse(fields["epsilon"]) < design.epsilon:
            raise InvalidValue("a mechanism claims a smaller epsilon than its integers give")
        return design

    @classmethod
    def from_parameters(cls, values: dict[str, Any]) -> Self:
        """Make the design from the integers of a manifest."""
        return cls(*(_read_integer(field.name, values.get(field.name)) for field in fields(cls)))


def read_size(value: object) -> int:
    """Read a small whole number."""
    if type(value) is not int or not 0 <= value < LARGEST_SIZE:
        raise InvalidValue("a size must be a whole number")
    return value


def read_threshold(value: object) -> int:
    """Read an integer below 2^64 that is written as a text."""
    if not isinstance(value, str) or not _THRESHOLD.fullmatch(value) or int(value) >= SPAN:
        raise InvalidValue("a threshold must be a whole number below 2^64, written as a text")
    return int(value)


def _read_integer(name: str, value: object) -> int:
    return read_threshold(value) if name in THRESHOLDS else read_size(value)
