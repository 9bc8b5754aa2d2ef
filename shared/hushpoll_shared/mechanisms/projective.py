"""Projective geometry response for large codebooks: a report is a point that supports every category orthogonal to it.

Categories and reports are points of a projective space over a prime field F. A report y supports category v if
⟨v, y⟩ = 0. Reports that support the truth weigh E, the others 1. A report of a few digits thus stands for a set of
about one in |F| of all categories, which is what subset selection would report.

Privacy: every category has the same number of orthogonal points, inside = (F^(t−1) − 1)/(F − 1).
Utility: any two categories share (F^(t−2) − 1)/(F − 1) of them, so the estimator of subset selection applies; the
total variance is within 1.03 of the bound of Ye and Barg up to epsilon 4, with a prime near E + 1 as the field.
Reference: Feldman, Nelson, Nguyen, Talwar (2022), Private frequency estimation via projective geometry.
Proof: docs/mechanisms/projective.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import ClassVar

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import wire
from hushpoll_shared.mechanisms.design import SupportingDesign
from hushpoll_shared.mechanisms.domains import Categories, Domain
from hushpoll_shared.mechanisms.sentence import Sentence, rounded, times_of
from hushpoll_shared.mechanisms.two_weights import TwoWeights

LARGEST = 100_000
# The server has a counter for every possible report.
LARGEST_SPACE = 2**24
# The next prime above the largest codebook.
LARGEST_FIELD = 100_003


@dataclass(frozen=True)
class Projective(TwoWeights, SupportingDesign):
    """Projective geometry response with k = `size` categories in dimension t over the field of `field` elements."""

    size: int
    field: int
    dimension: int
    threshold: int

    NAME: ClassVar = "projective"

    def __post_init__(self) -> None:
        """Refuse spaces that are too large, or too small for the categories."""
        if not 2 <= self.field <= LARGEST_FIELD or not is_prime(self.field):
            raise InvalidValue("the field of a projective design must have a prime number of elements")
        if not 2 <= self.dimension <= 24 or self.points > LARGEST_SPACE:
            raise InvalidValue("the space of a projective design is too large")
        if not 2 <= self.size <= LARGEST or self.size > self.points:
            raise InvalidValue("a projective design has more categories than points")
        self.check_threshold()

    @property
    def inside(self) -> int:
        """Return the number of points orthogonal to a category."""
        return number_of_points(self.dimension - 1, self.field)

    @property
    def outside(self) -> int:
        """Return the number of all other points."""
        return int(self.field ** (self.dimension - 1))

    @property
    def points(self) -> int:
        """Return the number of possible reports."""
        return self.inside + self.outside

    @property
    def p(self) -> Fraction:
        """Return P(report supports a category | it is the truth)."""
        return self.keep

    @property
    def q(self) -> Fraction:
        """Return P(report supports a category | another is the truth)."""
        shared = number_of_points(self.dimension - 2, self.field)
        kept = self.keep * Fraction(shared, self.inside)
        return kept + (1 - self.keep) * Fraction(self.inside - shared, self.outside)

    @cached_property
    def domain(self) -> Domain:
        """Return the categories."""
        return Categories(self.size)

    @property
    def width(self) -> int:
        """Return the number of characters of a draw."""
        return wire.index_width(self.points - 1)

    def is_draw(self, value: object) -> bool:
        """Return whether a value is a point."""
        return wire.is_index(value, self.points - 1)

    def odds_sentence(self) -> Sentence:
        """Return the sentence on how often the answer is among those that the point stands for."""
        return Sentence("odds", self._group, times_of(self.keep, self._share))

    def sent_sentence(self, question_type: str) -> Sentence:  # noqa: ARG002 (the same for all types)
        """Return the sentence on what a point is on the wire."""
        return Sentence("sent", self._group)

    @property
    def _group(self) -> dict[str, int]:
        return {"about": rounded(self.size * self._share), "size": self.size}

    @property
    def _share(self) -> Fraction:
        return Fraction(self.inside, self.points)


def number_of_points(dimension: int, field: int) -> int:
    """Return the number of points of the projective space of a vector space: (F^t − 1)/(F − 1)."""
    return int((field**dimension - 1) // (field - 1))


def point(index: int, dimension: int, field: int) -> list[int]:
    """Return the coordinates of a point: zeros, a one, and free digits in base F, most significant first."""
    free = 0
    while number_of_points(free + 1, field) <= index:
        free += 1
    digits = write_digits(index - number_of_points(free, field), free, field)
    return [0] * (dimension - 1 - free) + [1] + digits


def index_of(vector: list[int], field: int) -> int:
    """Return the index of the point on which a vector lies."""
    first = next(place for place, value in enumerate(vector) if value)
    scale = pow(vector[first], -1, field)
    free = vector[first + 1 :]
    index = 0
    for value in free:
        index = index * field + value * scale % field
    return number_of_points(len(free), field) + index


def write_digits(number: int, count: int, base: int) -> list[int]:
    """Write a number in a base with `count` digits, most significant first."""
    digits = []
    for _ in range(count):
        number, digit = divmod(number, base)
        digits.append(digit)
    return digits[::-1]


def is_prime(number: int) -> bool:
    """Return whether a small number is prime."""
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))
