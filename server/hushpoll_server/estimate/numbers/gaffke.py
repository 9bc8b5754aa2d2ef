"""Limits for the mean of the reports' values: Clopper and Pearson's idea, for randomized answers of any kind.

For the upper limit, add one respondent with the answer that has the largest mean value: the report is not known, so it
is divided over the outputs as the design divides it. Give all reports random weights (those of a Dirichlet law with a
unit for each), and take a quantile of the weighted mean. So a rare answer that nobody has given yet is allowed for at
every n, and no more than that: noise is known. Without noise this is the limit of Gaffke (2005), and with two values
that of Clopper and Pearson; with many reports it is the normal one. It is not proved to cover: docs/estimation.md has
the worst cases of a search. `mean_limits.exact_limits` is proved, and wider.

The chance that the weighted mean exceeds m is that of Σ c (v − m) G > 0, with a gamma variable G of shape c for the c
reports at each value v. It is Φ(−r), r = w + ln(u/w)/w, to some hundredths of itself (Barndorff-Nielsen 1986); with
g = 1 − (v − m)s and s so that Σ c/g = Σ c, w²/2 = Σ c ln g is the logarithm of the empirical likelihood ratio of m, and
u² = s² Σ c ((v − m)/g)². One parameter, the tilt θ = s/(1 + ms), gives all points of this curve: g ∝ 1 − θv.

The rule here: outputs are rows, and every column is a sample of its own. `chances` has the law of the outputs for every
possible answer, one in each row.

References: N. Gaffke (2005), Three test statistics for a nonparametric one-sided hypothesis on the mean of a
nonnegative variable, Mathematical Methods of Statistics 14; M. Phan, P. Thomas, E. Learned-Miller (2021), Towards
practical mean bounds for small samples, ICML; O. E. Barndorff-Nielsen (1986), Biometrika 73.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.support import Figures

# 1 − θ is searched on a logarithmic scale, from e^-36 to 1.
_LEAST_LOGARITHM, _HALVINGS = -36.0, 45
# A smaller part of the added report is left out: the approximation does not hold for it.
_LEAST_PART = 1e-3
# A smaller likelihood ratio cannot be told from rounding.
_LEAST_ROOT = 1e-9
# Newton's steps toward a ratio end when they are this small, as a fraction of it; a few are enough.
_LAST_STEP, _MOST_STEPS = 1e-8, 60


def gaffke_limits(values: Figures, counts: Figures, chances: Figures, level: float) -> Limits:
    """Return the limits of the mean value; each is wrong with half of the error probability."""
    tail = (1 - level) / 2
    return Limits(-gaffke_high(-values, counts, chances, tail), gaffke_high(values, counts, chances, tail))


def gaffke_high(values: Figures, counts: Figures, chances: Figures, tail: float) -> Figures:
    """Return the upper limit of the mean value, which is too low with probability `tail`."""
    sample = _Sample.of(values, counts, chances)
    return sample.average(values, sample.tilt(tail))


def ratio_high(
    numerator: Figures, denominator: Figures, counts: Figures, chances: Figures, tail: float, *, far: float
) -> Figures:
    """Return the upper limit of the ratio of two mean values; ∞ if it is further away than `far`, or not there.

    It is the t at which numerator − t·denominator has the upper limit 0 (Fieller).
    """
    beyond = gaffke_high(numerator - far * denominator, counts, chances, tail) >= 0
    ratio = (numerator * counts).sum(axis=0) / (denominator * counts).sum(axis=0)
    low, high = ratio, np.full_like(ratio, far)
    for _ in range(_MOST_STEPS):
        difference = numerator - ratio * denominator
        sample = _Sample.of(difference, counts, chances)
        tilt = sample.tilt(tail)
        # As t grows the limit falls as fast as the tilted mean of the denominator is large.
        slope = sample.average(denominator, tilt)
        beyond = beyond | (slope <= 0)
        limit = sample.average(difference, tilt)
        low, high = np.where(limit > 0, ratio, low), np.where(limit > 0, high, ratio)
        newton = ratio + limit / np.where(beyond, 1.0, slope)
        # It also jumps where another answer has the largest mean: a step beyond what is known is halved instead.
        following = np.where((low <= newton) & (newton <= high), newton, (low + high) / 2)
        step = np.where(beyond, 0.0, following - ratio)
        ratio = ratio + step
        if (np.abs(step) <= _LAST_STEP * (np.abs(ratio) + 1)).all():
            break
    return np.asarray(np.where(beyond, np.inf, ratio))


@dataclass(frozen=True, eq=False)
class _Sample:
    """The values as places between the least and the largest, and the counts with one report added."""

    places: Figures
    counts: Figures

    @classmethod
    def of(cls, values: Figures, counts: Figures, chances: Figures) -> _Sample:
        """Add the report of a respondent with the answer that has the largest mean value."""
        added = chances[(chances @ values).argmax(axis=0)].T
        raised = counts + np.where(added < _LEAST_PART, 0.0, added)
        least = np.where(raised > 0, values, np.inf).min(axis=0)
        largest = np.where(raised > 0, values, -np.inf).max(axis=0)
        width = np.where(largest > least, largest - least, 1.0)
        return cls(np.clip((values - least) / width, 0.0, 1.0), raised)

    def tilt(self, tail: float) -> Figures:
        """Return 1 − θ where the chance of a larger mean is `tail`."""
        quantile = -float(special.ndtri(tail))
        far = np.full(self.counts.shape[1:], _LEAST_LOGARITHM)
        near = np.zeros_like(far)
        for _ in range(_HALVINGS):
            middle = (far + near) / 2
            beyond = self._root(np.exp(middle)) > quantile
            far, near = np.where(beyond, middle, far), np.where(beyond, near, middle)
        return np.asarray(np.exp(far))

    def average(self, values: Figures, tilt: Figures) -> Figures:
        """Return the tilted mean of some values of the outputs."""
        weights = self.counts / self._shrunk(tilt)
        return np.asarray((weights * values).sum(axis=0) / weights.sum(axis=0))

    def _shrunk(self, tilt: Figures) -> Figures:
        return 1 - self.places * (1 - tilt)

    def _root(self, tilt: Figures) -> Figures:
        """Return r."""
        shrunk = self._shrunk(tilt)
        weights = self.counts / shrunk
        scale = weights.sum(axis=0) / self.counts.sum(axis=0)
        mean = (weights * self.places).sum(axis=0) / weights.sum(axis=0)
        g = scale * shrunk
        w = np.sqrt(np.maximum(0.0, 2 * (self.counts * np.log(g)).sum(axis=0)))
        u = (1 - tilt) * scale * np.sqrt((self.counts * ((self.places - mean) / g) ** 2).sum(axis=0))
        # Without a difference between the reports both are 0, and the limit is the largest value.
        flat = (w <= _LEAST_ROOT) | (u <= 0)
        w, u = np.where(flat, 1.0, w), np.where(flat, 1.0, u)
        return np.where(flat, 0.0, w + np.log(u / w) / w)
