"""Padding and sampling for questions with few answers out of many: at most L of m options may be ticked.

The ticked options are filled up to L with different blank ones; the device picks one of the L at random and reports it
by subset selection among the m + L. One option of the answer decides, so each may be reported with larger odds.

Privacy: given the padded answer S of L options, a set R of d has the probability β·(1 + (o − 1)·|R ∩ S|/L), with o the
odds of the inner subset selection. |R ∩ S| is between 0 and min(d, L), so the odds are 1 + (o − 1)·min(d, L)/L.
Proof, variance and references: docs/mechanisms/padded.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from hushpoll_shared.designs.ball import MOST_OPTIONS
from hushpoll_shared.designs.bound import Bound
from hushpoll_shared.designs.design import Design
from hushpoll_shared.designs.subset import Subset
from hushpoll_shared.designs.two_weights import largest_threshold
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue


@dataclass(frozen=True)
class Padded(Design):
    """Padding and sampling: m = `options`, L = `most`, d = `picks`."""

    options: int
    most: int
    picks: int
    threshold: int

    NAME: ClassVar = "padded"

    def __post_init__(self) -> None:
        """Refuse sizes that make no question."""
        if not 2 <= self.options <= MOST_OPTIONS or not 1 <= self.most <= self.options:
            raise InvalidValue(f"padding needs 2 to {MOST_OPTIONS} options, of which some may be ticked")
        if not 1 <= self.picks <= self.options:
            raise InvalidValue("padding must not report more options than there are")
        self.inner.check_threshold()

    @classmethod
    def from_bound(cls, bound: Bound, options: int, most: int) -> Self:
        """Make the design with the number of picks that gives the least variance."""
        designs = (cls._with_picks(bound, options, most, picks) for picks in range(1, options + 1))
        return min(designs, key=lambda design: design.variance_at(design.likely_share))

    @classmethod
    def _with_picks(cls, bound: Bound, options: int, most: int, picks: int) -> Self:
        odds = 1 + (bound.odds - 1) * most / min(picks, most)
        inner = Bound(odds, Epsilon.of_odds(odds))
        design = cls(options, most, picks, largest_threshold(inner, picks, options + most - picks))
        # The inner rounding is toward privacy; this line makes it a law for the whole.
        return design if design.epsilon <= bound.epsilon else cls(options, most, picks, design.threshold - 1)

    @cached_property
    def inner(self) -> Subset:
        """Give the subset selection that reports one option of the padded answer."""
        return Subset(self.options + self.most, self.picks, self.threshold)

    @property
    def odds(self) -> Fraction:
        """Give the exact worst ratio of the probabilities of one report under two whole answers."""
        return 1 + (self.inner.odds - 1) * min(self.picks, self.most) / self.most

    @property
    def p(self) -> Fraction:
        """Give P(report contains an option | it is ticked)."""
        return self.q + (self.inner.p - self.inner.q) / self.most

    @property
    def q(self) -> Fraction:
        """Give P(report contains an option | it is not ticked)."""
        return self.inner.q

    @property
    def likely_share(self) -> float:
        """Give the share at which designs are compared: a half, or less if so few may be ticked."""
        return min(0.5, self.most / self.options)

    def variance_at(self, share: float) -> float:
        """Give the variance of an option with this share, by the randomizing alone."""
        p, q = float(self.p), float(self.q)
        rate = q + share * (p - q)
        return rate * (1 - rate) / (p - q) ** 2 - share * (1 - share)

    def variance(self) -> float:
        """Give the variance of an option that half of the people tick, by the randomizing alone."""
        return self.variance_at(0.5)

    def lower_bound(self) -> float:
        """Give Warner's variance E/(E − 1)²: one option alone cannot be asked better."""
        odds = float(self.odds)
        return odds / (odds - 1) ** 2

    @property
    def width(self) -> int:
        """Give the number of characters of a draw."""
        return self.inner.width

    def is_draw(self, value: object) -> bool:
        """Tell whether a value is a set of `picks` options, blank ones included."""
        return self.inner.is_draw(value)

    def supported_cells(self, draw: Any) -> tuple[str, ...]:
        """Name the options in the set, blank ones included."""
        return self.inner.supported_cells(draw)
