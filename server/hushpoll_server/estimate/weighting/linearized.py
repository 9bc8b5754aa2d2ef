"""The variance of a weighted rate by Taylor linearisation, and the effective number of reports that its limits use.

With y the reports (0 or 1), w their weights and e the residuals of the fit that the weights were calibrated to (without
calibration e = y - λ), the weighted rate λ = Σwy/Σw has the variance of Σwe/Σw. The rule here: the correction for a
finite population is applied to who was asked, never to the randomizing, and no standard error is 0.

Limits are Wilson's for as many equally weighted reports as have the larger of two variances: Σw²e²/(Σw)², which is
right for every kind of weights but uncertain itself, and Kish's (Σwe²/Σw)·Σw²/(Σw)², which is steady but assumes that
the spread is the same at every weight. With few reports the first alone covers too rarely (docs/statistics/weights.md).

References: D. A. Binder (1983), International Statistical Review 51; E. L. Korn, B. I. Graubard (1998), Survey
Methodology 24.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hushpoll_server.estimate.finite import score_limits
from hushpoll_server.estimate.intervals import Limits, fewest_reports, normal_quantile, wilson
from hushpoll_server.estimate.support import Figures, SupportDesign, clamp
from hushpoll_server.estimate.weighting.weights import Weights

# A rarer answer with less than half an effective report is treated as if all reports agreed.
_HALF_A_REPORT = 0.5


@dataclass(frozen=True, eq=False)
class Linearized:
    """Weighted rates of support of one or more cells, with the sums of squared residuals that variances need.

    `squares` is Σe² and `supporting` the number of supporting reports, for each class (row) and each cell (column). The
    design has p above q.
    """

    weights: Weights
    supporting: Figures
    squares: Figures
    design: SupportDesign

    @cached_property
    def rate(self) -> Figures:
        """Return λ = Σwy/Σw of each cell."""
        return self.weights.values @ self.supporting / self.weights.total

    @property
    def share(self) -> Figures:
        """Return the estimated shares, which may be outside [0, 1]."""
        return self.design.share(self.rate)

    @cached_property
    def variance(self) -> Figures:
        """Return the linearised variance of the shares, with divisor n, and at least what the randomizing adds."""
        w, inclusion = self.weights.values, self.weights.inclusion
        # With V_i the variance that the randomizing adds to report i, e²/(p-q)² is on average that of the answers
        # plus V_i. The answers count with 1 - π, the randomizing always with 1:
        #   Var = Σ w²[(1 - π) e²/(p-q)² + π V_i]/(Σw)²
        sampled = (w**2 * (1 - inclusion)) @ self.squares / self.design.gap**2
        linearised = (sampled + self._privacy(w**2 * inclusion)) / self.weights.total**2
        # A fit that follows few reports closely leaves no residuals; no fit takes the randomizing away.
        return np.maximum(linearised, self.design.privacy_variance(clamp(self.share)) / self.weights.kish)

    @cached_property
    def pooled_variance(self) -> Figures:
        """Return Kish's variance of the shares: the average squared residual over his effective number of reports."""
        spread = self.weights.values @ self.squares / self.weights.total / self.design.gap**2
        privacy, unsampled = self._privacy(self.weights.values) / self.weights.total, self.weights.unsampled
        return np.asarray((unsampled * spread + (1 - unsampled) * privacy) / self.weights.kish)

    @cached_property
    def effective_n(self) -> Figures:
        """Return how many equally weighted reports would have the larger of the two variances."""
        share, unsampled = self.share, self.weights.unsampled
        # v(f) = s f(1 - f) + V̄(f) for one report; without a spread of the reports Kish's number remains
        unit = unsampled * share * (1 - share) + self.design.privacy_variance(share)
        larger = np.maximum(self.variance, self.pooled_variance)
        known = ~self.one_sided & (larger > 0) & (unit > 0)
        return np.where(known, unit / np.where(known, larger, 1.0), self.weights.kish)

    @property
    def one_sided(self) -> NDArray[np.bool_]:
        """Return whether the rarer report of each cell has less than half an effective report."""
        return np.asarray(np.minimum(self.rate, 1 - self.rate) * self.weights.kish < _HALF_A_REPORT)

    def standard_error(self) -> Figures:
        """Return the root of the variance; where all reports agree, that of the nearest possible rate."""
        kish, design, unsampled = self.weights.kish, self.design, self.weights.unsampled
        share = design.share(np.clip((self.rate * kish + 0.5) / (kish + 1), design.q, design.p))
        possible = (unsampled * share * (1 - share) + design.privacy_variance(share)) / kish
        return np.sqrt(np.where(self.one_sided, possible, self.variance))

    def few(self, level: float) -> bool:
        """Return whether some cell has too few effective reports on one side for the normal law."""
        rarer = np.minimum(self.rate, 1 - self.rate) * self.effective_n
        return bool(rarer.min() < fewest_reports(level))

    def wilson(self, level: float) -> Limits:
        """Return the shares that a score test with the effective number of reports does not reject."""
        if self.weights.population is None:
            n = self.effective_n
            return wilson(self.rate * n, n, level).mapped(self.design.gap, self.design.q)
        ends = self.design.privacy_variance(0.0), self.design.privacy_variance(1.0)
        t = normal_quantile(level) ** 2 / self.effective_n
        return score_limits(self.share, ends, t, np.asarray(self.weights.unsampled))

    def korn_graubard(self, level: float) -> Limits:
        """Return Clopper and Pearson's limits for the effective number of reports, whatever the population's size."""
        n = np.minimum(self.effective_n, self.weights.kish)
        rates = beta_limits(self.rate * n, (1 - self.rate) * n, (1 - level) / 2)
        return rates.mapped(self.design.gap, self.design.q)

    def _privacy(self, factors: Figures) -> Figures:
        """Return Σ factor·V_i over all reports: V is linear in the answer, so the debiased reports estimate it."""
        total = float(factors @ self.weights.n)
        if total == 0:
            return np.zeros_like(self.rate)
        return total * self.design.privacy_variance(self.design.share(factors @ self.supporting / total))


def beta_limits(supporting: Figures, others: Figures, tail: float) -> Limits:
    """Return Clopper and Pearson's limits, also for counts that are not whole."""
    tiny = np.finfo(float).tiny
    low = special.betaincinv(np.maximum(supporting, tiny), others + 1, tail)
    high = special.betainccinv(supporting + 1, np.maximum(others, tiny), tail)
    return Limits(np.where(supporting > 0, low, 0.0), np.where(others > 0, high, 1.0))
