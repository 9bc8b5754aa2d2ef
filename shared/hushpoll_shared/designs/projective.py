"""Projective geometry response for large codebooks: a report is one point, and supports every category at right angles.

Categories and reports are points of a projective space over a prime field F. A report y supports category v if
⟨v, y⟩ = 0. Reports that support the truth weigh E, the others 1. A report of a few digits thus stands for a set of
about one in |F| of all categories, which is what subset selection would report.

Privacy: every category has the same number of points at right angles, inside = (F^(t−1) − 1)/(F − 1).
Utility: any two categories share (F^(t−2) − 1)/(F − 1) of them, so the estimator of subset selection serves; the
total variance is within 1.03 of the bound of Ye and Barg up to epsilon 4, where a prime near E + 1 is the field.
Reference: Feldman, Nelson, Nguyen, Talwar (2022), Private frequency estimation via projective geometry.
Proof: docs/mechanisms/projective.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, ClassVar, Self

from hushpoll_shared.designs import wire
from hushpoll_shared.designs.bound import Bound
from hushpoll_shared.designs.subset import total_variance, ye_barg_bound
from hushpoll_shared.designs.two_weights import TwoWeights, largest_threshold
from hushpoll_shared.errors import InvalidValue

LARGEST = 100_000
# The server counts every possible report; the next prime above the largest codebook is the largest field.
LARGEST_SPACE = 2**24
LARGEST_FIELD = 100_003


@dataclass(frozen=True)
class Projective(TwoWeights):
    """Projective geometry response with k = `size` categories in dimension t over the field of `field` elements."""

    size: int
    field: int
    dimension: int
    threshold: int

    NAME: ClassVar = "projective"

    def __post_init__(self) -> None:
        """Refuse spaces that do not hold the categories."""
        if not 2 <= self.field <= LARGEST_FIELD or not is_prime(self.field):
            raise InvalidValue("the field of a projective design must have a prime number of elements")
        if not 2 <= self.dimension <= 24 or self.points > LARGEST_SPACE:
            raise InvalidValue("the space of a projective design is too large")
        if not 2 <= self.size <= LARGEST or self.size > self.points:
            raise InvalidValue("a projective design has more categories than points")
        self.check_threshold()

    @classmethod
    def from_bound(cls, bound: Bound, size: int) -> Self:
        """Make the design with the field that gives the least variance."""
        spaces = ((field, _dimension(field, size)) for field in _fields(float(bound.odds), size))
        designs = [
            cls(size, field, dimension, largest_threshold(bound, number_of_points(dimension - 1, field), corners))
            for field, dimension in spaces
            if number_of_points(dimension, field) <= LARGEST_SPACE
            for corners in [int(field ** (dimension - 1))]
        ]
        return min(designs, key=lambda design: design.variance())

    @property
    def inside(self) -> int:
        """Give the number of points at right angles to a category."""
        return number_of_points(self.dimension - 1, self.field)

    @property
    def outside(self) -> int:
        """Give the number of all other points."""
        return int(self.field ** (self.dimension - 1))

    @property
    def points(self) -> int:
        """Give the number of possible reports."""
        return self.inside + self.outside

    @property
    def p(self) -> Fraction:
        """Give P(report supports a category | it is the truth)."""
        return self.keep

    @property
    def q(self) -> Fraction:
        """Give P(report supports a category | another is the truth)."""
        shared = number_of_points(self.dimension - 2, self.field)
        kept = self.keep * Fraction(shared, self.inside)
        return kept + (1 - self.keep) * Fraction(self.inside - shared, self.outside)

    def variance(self) -> float:
        """Give the total over the categories at uniform shares, respondents a sample."""
        return total_variance(self.size, self.p, self.q)

    def lower_bound(self) -> float:
        """Give the bound of Ye and Barg."""
        return ye_barg_bound(self.size, float(self.odds))

    @property
    def width(self) -> int:
        """Give the number of characters of a draw."""
        return wire.index_width(self.points - 1)

    def is_draw(self, value: object) -> bool:
        """Tell whether a value is a point."""
        return wire.is_index(value, self.points - 1)

    def supported_cells(self, draw: Any) -> tuple[str, ...]:
        """Name the counter of the point: categories are worked out from the counts of all points."""
        return (draw,)


def number_of_points(dimension: int, field: int) -> int:
    """Give the number of points of the projective space of a vector space: (F^t − 1)/(F − 1)."""
    return int((field**dimension - 1) // (field - 1))


def point(index: int, dimension: int, field: int) -> list[int]:
    """Give the coordinates of a point: zeros, a one, and free digits in base F, most significant first."""
    free = 0
    while number_of_points(free + 1, field) <= index:
        free += 1
    digits = write_digits(index - number_of_points(free, field), free, field)
    return [0] * (dimension - 1 - free) + [1] + digits


def index_of(vector: list[int], field: int) -> int:
    """Give the index of the point on which a vector lies."""
    first = next(place for place, value in enumerate(vector) if value)
    scale = pow(vector[first], -1, field)
    free = vector[first + 1 :]
    index = 0
    for value in free:
        index = index * field + value * scale % field
    return number_of_points(len(free), field) + index


def write_digits(number: int, count: int, base: int) -> list[int]:
    """Write a number in a base with so many digits, most significant first."""
    digits = []
    for _ in range(count):
        number, digit = divmod(number, base)
        digits.append(digit)
    return digits[::-1]


def is_prime(number: int) -> bool:
    """Tell whether a small number is prime."""
    return number > 1 and all(number % divisor for divisor in range(2, isqrt(number) + 1))


def _fields(odds: float, size: int) -> set[int]:
    """Give primes worth a try: those around E + 1, where the variance is least, and the ends of what is possible."""
    centre = int(min(odds + 1, LARGEST_FIELD - 100))
    fields = {_prime(centre, -1), _prime(centre + 1, 1), _prime(size - 1, 1)}
    plane = isqrt(LARGEST_SPACE) - 1
    return fields | {_prime(min(centre, plane), -1), _prime(isqrt(size), 1)}


def _prime(start: int, step: int) -> int:
    """Give the next prime from a number on, upward or downward."""
    number = max(2, start)
    while not is_prime(number):
        number += step
    return number


def _dimension(field: int, size: int) -> int:
    """Give the smallest dimension whose space has room for the categories."""
    dimension = 2
    while number_of_points(dimension, field) < size:
        dimension += 1
    return dimension
