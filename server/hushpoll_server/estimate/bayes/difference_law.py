"""The posterior law of the difference of two independent shares, by one integral for each probability.

    P(F₁ - F₂ > t) = ∫ π₁(x) P(F₂ < x - t) dx   for t ≥ 0, from x = t to 1,

and for t < 0 the same with the shares exchanged. With x = t + (1 - t) s and v = ln(s/(1 - s)) both ends become
exponential tails, whatever the priors are. The rule here: the panels end where those of either share do, so each
factor is as smooth on them as its own law needs; the second factor is integrated anew at every node, not looked up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import optimize, special

from hushpoll_server.estimate.bayes.share_law import ShareLaw, integrate, split_wide
from hushpoll_server.estimate.support import Figures

_WIDEST = 4.0
# Shares of e⁻⁷⁰⁰ are the smallest that floats tell from 0.
_FURTHEST = 700.0


@dataclass(frozen=True)
class DifferenceLaw:
    """The posterior of the first share minus the second."""

    first: ShareLaw
    second: ShareLaw

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Return the mean and the standard deviation."""
        (one, spread), (other, other_spread) = self.first.moments, self.second.moments
        return one - other, float(np.hypot(spread, other_spread))

    def above(self, threshold: float) -> float:
        """Return the probability that the difference is above this."""
        if threshold < 0:
            return 1 - _exceeds(self.second, self.first, -threshold)
        return _exceeds(self.first, self.second, threshold)

    def quantile(self, probability: float) -> float:
        """Return the difference below which this probability lies."""
        if self.below(0.0) < probability:
            return _solve(self.first, self.second, 1 - probability)
        return 0.0 - _solve(self.second, self.first, probability)

    def below(self, threshold: float) -> float:
        """Return the probability that the difference is below this."""
        return _exceeds(self.second, self.first, -threshold) if threshold <= 0 else 1 - self.above(threshold)


def _solve(larger: ShareLaw, smaller: ShareLaw, probability: float) -> float:
    """Return the t of zero or more that the difference exceeds with this probability."""
    if _exceeds(larger, smaller, 0.0) <= probability:
        return 0.0
    return float(optimize.brentq(lambda t: _exceeds(larger, smaller, t) - probability, 0.0, 1.0, xtol=1e-14))


def _exceeds(larger: ShareLaw, smaller: ShareLaw, t: float) -> float:
    """Return P(F₁ - F₂ > t) for t of zero or more."""
    edges = _edges(larger, smaller, t)
    if len(edges) < 2:
        return 0.0

    def integrand(v: Figures) -> Figures:
        s, rest = special.expit(v), special.expit(-v)
        x = t + (1 - t) * s
        # dx = (1 - t) s (1 - s) dv, and the density of x is that of its log-odds over x(1 - x), 1 - x = (1 - t)(1 - s)
        density = larger.density(np.log(x) - np.log((1 - t) * rest)) * s / x
        return np.asarray(density * smaller.below(np.log((1 - t) * s) - np.log(t + (1 - t) * rest)))

    return float(min(1.0, integrate(integrand, edges[:-1], edges[1:]).sum()))


def _edges(larger: ShareLaw, smaller: ShareLaw, t: float) -> Figures:
    """Return the ends of the panels of v, between which neither factor vanishes."""
    # v = ln(x - t) - ln(1 - x) = ln y - ln(1 - t - y), where y = x - t is the second share
    u, w = (np.clip(law.edges, -_FURTHEST, _FURTHEST) for law in (larger, smaller))
    u, w = u[special.expit(u) > t], w[special.expit(w) < 1 - t]
    if not u.size or not w.size:
        return np.empty(0)
    one = np.log(special.expit(u) - t) - np.log(special.expit(-u))
    other = np.log(special.expit(w)) - np.log(special.expit(-w) - t)
    # Where the first law starts above t, nothing lies below its start.
    start = max(one[0], other[0]) if u[0] == larger.edges[0] else other[0]
    ends = np.unique(np.concatenate((one, other)))
    return split_wide(ends[(ends >= start) & (ends <= one[-1])], _WIDEST)
