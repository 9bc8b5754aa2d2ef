"""Differences of two estimated shares, of one question, two questions or two groups, with a test for none.

The interval is by variance recovery (MOVER) from the Wilson limits of the two shares. For equal designs and enough
reports f₁ = f₂ is λ₁ = λ₂, and the ordinary test of two rates is valid; in all other cases the p-value is the error
probability at which the interval just reaches 0, so that test and interval agree. The test of a difference divided by
its standard error would reject too often there: docs/estimation.md has the sizes.

References: R. G. Newcombe (1998); G. Y. Zou, A. Donner (2008).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from hushpoll_server.estimate.combine import Combined, covariances, level_of, tally_of
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.shares import share_limits
from hushpoll_server.estimate.support import Figures, Tally, clamp

# With fewer reports expected in a cell the ordinary test of two rates is not trusted (Cochran's rule).
FEWEST_EXPECTED = 5
# A smaller error probability cannot be told from 0 in a level.
_LEAST_P_VALUE = 1e-12
_HALVINGS = 32


def difference(result: Result, first: str, second: str, *, level: float | None = None) -> Combined:
    """Return how much larger the first share of one question is than the second."""
    level, tally = level_of(result, level), tally_of(result, (first, second))
    covariance = float(covariances(result, (first, second)).low[0, 1])
    return _Difference(tally.of(np.array([0])), tally.of(np.array([1])), covariance).combined(level)


def difference_between(
    first: Result,
    first_name: str,
    second: Result,
    second_name: str,
    *,
    same_people: bool = False,
    level: float | None = None,
) -> Combined:
    """Return how much larger a share is in one group or question than in another.

    Two groups of different people are independent. Two questions to the `same_people` are not, because their true
    answers may be associated; the counts do not show how strongly, so the worst case is assumed.
    """
    level = level_of(first, level)
    one, other = first.tally(first_name), second.tally(second_name)
    if not same_people:
        return _Difference(one, other, 0.0).combined(level)
    # Fréchet: Cov(x, y) ≥ max(0, f + g - 1) - f g; at most min(n₁, n₂) people are in both, and n₁₂/(n₁ n₂) ≤ 1/max
    f, g = float(clamp(one.share)[0]), float(clamp(other.share)[0])
    least = (max(0.0, f + g - 1) - f * g) / max(int(one.n[0]), int(other.n[0]))
    return _Difference(replace(one, population=None), replace(other, population=None), least).combined(level)


def difference_with(first: Tally, second: Tally, covariance: float, *, level: float) -> Combined:
    """Return how much larger one share is than another, each of one cell, if their estimates have this covariance."""
    return _Difference(first, second, covariance).combined(level)


@dataclass(frozen=True, eq=False)
class _Difference:
    """Two shares, each of one cell, and the covariance of their estimates."""

    first: Tally
    second: Tally
    covariance: float

    @cached_property
    def estimate(self) -> float:
        return float((self.first.share - self.second.share)[0])

    def combined(self, level: float) -> Combined:
        """Return the difference with its interval and the test."""
        low, high = self.limits(level)
        squared = float((self.first.standard_error() ** 2 + self.second.standard_error() ** 2)[0]) - 2 * self.covariance
        return Combined(
            estimate=self.estimate,
            se=math.sqrt(max(0.0, squared)),
            low=low,
            high=high,
            level=level,
            method="newcombe",
            p_value=self.p_value(),
        )

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits by variance recovery; without covariance and with equal designs they are Newcombe's."""
        one, other = (share_limits(tally, level, "wilson") for tally in (self.first, self.second))
        f, g = self.first.share, self.second.share
        return (
            self.estimate - self._reach(f - one.low, other.high - g),
            self.estimate + self._reach(one.high - f, g - other.low),
        )

    def p_value(self) -> float:
        """Return the p-value of the test that there is no difference."""
        return self._pooled_p_value() if self._is_ordinary else self._inverted_p_value()

    @property
    def _is_ordinary(self) -> bool:
        one, other = self.first, self.second
        if self.covariance or one.design != other.design or one.population is not None or other.population is not None:
            return False
        rarer = min(self._pooled_rate, 1 - self._pooled_rate)
        return bool(rarer * min(one.n[0], other.n[0]) >= FEWEST_EXPECTED)

    @property
    def _pooled_rate(self) -> float:
        one, other = self.first, self.second
        return float(((one.count + other.count) / (one.n + other.n))[0])

    def _pooled_p_value(self) -> float:
        rate, one, other = self._pooled_rate, self.first, self.second
        error = np.sqrt(rate * (1 - rate) * (1 / one.n + 1 / other.n)) / one.design.gap
        return 2 * float(special.ndtr(-abs(self.estimate) / error)[0])

    def _inverted_p_value(self) -> float:
        excluding, covering = 1.0, _LEAST_P_VALUE
        for _ in range(_HALVINGS):
            middle = math.sqrt(excluding * covering)
            low, high = self.limits(1 - middle)
            excluding, covering = (middle, covering) if low > 0 or high < 0 else (excluding, middle)
        return excluding

    def _reach(self, one: Figures, other: Figures) -> float:
        # √(a² + b² - 2 r a b): Zou and Donner 2008, Newcombe 1998 for r = 0
        errors = math.sqrt(self.first.variance()[0] * self.second.variance()[0])
        r = float(np.clip(self.covariance / errors, -1, 1)) if errors > 0 else 0.0
        return math.sqrt(max(0.0, float((one * one + other * other - 2 * r * one * other)[0])))
