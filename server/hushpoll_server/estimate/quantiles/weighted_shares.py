"""Ratios of weighted sums of shares, such as the mean of a scale among those who gave a point, with limits.

A report is worth Y = Σ w_v (y_v - q)/(p - q) for weights w of the answers, y_v being 1 if it supports v and 0
otherwise. Its mean is w_v for people whose answer is v, and the mean of Y² for them follows from how often one report
supports two answers (joint.py). So the mean and the variance of Y follow from the shares. The ratio t of two weighted
sums a, b of shares is where the mean of Y for a - t·b is 0.

The rule here: the limits enclose those t for which a test does not reject that mean (Fieller). As for means the
variance is at least the least that answers with this mean can have, because the design's noise is known. Where each
report names one answer, the counts of all reports are known, and the limits are nowhere inside those of Gaffke
(gaffke.py), which allow for rare answers that nobody has given yet. With sets they are not known; sets are used where
noise is larger than what a rare answer could add.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.joint import NAMES_ONE, OneDecides
from hushpoll_server.estimate.numbers.gaffke import ratio_high
from hushpoll_server.estimate.numbers.mean_design import upper_hull
from hushpoll_server.estimate.numbers.mean_of_some import edge_of_rejection
from hushpoll_server.estimate.numbers.means import Mean
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.support import Figures, Tally

# Limits are searched for up to this many times the spread of the weights away.
_FURTHEST = 50


@dataclass(frozen=True, eq=False)
class WeightedShares:
    """The shares of all answers to a question, of which one is true for each person."""

    result: Result

    @cached_property
    def tally(self) -> Tally:
        """Return the counts of all answers."""
        return self.result.tally(*(cell.name for cell in self.result.cells))

    @cached_property
    def joint(self) -> OneDecides:
        """Return how often one report supports two answers."""
        if not isinstance(self.result.joint, OneDecides):
            raise EstimateError("the answers do not exclude each other, so they have no order: name another question")
        return self.result.joint

    @property
    def method(self) -> str:
        """Return the method of the limits."""
        return "gaffke" if self.joint == NAMES_ONE else "score"

    def ratio(self, top: Figures, bottom: Figures, level: float) -> Mean:
        """Return the ratio of two weighted sums of shares with its limits.

        There are no figures if the second sum is not above 0. A limit that does not exist, because that sum could be 0,
        is None.
        """
        # Around the middle of the weights, so that the search begins near.
        middle, spread = (float(top.max()) + float(top.min())) / 2, float(np.ptp(top))
        centred, below = top - middle * bottom, float(bottom @ self.tally.share)
        if below <= 0:
            return Mean()
        offset = float(centred @ self.tally.share) / below
        low, high = self._limits(centred, bottom, offset, level, _FURTHEST * max(spread, 1e-300))
        return Mean(
            estimate=middle + offset,
            se=self.error(centred, bottom),
            low=middle + low if math.isfinite(low) else None,
            high=middle + high if math.isfinite(high) else None,
        )

    def error(self, top: Figures, bottom: Figures) -> float:
        """Return the standard error of the ratio, by the delta method."""
        below = float(bottom @ self.tally.share)
        weights = top - float(top @ self.tally.share) / below * bottom
        return math.sqrt(self._variance(weights) / self._n) / abs(below)

    @property
    def _n(self) -> int:
        return int(self.tally.n[0])

    def _limits(self, top: Figures, bottom: Figures, offset: float, level: float, reach: float) -> tuple[float, float]:
        degrees = max(1, self._n - 1)
        quantile, unbiased = -float(special.stdtrit(degrees, (1 - level) / 2)), self._n / degrees

        def rejected(tried: float) -> bool:
            weights = top - tried * bottom
            average = float(weights @ self.tally.share)
            return average**2 > quantile**2 * self._variance(weights, unbiased) / self._n

        low, high = edge_of_rejection(rejected, offset, -reach), edge_of_rejection(rejected, offset, reach)
        if self.joint != NAMES_ONE:
            return low, high
        least, most = (sign * self._gaffke_high(sign * top, bottom, (1 - level) / 2, reach) for sign in (-1, 1))
        return min(low, least), max(high, most)

    def _gaffke_high(self, top: Figures, bottom: Figures, tail: float, far: float) -> float:
        tops, bottoms = (self._values(weights)[:, np.newaxis] for weights in (top, bottom))
        counts = self.tally.count.astype(np.float64)[:, np.newaxis]
        return float(ratio_high(tops, bottoms, counts, self._chances, tail, far=far)[0])

    def _values(self, weights: Figures) -> Figures:
        """Return what each report is worth, if it names one answer."""
        design = self.tally.design
        return np.asarray((weights - design.q * weights.sum()) / design.gap)

    @cached_property
    def _chances(self) -> Figures:
        """Return the law of the reports for every answer, if each names one answer."""
        design = self.tally.design
        return design.q + design.gap * np.eye(self.tally.count.size)

    def _variance(self, weights: Figures, unbiased: float = 1.0) -> float:
        """Return the variance of Y: as observed, but no less than that of any answers with a mean of 0.

        Standard errors have the divisor n; Student's law needs that of the unbiased variance.
        """
        squares = self.squares(weights)
        observed = float(squares @ self.tally.share) - float(weights @ self.tally.share) ** 2
        # Answers with the same weight have the same mean square.
        different, places = np.unique(weights, return_index=True)
        points, negative = upper_hull(different, -squares[places])
        # Where no answers have that mean, those with the nearest one.
        nearest = min(max(0.0, float(points[0])), float(points[-1]))
        return max(unbiased * observed, -float(np.interp(nearest, points, negative)) - nearest**2)

    def squares(self, weights: Figures) -> Figures:
        """Return the mean of Y² for people with each answer, at most."""
        joint, design, total, sum_of_squares = self.joint, self.tally.design, weights.sum(), weights @ weights
        # E[(Σ w_i y_i)² | j] = Σ w_i² P(i) + Σ_{i≠l} w_i w_l P(i and l): `one` if j is i or l, else `least`; where it
        # is `most`, at most `mates` answers belong to each i, and the sum over them is at most mates·Σ w_i².
        pairs = joint.least * (total**2 - sum_of_squares) + (joint.most - joint.least) * joint.mates * sum_of_squares
        decides = 2 * (joint.one - joint.least) * weights * (total - weights)
        raw = design.q * sum_of_squares + design.gap * weights**2 + pairs + decides
        # Y = (Σ w_i y_i - q Σ w_i)/(p - q), and the mean of Σ w_i y_i is q Σ w_i + (p - q) w_j
        centre = design.q * total
        return np.asarray((raw - centre**2 - 2 * centre * design.gap * weights) / design.gap**2)
