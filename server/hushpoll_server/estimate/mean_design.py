"""What the estimation of a mean needs to know of a design: the value of each output, the chances of each truth.

All designs for numbers are alike here. A truth is one of some points; its row gives the chances of the outputs; the
values of the outputs, in the question's own unit, average to the point. Law kept here: the last sentence holds for
every row, so the average value of the reports is an unbiased estimate of the mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures

_SPAN = 2.0**64
_ROUNDS = 200


@dataclass(frozen=True, eq=False)
class MeanDesign:
    """Hold the values of the outputs, the points that a truth can have, and the chances, a row for each point."""

    values: Figures
    points: Figures
    rows: Figures

    def __post_init__(self) -> None:
        """Refuse rows that are biased or do not add up."""
        scale = np.abs(self.values).max() + 1
        if not np.allclose(self.rows.sum(axis=1), 1, atol=1e-9):
            raise EstimateError("the chances of a row do not add up to 1: give those of the manifest")
        if not np.allclose(self.rows @ self.values, self.points, rtol=0, atol=1e-8 * scale):
            raise EstimateError("the values of the outputs are biased: give those of the manifest")

    @classmethod
    def of_channel(
        cls, values: Sequence[int], unit: int, weights: Sequence[Sequence[int]], low: Fraction, high: Fraction
    ) -> Self:
        """Make the design of a channel from its values, unit and weights over 2^64, on the range from low to high."""
        step = float((high - low) / (len(weights) - 1))
        points = float(low) + step * np.arange(len(weights), dtype=np.float64)
        rows = np.array([[weight / _SPAN for weight in row] for row in weights])
        return cls(float(low) + step * np.array([value / unit for value in values]), points, rows)

    @classmethod
    def of_laplace(cls, steps: int, reach: int, threshold: int, low: Fraction, high: Fraction) -> Self:
        """Make the design of discrete Laplace noise; what the clamping at the reach shifts is below 2^-30 steps."""
        step, alpha = float((high - low) / steps), threshold / _SPAN
        outputs = np.arange(-reach, steps + reach + 1, dtype=np.float64)
        places = np.arange(steps + 1, dtype=np.float64)
        distance = np.abs(outputs - places[:, np.newaxis])
        # P(k) = (1 − α)/(1 + α)·α^|k|; beyond the reach lie α^(distance)/(1 + α) on either side
        rows = (1 - alpha) / (1 + alpha) * alpha**distance
        rows[:, [0, -1]] = alpha ** distance[:, [0, -1]] / (1 + alpha)
        return cls(float(low) + step * outputs, float(low) + step * places, rows)

    @classmethod
    def of_wave(cls, bins: int, half: int, threshold: int, low: Fraction, high: Fraction) -> Self:
        """Make the design of a square wave; a truth counts as the middle of its bin."""
        rows = wave_rows(bins, half, threshold)
        outputs = np.arange(bins + 2 * half, dtype=np.float64)
        # E[output | bin x] = a + s·x: near outputs average to x + h, the sum of all is fixed, so it is a line in x.
        start, slope = float(rows[0] @ outputs), float((rows[1] - rows[0]) @ outputs)
        width = float((high - low) / bins)
        middles = float(low) + width * (np.arange(bins, dtype=np.float64) + 0.5)
        return cls(float(low) + width * ((outputs - start) / slope + 0.5), middles, rows)

    @cached_property
    def squares(self) -> Figures:
        """Return the mean square of the output's value for each point."""
        return np.asarray(self.rows @ self.values**2)

    @cached_property
    def noise(self) -> Figures:
        """Return the variance that the randomizer alone causes at each point."""
        return np.maximum(self.squares - self.points**2, 0)

    def likely_truths(self, counts: Figures) -> Figures:
        """Return shares of the points that make the counts likely: the likelihood, climbed for some rounds."""
        seen = counts > 0
        rows, shares = self.rows[:, seen], counts[seen] / counts.sum()
        truths = np.full(len(self.points), 1 / len(self.points))
        for _ in range(_ROUNDS):
            truths = truths * (rows @ (shares / (truths @ rows)))
        return truths

    def least_variance(self, mean: float) -> float:
        """Return the least variance of a report when the truths have this mean, whatever else they are."""
        # Σ f_i E[y²|i] is least, for a given mean Σ f_i x_i, on the lower convex hull.
        inside = min(max(mean, float(self.points[0])), float(self.points[-1]))
        x, square = self._lower_hull
        return max(0.0, float(np.interp(inside, x, square)) - inside * inside)

    @cached_property
    def _lower_hull(self) -> tuple[Figures, Figures]:
        x, negative = upper_hull(self.points, -self.squares)
        return x, -negative


def wave_rows(bins: int, half: int, threshold: int) -> Figures:
    """Return the chances of the outputs of a square wave, a row for each bin."""
    near, keep = 2 * half + 1, threshold / _SPAN
    distance = np.arange(bins + 2 * half) - np.arange(bins)[:, np.newaxis]
    return np.where((distance >= 0) & (distance < near), keep / near, (1 - keep) / (bins - 1))


def upper_hull(x: Figures, y: Figures) -> tuple[Figures, Figures]:
    """Return the corners of the least concave function above the points, x increasing."""
    corners: list[tuple[float, float]] = []
    for point in zip(x.tolist(), y.tolist(), strict=True):
        while len(corners) > 1 and _below(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    hull = np.array(corners)
    return hull[:, 0], hull[:, 1]


def _below(left: tuple[float, float], middle: tuple[float, float], right: tuple[float, float]) -> bool:
    across, up = right[0] - left[0], right[1] - left[1]
    return (middle[1] - left[1]) * across <= up * (middle[0] - left[0])
