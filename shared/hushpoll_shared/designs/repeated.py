"""Repeated waves: a permanent draw that the device remembers, and a fresh draw of it in every wave.

Both are k-ary randomized response. The permanent draw of an answer is computed from a secret of the device, so it is
the same in every wave and no list of answers is kept. A wave reveals less than the permanent draw; all waves together
reveal no more than it, as long as the answer does not change. Each different answer costs its epsilon once.

Privacy: the waves look at the answer only through its permanent draw, whose odds are T(k−1)/(M−T).
Proof, variance and references: docs/mechanisms/repeated.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from hushpoll_shared.designs import wire
from hushpoll_shared.designs.bound import Bound
from hushpoll_shared.designs.design import Design
from hushpoll_shared.designs.subset import Subset, total_variance, ye_barg_bound
from hushpoll_shared.designs.two_weights import largest_threshold
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue

# The device computes the permanent draw of every possible answer beforehand.
LARGEST = 256


@dataclass(frozen=True)
class Repeated(Design):
    """A permanent and an instantaneous k-ary randomized response, k = `size`."""

    size: int
    permanent: int
    instant: int

    NAME: ClassVar = "repeated"

    def __post_init__(self) -> None:
        """Refuse what is no pair of designs."""
        if self.size > LARGEST:
            raise InvalidValue(f"a repeated question needs 2 to {LARGEST} possible answers")
        self.first.check_threshold()
        self.second.check_threshold()

    @classmethod
    def from_bounds(cls, once: Bound, always: Bound, size: int) -> Self:
        """Make the design whose single wave has odds b = `once` and whose permanent draw has odds a = `always`."""
        a, b = always.odds, once.odds
        if not b < a:
            raise InvalidValue("the permanent epsilon must be above the epsilon of one wave")
        # c = (b(a + k − 2) − (k − 1)) / (a − b) are the odds of the instantaneous draw
        instant = (b * (a + size - 2) - (size - 1)) / (a - b)
        first = largest_threshold(always, 1, size - 1)
        return cls(size, first, largest_threshold(Bound(instant, Epsilon.of_odds(instant)), 1, size - 1))

    @property
    def first(self) -> Subset:
        """Give the permanent draw."""
        return Subset(self.size, 1, self.permanent)

    @property
    def second(self) -> Subset:
        """Give the draw of each wave."""
        return Subset(self.size, 1, self.instant)

    @property
    def odds(self) -> Fraction:
        """Give the odds of the permanent draw: the cost of one answer over all waves."""
        return self.first.odds

    @property
    def once(self) -> Epsilon:
        """Give the epsilon of a single wave."""
        return Epsilon.of_odds(self.p / self.q)

    @property
    def p(self) -> Fraction:
        """Give P(report is a category | it is the truth)."""
        first, second = self.first, self.second
        return first.p * second.p + (self.size - 1) * first.q * second.q

    @property
    def q(self) -> Fraction:
        """Give P(report is a category | another is the truth)."""
        return (1 - self.p) / (self.size - 1)

    def variance(self) -> float:
        """Give the total over the categories of one wave at uniform shares, respondents a sample."""
        return total_variance(self.size, self.p, self.q)

    def lower_bound(self) -> float:
        """Give the bound of Ye and Barg for the epsilon of one wave."""
        return ye_barg_bound(self.size, float(self.p / self.q))

    @property
    def width(self) -> int:
        """Give the number of characters of a draw."""
        return wire.index_width(self.size - 1)

    def is_draw(self, value: object) -> bool:
        """Tell whether a value is a category."""
        return wire.is_index(value, self.size - 1)

    def supported_cells(self, draw: Any) -> tuple[str, ...]:
        """Name the category."""
        return (str(int(draw, 16)),)
