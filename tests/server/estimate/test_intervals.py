"""Binomial intervals against independent definitions, and their coverage by exact enumeration."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import optimize, stats

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import Interval, Limits, clopper_pearson, wald, wilson

Rule = Callable[[int, int, float], Limits]
RULES: tuple[Rule, ...] = (wald, wilson, clopper_pearson)
COUNTS = [
    (0, 1),
    (1, 1),
    (0, 30),
    (1, 30),
    (13, 30),
    (29, 30),
    (30, 30),
    (3, 1000),
    (400, 1000),
    (40_000, 100_000),
]
EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0)
# The grid of the published table. The worst case depends on the grid: over the whole of
# [0, 1] in 121 steps Wald's at n = 100 is .835; Clopper-Pearson alone has a floor.
SHARES = np.linspace(0, 0.3, 121)


@pytest.mark.parametrize(("count", "n"), COUNTS)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_exact_limits_leave_half_of_the_error_in_each_tail(count: int, n: int, level: float) -> None:
    interval, tail = clopper_pearson(count, n, level), (1 - level) / 2
    low = bisect(lambda rate: stats.binom.sf(count - 1, n, rate) - tail) if count else 0.0
    high = bisect(lambda rate: stats.binom.cdf(count, n, rate) - tail) if count < n else 1.0
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(("count", "n"), COUNTS)
def test_wilson_limits_are_where_the_score_test_rejects(count: int, n: int) -> None:
    interval, rate, z = wilson(count, n, 0.95), count / n, stats.norm.ppf(0.975)
    roots = np.sort(np.roots([1 + z * z / n, -2 * rate - z * z / n, rate * rate]).real)
    assert (interval.low, interval.high) == pytest.approx(tuple(roots), abs=1e-9)


def test_wald_is_the_estimate_and_its_margin() -> None:
    interval = wald(400, 1000, 0.9)
    margin = stats.norm.ppf(0.95) * math.sqrt(0.4 * 0.6 / 1000)
    assert (interval.low, interval.high) == pytest.approx((0.4 - margin, 0.4 + margin))


@pytest.mark.parametrize("count", [0, 1, 5, 250_000_000, 10**9 - 1, 10**9])
def test_a_thousand_million_reports_are_no_obstacle(count: int) -> None:
    n = 10**9
    exact, score = clopper_pearson(count, n, 0.95), wilson(count, n, 0.95)
    assert 0 <= exact.low <= count / n <= exact.high <= 1
    assert exact.low < exact.high
    assert (score.low, score.high) == pytest.approx((float(exact.low), float(exact.high)), abs=2e-9)


def test_without_support_the_limits_start_at_zero_and_keep_their_width() -> None:
    # P(Bin(30, high) = 0) = 0.025
    none, every = clopper_pearson(0, 30, 0.95), clopper_pearson(30, 30, 0.95)
    assert (none.low, none.high) == pytest.approx((0.0, 1 - 0.025 ** (1 / 30)), abs=1e-12)
    assert (every.low, every.high) == pytest.approx((0.025 ** (1 / 30), 1.0), abs=1e-12)
    assert (float(wilson(0, 30, 0.95).low), float(wilson(30, 30, 0.95).high)) == (0.0, 1.0)


def test_limits_out_of_order_are_refused() -> None:
    with pytest.raises(EstimateError, match="not in order"):
        Interval(0.2, 0.1)


@pytest.mark.parametrize(
    ("n", "wald_worst", "wilson_worst", "exact_worst"),
    [(30, 0.420, 0.899, 0.951), (100, 0.803, 0.933, 0.950), (1000, 0.931, 0.944, 0.950)],
)
def test_worst_coverage_is_the_published_one(
    n: int, wald_worst: float, wilson_worst: float, exact_worst: float
) -> None:
    worst = [min(coverage(rule, n, epsilon).min() for epsilon in EPSILONS) for rule in RULES]
    assert worst == pytest.approx([wald_worst, wilson_worst, exact_worst], abs=5.1e-4)
    assert worst[2] >= 0.95


@given(st.integers(1, 10_000), st.floats(0, 1), st.floats(0.01, 0.999), st.sampled_from(RULES))
def test_interval_contains_the_rate(n: int, part: float, level: float, rule: Rule) -> None:
    count = round(part * n)
    interval = rule(count, n, level)
    assert interval.low <= count / n <= interval.high


@given(
    st.integers(2, 10_000),
    st.floats(0, 1),
    st.floats(0.5, 0.999),
    st.sampled_from((wilson, clopper_pearson)),
)
def test_limits_rise_with_the_count(n: int, part: float, level: float, rule: Rule) -> None:
    count = round(part * (n - 1))
    fewer, more = rule(count, n, level), rule(count + 1, n, level)
    assert fewer.low < more.low
    assert fewer.high < more.high


@given(
    st.integers(1, 10_000),
    st.floats(0, 1),
    st.floats(0.01, 0.98),
    st.floats(0.001, 0.019),
    st.sampled_from(RULES),
)
def test_a_higher_level_gives_a_wider_interval(n: int, part: float, level: float, more: float, rule: Rule) -> None:
    inner, outer = rule(round(part * n), n, level), rule(round(part * n), n, level + more)
    assert outer.low <= inner.low
    assert inner.high <= outer.high


def bisect(excess: Callable[[float], float]) -> float:
    """Return the rate at which a tail probability is reached."""
    return float(optimize.bisect(excess, 1e-15, 1 - 1e-15, xtol=1e-13))


def coverage(rule: Rule, n: int, epsilon: float) -> NDArray[np.float64]:
    """Return the chance, at each share, that the interval contains the rate of Warner's design."""
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    rates = (1 - p + SHARES * (2 * p - 1))[:, np.newaxis]
    limits = np.array([(interval.low, interval.high) for interval in (rule(c, n, 0.95) for c in range(n + 1))])
    chances = stats.binom.pmf(np.arange(n + 1), n, rates)
    held = (limits[:, 0] <= rates) & (rates <= limits[:, 1])
    return np.asarray((chances * held).sum(axis=1))
