"""Differences and ratios of two estimates, by variance recovery from the limits of each (MOVER).

The distance of a limit from its estimate stands for z standard errors on that side, so a difference has the limits

    D - √((x - l₁)² + (u₂ - y)² - 2r (x - l₁)(u₂ - y))        D + √((u₁ - x)² + (y - l₂)² - 2r (u₁ - x)(y - l₂))

with r the correlation of the two estimates. Those of a ratio are the t for which the limits of x - t y reach 0. The
rule here: all arguments are arrays of one shape; NaN stands for a figure that does not exist, and gives no limit.

References: G. Y. Zou, A. Donner (2008), Statistics in Medicine 27; A. Donner, G. Y. Zou (2012), Statistical Methods in
Medical Research 21.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.support import Figures

# A test further out than this many standard errors has a p-value of 0 in a float.
_FURTHEST = 38.0
_HALVINGS = 48


@dataclass(frozen=True, eq=False)
class Compared:
    """Two estimates with their limits, and their correlation."""

    first: Figures
    second: Figures
    first_limits: Limits
    second_limits: Limits
    correlation: Figures

    def difference(self) -> Limits:
        """Return the limits of the first minus the second."""
        x, y, one, other = self.first, self.second, self.first_limits, self.second_limits
        return Limits(
            x - y - self._reach(x - one.low, other.high - y), x - y + self._reach(one.high - x, y - other.low)
        )

    def ratio(self) -> Limits:
        """Return the limits of the first divided by the second; NaN where the second could be 0."""
        x, y, one, other = self.first, self.second, self.first_limits, self.second_limits
        exists = (other.low > 0) & (y > 0)
        below, above, up, down = x - one.low, one.high - x, other.high - y, y - other.low
        # x - ty is least where y is largest if t is positive, and where y is smallest if it is negative.
        low = np.where(one.low >= 0, self._root(below, up, -1), self._root(below, down, -1))
        high = np.where(one.high >= 0, self._root(above, down, 1), self._root(above, up, 1))
        return Limits(np.where(exists, low, np.nan), np.where(exists, high, np.nan))

    def _reach(self, one: Figures, other: Figures) -> Figures:
        return np.sqrt(np.maximum(0.0, one**2 + other**2 - 2 * self.correlation * one * other))

    def _root(self, one: Figures, other: Figures, sign: int) -> Figures:
        # (x - ty)² = a² + t²b² - 2r t a b  ⇔  t²(y² - b²) - 2t(xy - r a b) + x² - a² = 0
        x, y, r = self.first, self.second, self.correlation
        square, middle, constant = y**2 - other**2, x * y - r * one * other, x**2 - one**2
        root = np.sqrt(np.maximum(0.0, middle**2 - square * constant))
        # Each root in the form that adds two figures of one sign, which also holds where the square's factor is 0.
        with np.errstate(divide="ignore", invalid="ignore"):
            stable, plain = constant / (middle - sign * root), (middle + sign * root) / square
        found = np.where(sign * middle < 0, stable, plain)
        return np.where(np.isfinite(found), found, np.nan)


def p_values(difference: Figures, limits_at: Callable[[Figures], Limits]) -> Figures:
    """Return the error probabilities at which the limits just reach 0; `limits_at` has them for every quantile z.

    Limits that do not exist exclude nothing.
    """
    excluding, covering = np.zeros_like(difference), np.full_like(difference, _FURTHEST)
    for _ in range(_HALVINGS):
        middle = (excluding + covering) / 2
        limits = limits_at(middle)
        excludes = (limits.low > 0) | (limits.high < 0)
        excluding, covering = np.where(excludes, middle, excluding), np.where(excludes, covering, middle)
    return np.where(np.isnan(difference), np.nan, 2 * special.ndtr(-excluding))


def or_none(value: float) -> float | None:
    """Return a figure, or None where it does not exist."""
    return float(value) if np.isfinite(value) else None
