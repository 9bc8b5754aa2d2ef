"""The most likely share of several counts of reports, each with a design of its own, and its score limits.

ℓ(f) = Σ c ln λ + (n - c) ln(1 - λ) with λ = q + f(p - q) is concave wherever all rates λ are between 0 and 1, which
includes [0, 1]. The rule here: the search never leaves that range, and where the top is at its end the standard error
is that of the nearest rates with half a report on either side, never 0. Where parts contradict each other so much that
the score test rejects even the top, the limits are those of the likelihood ratio, which always have a width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.estimate.support import LEAST_PROBABILITY, Figures, Tally
from hushpoll_server.estimate.weighting.results import WeightedCell

# Halving the range this many times goes below the precision of a float.
_HALVINGS = 64
# Steps outward start at this fraction of a standard error and grow by this factor, so a limit is never stepped over.
_FIRST_STEP, _GROWTH = 0.125, 1.25


@dataclass(frozen=True, eq=False)
class CommonShare:
    """Counts, totals and designs of the parts, turned so that p is above q."""

    count: Figures
    n: Figures
    p: Figures
    q: Figures

    @classmethod
    def of(cls, tallies: Sequence[Tally]) -> CommonShare:
        """Return the likelihood of parts that each have reports."""
        parts = [tally.oriented() for tally in tallies]
        count, n = (np.array([float(getattr(part, name)[0]) for part in parts]) for name in ("count", "n"))
        return cls(count, n, *(np.array([getattr(part.design, name) for part in parts]) for name in "pq"))

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Return the least and the largest share at which all rates are between 0 and 1."""
        gap = self.p - self.q
        return float((-self.q / gap).max()), float(((1 - self.q) / gap).min())

    @cached_property
    def estimate(self) -> float:
        """Return the most likely share, at an end if the likelihood rises up to it."""
        low, high = self.ends
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.score(middle) > 0 else (low, middle)
        return (low + high) / 2

    def score(self, share: float) -> float:
        """Return the slope of the log-likelihood."""
        rate = self._rate(share)
        # Σ (p - q)[c/λ - (n - c)/(1 - λ)]
        return float((self.p - self.q) @ (self.count / rate - (self.n - self.count) / (1 - rate)))

    def log_likelihood(self, share: float) -> float:
        """Return the logarithm of the probability of all counts, up to a constant."""
        rate = self._rate(share)
        return float((special.xlogy(self.count, rate) + special.xlog1py(self.n - self.count, -rate)).sum())

    def information(self, rate: Figures) -> Figures:
        """Return the expected information of each part at these rates."""
        # n (p - q)²/(λ(1 - λ))
        return np.asarray(self.n * (self.p - self.q) ** 2 / (rate * (1 - rate)))

    def weights(self, share: float) -> Figures:
        """Return which part of all information each part has."""
        information = self.information(self._possible(share))
        return np.asarray(information / information.sum())

    @property
    def standard_error(self) -> float:
        """Return the root of the inverse of the expected information."""
        return float(self.information(self._possible(self.estimate)).sum() ** -0.5)

    def figures(self, level: float) -> WeightedCell:
        """Return the pooled share with its standard error and score limits."""
        z = normal_quantile(level)
        low, high = (self._limit(z, end) for end in self.ends)
        return WeightedCell(name="yes", estimate=self.estimate, se=self.standard_error, low=low, high=high)

    def _limit(self, z: float, end: float) -> float:
        """Return the first share on the way to an end that the score test rejects, or the end."""
        sign = 1.0 if end > self.estimate else -1.0
        accepted, step = self.estimate, _FIRST_STEP * self.standard_error
        while True:
            share = accepted + sign * step
            if sign * (end - share) <= 0:
                return self._halved(accepted, end, z)
            if self._rejects(share, z):
                return self._halved(accepted, share, z)
            accepted, step = share, step * _GROWTH

    def _halved(self, accepted: float, rejected: float, z: float) -> float:
        for _ in range(_HALVINGS):
            middle = (accepted + rejected) / 2
            accepted, rejected = (accepted, middle) if self._rejects(middle, z) else (middle, rejected)
        return rejected

    def _rejects(self, share: float, z: float) -> bool:
        if self._score_rejects(self.estimate, z):
            # 2(ℓ(f̂) - ℓ(f)) > z²: the parts contradict each other at an end, where the slope is not 0.
            return 2 * (self.log_likelihood(self.estimate) - self.log_likelihood(share)) > z * z
        return self._score_rejects(share, z)

    def _score_rejects(self, share: float, z: float) -> bool:
        # S(f)²/I(f) > z²
        return self.score(share) ** 2 > z * z * float(self.information(self._rate(share)).sum())

    def _rate(self, share: float) -> Figures:
        return np.clip(self.q + share * (self.p - self.q), LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)

    def _possible(self, share: float) -> Figures:
        """Return the rates at a share, or at the nearest possible one if a part is within half a report of its end."""
        half, rate = 0.5 / (self.n + 1), self._rate(share)
        one_sided = (np.minimum(rate, 1 - rate) < half).any()
        return np.clip(self._rate(min(1.0, max(0.0, share))) if one_sided else rate, half, 1 - half)
