"""Mechanisms whose draws support some of the answers: the true one with probability p, each other one with q.

k-ary randomized response, subset selection, projective geometry, repeated draws and the sets of several ticks are all
like this. They estimate shares by the same formula; what differs is which counters belong to which answer.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.estimate.estimands import SharesEstimand
from hushpoll_server.estimate.joint import Joint
from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.mechanisms.category_bound import ye_barg_bound
from hushpoll_server.mechanisms.mechanism import TOTAL, Code, Counters, Mechanism, Side
from hushpoll_server.mechanisms.variance import ShareVariance
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.mechanisms.design import SupportingDesign

S = TypeVar("S", bound=SupportingDesign)


class Supporting(Mechanism[S]):
    """What all mechanisms with p and q have in common."""

    @property
    @abstractmethod
    def joint(self) -> Joint:
        """Return how often one draw supports two answers at once."""

    @abstractmethod
    def supports(self, counts: Counters) -> list[int]:
        """Return how many draws support each answer, in the order of the answers."""

    # A draw of the ball is about some options only.
    def asked(self, counts: Counters, place: int) -> int:  # noqa: ARG002
        """Return how many draws could support an answer: all, unless each draw is about some answers only."""
        return counts.get(TOTAL, 0)

    def estimand(self, counts: Counters) -> SharesEstimand:
        """Return the shares of the answers."""
        supported = zip(self.type.cells, self.supports(counts), strict=True)
        return SharesEstimand(
            cells=[(name, count, self.asked(counts, place)) for place, (name, count) in enumerate(supported)],
            shown=self.type.estimated_cells,
            reports=counts.get(TOTAL, 0),
            support=SupportDesign(self.design.p, self.design.q),
            joint=self.joint,
            epsilon=float(self.design.epsilon),
        )

    @abstractmethod
    def support_rows(self, draws: Sequence[Draw]) -> NDArray[np.float64]:
        """Return a row for each draw, with 1 in the places of the answers that it supports, NaN if it does not ask."""

    def scores(self, draws: Sequence[Draw]) -> NDArray[np.float64]:
        """Return (y − q)/(p − q) for each draw and answer."""
        support = SupportDesign(self.design.p, self.design.q)
        return np.asarray(support.share(self.support_rows(draws)))

    def variance_by_answer(self) -> ShareVariance:
        """Return the variance of a share as a function of the share: a straight line."""
        support = SupportDesign(self.design.p, self.design.q)
        ends = support.privacy_variance(0.0), support.privacy_variance(1.0)
        return ShareVariance(ends[0], ends[1] - ends[0])

    @property
    def shows_odds_everywhere(self) -> bool:
        """Return True: any two answers that share no support show the whole odds."""
        return True

    @property
    def worst_places(self) -> tuple[Fraction, Fraction]:
        """Return the ends: these answers have no order, and nothing lies between them."""
        return Fraction(0), Fraction(1)


class Categorical(Supporting[S]):
    """A mechanism for questions to which exactly one answer is true."""

    @property
    def categories(self) -> int:
        """Return the number of possible answers."""
        return len(self.type.cells)

    @property
    def report_odds(self) -> float:
        """Return the odds of one report."""
        return float(self.design.odds)

    def variance(self) -> float:
        """Return the total over the categories at uniform shares; the respondents are a sample."""
        return total_variance(self.categories, self.design.p, self.design.q)

    def lower_bound(self) -> float:
        """Return the bound of Ye and Barg."""
        return ye_barg_bound(self.categories, self.report_odds)

    def figure_variance(self) -> float:
        """Return the variance of one share, on average over the categories."""
        return self.variance() / self.categories

    def chance_for(self, code: Code) -> float:  # noqa: ARG002 (the same for all answers)
        """Return p: a draw speaks for an answer if it supports it."""
        return float(self.design.p)

    def part_of(self, category: int) -> str:
        """Return the name of the event that a draw supports a category."""
        return f"supports {category}"

    def part_chances(self, code: Code) -> Mapping[str, float]:
        """Return p for the answer and q for every other category."""
        p, q = float(self.design.p), float(self.design.q)
        return {self.part_of(category): p if category == code else q for category in range(self.number_of_parts)}

    def support_rows(self, draws: Sequence[Draw]) -> NDArray[np.float64]:
        """Return a row for each draw, with 1 in the places of the categories that it supports."""
        codes = range(self.categories)
        return np.array([[self.side(code, draw) is Side.FOR for code in codes] for draw in draws], np.float64)

    def answer_weights(self, draws: Sequence[Draw]) -> Figures:
        """Return the odds of the report for the categories that a draw supports, and 1 for the others."""
        return np.where(self.support_rows(draws) > 0, self.report_odds, 1.0)


def total_variance(size: int, p: Fraction, q: Fraction) -> float:
    """Return the sum over k categories of λ(1 − λ)/(p − q)² at uniform shares."""
    rate = (p + (size - 1) * q) / size
    return float(size * rate * (1 - rate) / (p - q) ** 2)
