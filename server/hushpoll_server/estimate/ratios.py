"""Limits of a ratio of two estimates from the same reports, such as the share of yes among those who hold an answer.

The ratio a/b is t exactly if a - t b is 0, so the limits enclose the t for which a test does not reject that
(Fieller). The variance of a - t b is a parabola in t, and the limits are the roots of a quadratic. Where the
denominator could be 0, no ratio is too large to be possible: there are no limits, NaN here and None in results.

For a share among some, the answers themselves are known to be 0 or 1, so the part of the variance that sampling causes
is b t (1 - t)/n if t is true. The test uses it instead of the observed part. Without randomizing the limits are
Wilson's for the n b people; with it they have a width even where all reports agree. A share of 0 or 1 is rejected only
if it is with half a report more: at a large epsilon the noise is a report or two, and no normal law holds for them.

References: E. C. Fieller (1954), Some problems in interval estimation, Journal of the Royal Statistical Society B 16;
E. B. Wilson (1927).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.support import Figures

# Student's law for few reports has quantiles beyond this; their squares would not be exact.
_FURTHEST = 1e6


@dataclass(frozen=True, eq=False)
class Spread:
    """The variance of a - t b for every t: var(a) - 2 t cov(a, b) + t² var(b)."""

    top: Figures
    both: Figures
    bottom: Figures

    def possible(self) -> Spread:
        """Return the nearest spread that variances and a covariance can have: an estimated one may not be possible."""
        top, bottom = np.maximum(0.0, self.top), np.maximum(0.0, self.bottom)
        most = np.sqrt(top * bottom)
        return Spread(top, np.clip(self.both, -most, most), bottom)

    def complement(self) -> Spread:
        """Return the spread of (b - a) - t b."""
        return Spread(self.top - 2 * self.both + self.bottom, self.bottom - self.both, self.bottom)


def fieller_limits(top: Figures, bottom: Figures, spread: Spread, quantile: ArrayLike) -> Limits:
    """Return the ratios t with (a - t b)² ≤ z² var(a - t b); NaN where b could be 0, or is not positive."""
    # At a quantile beyond all chance nothing is rejected.
    tested = np.asarray(quantile) < _FURTHEST
    square = np.where(tested, quantile, 0.0) ** 2
    bounded = tested & (bottom > 0) & (bottom**2 > square * spread.bottom)
    # t²(b² - z² var(b)) - 2t(ab - z² cov) + a² - z² var(a) ≤ 0
    factor = np.where(bounded, bottom**2 - square * spread.bottom, 1.0)
    middle, constant = top * bottom - square * spread.both, top**2 - square * spread.top
    half = np.sqrt(np.maximum(0.0, middle**2 - factor * constant))
    low, high = (middle - half) / factor, (middle + half) / factor
    return Limits(np.where(bounded, low, np.nan), np.where(bounded, high, np.nan))


def share_among_limits(top: Figures, bottom: Figures, noise: Spread, n: int, quantile: ArrayLike) -> Limits:
    """Return the limits of a share among some; `noise` is the spread of one report that the randomizing causes."""
    possible = Spread(*(each / n for each in (noise.top, noise.both, noise.bottom))).possible()
    high = _high(top, bottom, possible, n, quantile)
    return Limits(1 - _high(bottom - top, bottom, possible.complement(), n, quantile), high)


def _high(top: Figures, bottom: Figures, noise: Spread, n: int, quantile: ArrayLike) -> Figures:
    """Return the upper limit; the lower one is that of everybody else in the group."""
    beyond = fieller_limits(top, bottom, noise, quantile).high
    # var(a - t b) = noise + b t (1 - t)/n for t in [0, 1], where the answers add something; beyond there is the noise
    sampled = Spread(noise.top, noise.both - bottom / n / 2, noise.bottom - bottom / n)
    inside = fieller_limits(top, bottom, sampled, quantile).high
    # At 0 and 1 there is noise alone, at a large epsilon a report or two: half a report more is allowed for.
    corrected = fieller_limits(top + 0.5 / n, bottom, noise, quantile).high
    within = np.where((corrected >= 1) & (inside < 1), 1.0, inside)
    return np.where(beyond >= 1, beyond, np.where(beyond >= 0, within, np.where(corrected >= 0, 0.0, beyond)))
