"""Subset selection: report a set of d of the k categories; sets that contain the truth weigh E, the others 1.

With d = 1 it is k-ary randomized response, with k = 2 and d = 1 Warner's design.

Privacy: C(k−1, d−1) sets contain the truth and C(k−1, d) do not, whatever the truth is; their ratio is d : k−d.
Utility: with the best d its total variance is the least that any design with the same epsilon has (Ye, Barg 2018).
Proof, variance and references: docs/mechanisms/subset.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from hushpoll_shared.designs import wire
from hushpoll_shared.designs.bound import Bound
from hushpoll_shared.designs.two_weights import TwoWeights, largest_threshold
from hushpoll_shared.errors import InvalidValue

LARGEST = 2048


class SubsetSelection(TwoWeights):
    """The mathematics of subset selection, for the general design and for Warner's case of it."""

    size: int
    picks: int

    @property
    def inside(self) -> int:
        """Give d, which is to k − d as the sets with the truth are to those without."""
        return self.picks

    @property
    def outside(self) -> int:
        """Give k − d."""
        return self.size - self.picks

    @property
    def p(self) -> Fraction:
        """Give P(report contains a category | it is the truth)."""
        return self.keep

    @property
    def q(self) -> Fraction:
        """Give P(report contains a category | another is the truth)."""
        # d − 1 or d of the k − 1 others are in the report
        return (self.keep * (self.picks - 1) + (1 - self.keep) * self.picks) / (self.size - 1)

    def variance(self) -> float:
        """Give the total over the categories at uniform shares, respondents a sample."""
        return total_variance(self.size, self.p, self.q)

    def lower_bound(self) -> float:
        """Give the bound of Ye and Barg."""
        return ye_barg_bound(self.size, float(self.odds))


@dataclass(frozen=True)
class Subset(SubsetSelection):
    """Subset selection with k = `size` and d = `picks`."""

    size: int
    picks: int
    threshold: int

    NAME: ClassVar = "subset"

    def __post_init__(self) -> None:
        """Refuse sizes that make no question."""
        if not 2 <= self.size <= LARGEST or not 1 <= self.picks < self.size:
            raise InvalidValue(f"subset selection needs 2 to {LARGEST} categories and fewer picks than categories")
        self.check_threshold()

    @classmethod
    def from_bound(cls, bound: Bound, size: int, picks: int | None = None) -> Self:
        """Make the design with the best number of picks, or with this one (1 for k-ary randomized response)."""
        picks = best_picks(size, float(bound.odds)) if picks is None else picks
        return cls(size, picks, largest_threshold(bound, picks, size - picks))

    @property
    def width(self) -> int:
        """Give the number of characters of a draw."""
        return wire.index_width(self.size - 1) if self.picks == 1 else wire.mask_width(self.size)

    def write(self, members: list[int]) -> str:
        """Write a set as a draw: its one member, or a mask."""
        return wire.write_index(members[0], self.size - 1) if self.picks == 1 else wire.write_mask(members, self.size)

    def is_draw(self, value: object) -> bool:
        """Tell whether a value is a set of `picks` categories."""
        return wire.is_index(value, self.size - 1) if self.picks == 1 else wire.is_mask(value, self.size, self.picks)

    def supported_cells(self, draw: Any) -> tuple[str, ...]:
        """Name the categories in the set."""
        return (str(int(draw, 16)),) if self.picks == 1 else tuple(map(str, wire.read_mask(draw)))


def total_variance(size: int, p: Fraction, q: Fraction) -> float:
    """Give the sum over k categories of λ(1 − λ)/(p − q)² at uniform shares."""
    rate = (p + (size - 1) * q) / size
    return float(size * rate * (1 - rate) / (p - q) ** 2)


def variance_of_picks(size: int, picks: int, odds: float) -> float:
    """Give (k−1)²(dE + k − d)² / (k d (k−d) (E−1)²), the total variance with d picks."""
    k, d = size, picks
    return ((k - 1) * (d * odds + k - d) / (odds - 1)) ** 2 / (k * d * (k - d))


def best_picks(size: int, odds: float) -> int:
    """Give the number of picks with the least total variance: one of the two neighbours of k/(E + 1)."""
    # (dE + k − d)²/(d (k − d)) falls until d = k/(E + 1) and rises after it.
    below = min(size - 1, max(1, int(size / (odds + 1))))
    return min((below, min(below + 1, size - 1)), key=lambda picks: variance_of_picks(size, picks, odds))


def ye_barg_bound(size: int, odds: float) -> float:
    """Give the least total variance of any design on k categories with these odds."""
    return variance_of_picks(size, best_picks(size, odds), odds)
