"""A straight line through the shares of several waves, with its band, and tests of no change and of a straight line.

The line is by weighted least squares; the weights are those of the waves' precision at their common share. Every figure
of it is a weighted sum of the shares, so its variance follows from the covariances between waves; where these are only
bounded, the bound that widens is taken for each pair. The variances are known from the designs and the counts, so the
laws are the normal one and χ², not Student's. The band of Scheffé (Working and Hotelling's for a line) holds for all
times together, the pointwise limits for one time each.

The rule here: covariances that are only bounded enter a test through a matrix with no less variance than the true one.

References: H. Working, H. Hotelling (1929), Journal of the American Statistical Association 24; H. Scheffé (1953),
Biometrika 40; A. C. Aitken (1935), Proceedings of the Royal Society of Edinburgh 55.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg, special

from hushpoll_server.estimate.combine import Combined
from hushpoll_server.estimate.intervals import Limits, normal_quantile
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures, Tally
from hushpoll_server.estimate.tables.crosstable import Independence

# A line has two figures.
_FIGURES = 2
# Rates nearer to 0 or 1 have a variance that is not told from 0.
_LEAST_RATE = 1e-12


@dataclass(frozen=True, kw_only=True)
class TrendPoint:
    """The line at one time: limits for this time alone, and the band that holds for all times together."""

    time: float
    estimate: float
    se: float
    low: float
    high: float
    band_low: float
    band_high: float

    def to_json(self) -> Json:
        """Return the figures by name."""
        limits: Json = {"low": self.low, "high": self.high, "band_low": self.band_low, "band_high": self.band_high}
        return {"time": self.time, "estimate": self.estimate, "se": self.se, **limits}


@dataclass(frozen=True, kw_only=True, eq=False)
class Trend:
    """The line through the shares: its slope for each unit of time, its points, and a test that it is straight."""

    slope: Combined
    points: tuple[TrendPoint, ...]
    straight: Independence
    waves: Waves

    def at(self, time: float) -> TrendPoint:
        """Return the line at any time."""
        return _point(self.waves, time, self.slope.level)

    def to_json(self) -> Json:
        """Return the figures by name."""
        test = self.straight
        return {
            "slope": self.slope.to_json(),
            "points": [point.to_json() for point in self.points],
            "straight": {"statistic": test.statistic, "df": test.degrees, "p_value": test.p_value},
        }


@dataclass(frozen=True, eq=False)
class Waves:
    """The shares of several waves at their times, their precisions, and bounds on their covariances."""

    times: Figures
    shares: Figures
    weights: Figures
    covariances: Limits

    @classmethod
    def of(cls, times: Sequence[float], tallies: Sequence[Tally], covariances: Limits) -> Waves:
        """Return the waves with the precision of each at the common share."""
        shares = np.array([float(tally.share[0]) for tally in tallies])
        n = np.array([int(tally.n[0]) for tally in tallies], np.float64)
        p, q = (np.array([getattr(tally.design, side) for tally in tallies]) for side in "pq")
        rates = np.clip(q + float(n @ shares / n.sum()) * (p - q), _LEAST_RATE, 1 - _LEAST_RATE)
        # n(p - q)²/(λ(1 - λ)) at the common share: at its own, a wave with a share near 0 would count for too much.
        return cls(np.asarray(times, np.float64), shares, n * (p - q) ** 2 / (rates * (1 - rates)), covariances)

    def largest_variance(self, weights: Figures) -> float:
        """Return the largest variance of a weighted sum of the shares that the covariances allow."""
        products, bounds = np.outer(weights, weights), self.covariances
        found = float(np.sum(products * np.where(products > 0, bounds.high, bounds.low)))
        # If estimated covariances contradict each other, those of different people.
        return found if found > 0 else float(weights**2 @ np.diag(bounds.low))

    def line_weights(self) -> Figures:
        """Return the weights of the shares in the line's value at the mean time and in its slope, a row for each."""
        # (X'WX)⁻¹X'W
        weighted = self.line.T * self.weights
        return np.asarray(np.linalg.solve(weighted @ self.line, weighted))

    @property
    def line(self) -> Figures:
        """Return the model of a straight line, around the mean time: years are far from 0."""
        return np.column_stack((np.ones_like(self.times), self.times - self.times.mean()))

    @property
    def cautious(self) -> Figures:
        """Return a covariance matrix that has no contrast with less than its true variance."""
        # With r the largest distance of the bounds: the true matrix exceeds the lower bounds by E, 0 ≤ E ≤ r off the
        # diagonal. Contrasts do not change if r/2 is subtracted everywhere, which leaves -r/2 on the diagonal and at
        # most ±r/2 elsewhere: no eigenvalue is above (k-2)r/2.
        low, high = self.covariances.low, self.covariances.high
        return np.asarray(low + (len(low) - 2) / 2 * float((high - low).max()) * np.eye(len(low)))

    def tested(self, model: Figures) -> Independence:
        """Test whether the shares are a combination of the columns of a model, of which a constant is one."""
        # χ² = (N'f̂)'(N'SN)⁻¹(N'f̂), N a basis of what the model cannot explain
        rest = linalg.null_space(model.T)
        left = rest.T @ self.shares
        statistic = float(left @ np.linalg.lstsq(rest.T @ self.cautious @ rest, left, rcond=None)[0])
        degrees = rest.shape[1]
        return Independence(statistic=statistic, degrees=degrees, p_value=float(special.chdtrc(degrees, statistic)))


def trend_of(waves: Waves, level: float) -> Trend:
    """Return the line through three or more waves at different times."""
    return Trend(
        slope=_slope(waves, level),
        points=tuple(_point(waves, time, level) for time in waves.times.tolist()),
        straight=waves.tested(waves.line),
        waves=waves,
    )


def no_change(waves: Waves) -> Independence:
    """Test whether the shares of all waves are equal."""
    return waves.tested(np.ones((waves.times.size, 1)))


def _slope(waves: Waves, level: float) -> Combined:
    weights = waves.line_weights()[1]
    estimate, se = float(weights @ waves.shares), math.sqrt(waves.largest_variance(weights))
    half = normal_quantile(level) * se
    p_value = 2 * float(special.ndtr(-abs(estimate) / se))
    limits = {"low": estimate - half, "high": estimate + half}
    return Combined(estimate=estimate, se=se, **limits, level=level, method="wald", p_value=p_value)


def _point(waves: Waves, time: float, level: float) -> TrendPoint:
    weights = waves.line_weights().T @ np.array([1.0, time - float(waves.times.mean())])
    estimate, se = float(weights @ waves.shares), math.sqrt(waves.largest_variance(weights))
    # √χ² with two degrees of freedom: sup over all times of |line - truth|/se
    scheffe = math.sqrt(float(special.chdtri(_FIGURES, 1 - level)))
    half = normal_quantile(level) * se
    return TrendPoint(
        time=time,
        estimate=estimate,
        se=se,
        low=estimate - half,
        high=estimate + half,
        band_low=estimate - scheffe * se,
        band_high=estimate + scheffe * se,
    )
