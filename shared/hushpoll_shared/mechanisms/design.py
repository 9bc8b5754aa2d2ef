"""What every design has in common: integers that a manifest fixes, and the odds and the epsilon that follow from them.

The rule here: a reader trusts no claim. Odds and epsilon are computed from the integers; a manifest whose odds differ,
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
from hushpoll_shared.mechanisms.domains import Domain
from hushpoll_shared.mechanisms.sentence import Sentence
from hushpoll_shared.randomness import SPAN

# What a device sends for one question, in its one spelling.
Draw = str

# More than any survey needs; keeps every number that is computed from a manifest small.
LARGEST_SIZE = 2**53
_THRESHOLD = re.compile(r"[1-9]\d{0,19}", re.ASCII)


@dataclass(frozen=True)
class Design(ABC):
    """A mechanism with its parameters."""

    NAME: ClassVar[str]
    # The parameters that are thresholds over 2^64; the others are sizes.
    THRESHOLDS: ClassVar[tuple[str, ...]] = ("threshold",)

    @property
    @abstractmethod
    def odds(self) -> Fraction:
        """Return the exact largest ratio of the probabilities of one draw under two answers."""

    @cached_property
    def epsilon(self) -> Epsilon:
        """Return ln(odds), rounded up."""
        return Epsilon.of_odds(self.odds)

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """Return the codes that this design has odds for."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Return the number of characters of a draw."""

    @property
    def blank(self) -> str:
        """Return what a report holds for a question that was not asked."""
        return "-" * self.width

    @abstractmethod
    def is_draw(self, value: object) -> bool:
        """Return whether a value from a report is a draw of this design."""

    @abstractmethod
    def odds_sentence(self) -> Sentence:
        """Return the sentence that puts the odds into whole numbers out of 100."""

    @abstractmethod
    def sent_sentence(self, question_type: str) -> Sentence:
        """Return the sentence that says what a report holds for a question of this type."""

    def parameters(self) -> dict[str, object]:
        """Return the integers as the manifest writes them: thresholds as texts, because JSON readers round numbers."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: str(value) if name in self.THRESHOLDS else value for name, value in values.items()}

    def to_json(self) -> dict[str, object]:
        """Return the fields that a manifest has for the design, claims included."""
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
        readers = ((field.name, read_threshold if field.name in cls.THRESHOLDS else read_size) for field in fields(cls))
        return cls(*(read(values.get(name)) for name, read in readers))


class SupportingDesign(Design):
    """A design whose draws support some of the answers: the true one with probability p, each other one with q."""

    @property
    @abstractmethod
    def p(self) -> Fraction:
        """Return P(draw supports an answer | it is true)."""

    @property
    @abstractmethod
    def q(self) -> Fraction:
        """Return P(draw supports an answer | it is not true)."""


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
