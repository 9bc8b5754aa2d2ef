"""Padding and sampling on the server: a draw is a set of options, blank ones included.

Statement, proof and references: docs/mechanisms/padded.md.
"""

from __future__ import annotations

from collections import Counter
from itertools import compress
from math import comb
from typing import ClassVar

from hushpoll_server.estimate.joint import OneDecides
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.mechanism import Code, Counters, Side
from hushpoll_server.mechanisms.subset import SubsetMechanism, joint_of_subset
from hushpoll_server.mechanisms.supporting import Supporting
from hushpoll_server.mechanisms.thresholds import largest_threshold, log_ratio
from hushpoll_server.mechanisms.ticks import TICKED, likely_share
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.mechanisms import Draw, Padded
from hushpoll_shared.mechanisms.domains import Ticks
from hushpoll_shared.question_types import QuestionType
from hushpoll_shared.randomness import SPAN


class PaddedMechanism(Supporting[Padded]):
    """Padding and sampling for questions with at most L of m options."""

    DESIGN: ClassVar = Padded

    def __init__(self, question_type: QuestionType, design: Padded) -> None:
        """Stand on a design, and on the subset selection inside it."""
        super().__init__(question_type, design)
        self.inner = SubsetMechanism(question_type, design.inner)

    @classmethod
    def best(cls, question_type: QuestionType, bound: Bound) -> Padded | None:
        """Return the design for questions in which few options may be ticked."""
        match question_type.domain:
            case Ticks(options, int(most)):
                return cls.of(bound, options, most)
        return None

    @classmethod
    def of(cls, bound: Bound, options: int, most: int) -> Padded:
        """Return the design with the number of picks that gives the least variance."""
        share = min(0.5, most / options)
        designs = (_with_picks(bound, options, most, picks) for picks in range(1, options + 1))
        return min(designs, key=lambda design: variance_at(design, share))

    def counters(self, draw: Draw) -> tuple[str, ...]:
        """Name the options in the set, blank ones included."""
        return self.inner.counters(draw)

    def count(self, times: Counter[Draw]) -> Counter[str]:
        """Count the sets as subset selection does."""
        return self.inner.count(times)

    def supports(self, counts: Counters) -> list[int]:
        """Return the sets that hold each option."""
        return [counts.get(str(option), 0) for option in range(self.design.options)]

    @property
    def joint(self) -> OneDecides:
        """Return how often a set holds two options: each of the L padded ones decides equally often."""
        inner = joint_of_subset(self.design.inner)
        return OneDecides(inner.one, inner.least, inner.most, slots=self.design.most)

    def variance(self) -> float:
        """Return the variance of an option that half of the people tick, by the randomizing alone."""
        return variance_at(self.design, 0.5)

    def compared_variance(self) -> float:
        """Return the variance of an option at the share that it is likely to have."""
        return variance_at(self.design, likely_share(self.type))

    def lower_bound(self) -> float:
        """Return Warner's variance E/(E − 1)²: one option alone cannot be asked better."""
        odds = float(self.design.odds)
        return odds / (odds - 1) ** 2

    def figure_variance(self) -> float:
        """Return the variance of the share of an option that half of the people tick."""
        return self.variance() + TICKED

    def log_likeliest(self) -> float:
        """Return ln of the largest probability of a draw."""
        # β·odds, with β the chance of a set that holds no option of the padded answer
        inner, odds = self.design.inner, self.design.odds
        beta = log_ratio(SPAN - inner.threshold, SPAN * comb(inner.size - 1, inner.picks))
        return beta + log_ratio(odds.numerator, odds.denominator)

    @property
    def outputs(self) -> int:
        """Return the number of sets."""
        return comb(self.design.inner.size, self.design.picks)

    def side(self, code: Code, draw: Draw) -> Side:
        """Tell whether the set holds as many of the padded answer as it can, or none."""
        design, ticked = self.design, list(compress(range(self.design.options), code))
        padded = {*ticked, *range(design.options + len(ticked), design.options + design.most)}
        shared = len(padded & set(map(int, self.counters(draw))))
        if shared == 0:
            return Side.AGAINST
        return Side.FOR if shared == min(design.picks, design.most) else Side.NEITHER

    @property
    def number_of_parts(self) -> int:
        """Return the number of options, blank ones included: each is an event."""
        return self.design.inner.size


def variance_at(design: Padded, share: float) -> float:
    """Return the variance of an option with this share, by the randomizing alone."""
    p, q = float(design.p), float(design.q)
    rate = q + share * (p - q)
    return rate * (1 - rate) / (p - q) ** 2 - share * (1 - share)


def _with_picks(bound: Bound, options: int, most: int, picks: int) -> Padded:
    odds = 1 + (bound.odds - 1) * most / min(picks, most)
    inner = Bound(odds, Epsilon.of_odds(odds))
    design = Padded(options, most, picks, largest_threshold(inner, picks, options + most - picks))
    # The inner rounding is toward privacy; this line makes it a law for the whole.
    return design if design.epsilon <= bound.epsilon else Padded(options, most, picks, design.threshold - 1)


MECHANISM = PaddedMechanism
