"""What a mechanism randomizes: categories, ticks, or numbers beside extras.

A type of question has a domain: its possible answers. A design has one too: the codes that it has odds for. The two
must fit, and a code outside the domain is refused before a byte is drawn, because it would have no odds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

# The place of a choice among the categories, a 0 or 1 for each option, or the place of a number in its range from 0
# to 1; beside numbers, an extra (or a point mass, which is like one here) is its place among them, an int.
Code = int | tuple[int, ...] | Fraction


class Domain(ABC):
    """The answers that can be randomized, as codes."""

    @abstractmethod
    def holds(self, code: object) -> bool:
        """Return whether a code is in the domain."""

    @abstractmethod
    def covers(self, other: Domain) -> bool:
        """Return whether a design on this domain can randomize the answers of another."""


@dataclass(frozen=True)
class Categories(Domain):
    """Answers of which exactly one is true."""

    size: int

    def holds(self, code: object) -> bool:
        """Return whether a code is the place of a category."""
        return type(code) is int and 0 <= code < self.size

    def covers(self, other: Domain) -> bool:
        """Return whether the other has the same number of categories."""
        return other == self


@dataclass(frozen=True)
class Ticks(Domain):
    """Options that can be ticked, `most` of them at once; None for any number."""

    options: int
    most: int | None = None

    def holds(self, code: object) -> bool:
        """Return whether a code has a 0 or 1 for each option, and not too many ones."""
        if not isinstance(code, tuple) or len(code) != self.options:
            return False
        most = self.options if self.most is None else self.most
        return all(type(tick) is int and tick in (0, 1) for tick in code) and sum(code) <= most

    def covers(self, other: Domain) -> bool:
        """Return whether the other has the same number of options, and no more of them may be ticked."""
        return isinstance(other, Ticks) and other.options == self.options and self.most in (None, other.most)


@dataclass(frozen=True)
class Numbers(Domain):
    """Numbers in a range, reported for the mean or the distribution, beside extras.

    `points` is the number of equally spaced numbers that can be answered, or that have a row of their own in a table;
    None where every number of the range can, or where it makes no difference to the design.
    """

    report: str
    extras: int
    points: int | None = None

    def holds(self, code: object) -> bool:
        """Return whether a code is a place in the range or the place of an extra."""
        if isinstance(code, Fraction):
            return 0 <= code <= 1
        return type(code) is int and 0 <= code < self.extras

    def covers(self, other: Domain) -> bool:
        """Return whether the other reports the same, with the same number of extras and points."""
        if not isinstance(other, Numbers) or (other.report, other.extras) != (self.report, self.extras):
            return False
        return None in (self.points, other.points) or self.points == other.points
