"""Limits of ratios: against roots that are searched for, Wilson's limits, and where the denominator could be 0."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from hushpoll_server.estimate.intervals import normal_quantile, wilson
from hushpoll_server.estimate.ratios import Spread, fieller_limits, share_among_limits

Z = normal_quantile(0.95)


def spread(top: float, both: float, bottom: float) -> Spread:
    return Spread(np.array(top), np.array(both), np.array(bottom))


@pytest.mark.parametrize(("a", "b", "v"), [(0.3, 0.5, (0.01, 0.004, 0.006)), (-0.02, 0.2, (0.001, -0.0004, 0.0009))])
def test_fiellers_limits_are_where_the_test_just_rejects(a: float, b: float, v: tuple[float, float, float]) -> None:
    limits = fieller_limits(np.array(a), np.array(b), spread(*v), Z)

    def excess(t: float) -> float:
        return (a - t * b) ** 2 - Z**2 * (v[0] - 2 * t * v[1] + t * t * v[2])

    for limit, far in ((float(limits.low), -50.0), (float(limits.high), 50.0)):
        assert limit == pytest.approx(optimize.brentq(excess, a / b, far, xtol=1e-14), abs=1e-9)


def test_a_denominator_that_could_be_0_gives_no_limits() -> None:
    for b in (0.1, 0.0, -0.3):
        limits = fieller_limits(np.array(0.05), np.array(b), spread(0.01, 0.0, 0.01), Z)
        assert math.isnan(limits.low)
        assert math.isnan(limits.high)


def test_without_randomizing_a_share_among_some_has_wilsons_limits() -> None:
    for holders, people in ((0, 12), (3, 12), (12, 12), (40, 90)):
        known = wilson(holders, people, 0.95)
        found = share_among_limits(np.array(holders / 500), np.array(people / 500), spread(0, 0, 0), 500, Z)
        assert (float(found.low), float(found.high)) == pytest.approx((float(known.low), float(known.high)), abs=1e-12)


@pytest.mark.parametrize("share", [-0.2, 0.0, 0.04, 0.5, 0.97, 1.0, 1.3])
@pytest.mark.parametrize("size", [0.05, 0.8])
def test_a_share_among_some_is_rejected_just_outside_its_limits_and_nowhere_inside(share: float, size: float) -> None:
    n, b, noise = 400, 0.4, spread(size, 0.3 * size, 0.7 * size)
    limits = share_among_limits(np.array(share * b), np.array(b), noise, n, Z)

    def rejects(t: float) -> bool:
        answers = b * t * (1 - t) if 0 <= t <= 1 else 0.0
        variance = size - 2 * t * 0.3 * size + t * t * 0.7 * size + answers
        return (share * b - t * b) ** 2 > Z**2 * variance / n

    low, high = float(limits.low), float(limits.high)
    assert not any(rejects(t) for t in np.linspace(low + 1e-9, high - 1e-9, 301))
    assert all(rejects(t) for t in (low - 1e-6, high + 1e-6, low - 1, high + 1))
