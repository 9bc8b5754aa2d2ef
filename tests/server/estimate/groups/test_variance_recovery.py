"""Variance recovery: ratios against the limits of differences, whatever the signs; p-values against their limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from hushpoll_server.estimate.groups.variance_recovery import Compared, p_values
from hushpoll_server.estimate.intervals import Limits


def limit(x: float, y: float, t: float, own: float, other: float, r: float, sign: int) -> float:
    """Return a limit of x - t y by variance recovery."""
    return x - t * y + sign * math.sqrt(max(0.0, own**2 + (t * other) ** 2 - 2 * r * t * own * other))


def test_the_limits_of_a_ratio_enclose_all_for_which_the_limits_of_the_difference_enclose_0() -> None:
    # Seeded: 300 pairs, some of them negative, with limits of any width.
    rng = np.random.default_rng(8)
    for _ in range(300):
        x, y, r = rng.uniform(-0.6, 1.2), rng.uniform(0.1, 1), rng.uniform(-0.6, 0.6)
        (below, above), down, up = rng.uniform(0.01, 0.5, 2), rng.uniform(0.01, 0.95) * y, rng.uniform(0.01, 1.5)
        one = Limits(np.array([x - below]), np.array([x + above]))
        other = Limits(np.array([y - down]), np.array([y + up]))
        found = Compared(np.array([x]), np.array([y]), one, other, np.array([r])).ratio()
        low, high = float(found.low[0]), float(found.high[0])
        assert low < x / y < high
        assert limit(x, y, low, below, up if low >= 0 else down, r, -1) == pytest.approx(0, abs=1e-9 * (1 + abs(low)))
        assert limit(x, y, high, above, down if high >= 0 else up, r, 1) == pytest.approx(0, abs=1e-9 * (1 + abs(high)))
        for beyond in np.geomspace(1e-6, 1e3, 30):
            t = low - beyond
            assert limit(x, y, t, below, up if t >= 0 else down, r, -1) > 0
            t = high + beyond
            assert limit(x, y, t, above, down if t >= 0 else up, r, 1) < 0


def test_a_second_figure_that_could_be_0_or_does_not_exist_gives_no_ratio() -> None:
    one, nan = Limits(np.array([0.1, 0.1]), np.array([0.3, 0.3])), np.nan
    other = Limits(np.array([-0.1, nan]), np.array([0.5, nan]))
    figures = np.array([0.2, 0.2]), np.array([0.2, 0.2])
    limits = Compared(*figures, one, other, np.zeros(2)).ratio()
    assert np.isnan([*limits.low, *limits.high]).all()


def test_the_p_value_of_normal_limits_is_that_of_the_normal_test() -> None:
    gaps, error = np.array([0.0, 0.5, -2.0, np.nan]), 0.7
    found = p_values(gaps, lambda z: Limits(gaps - z * error, gaps + z * error))
    assert found[:3] == pytest.approx(2 * special.ndtr(-np.abs(gaps[:3]) / error), rel=1e-9)
    assert np.isnan(found[3])
