"""Limits for the mean of reported values: Clopper and Pearson's with two of them, the normal ones with many reports."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

from hushpoll_server.estimate.intervals import clopper_pearson
from hushpoll_server.estimate.numbers.gaffke import gaffke_high, gaffke_limits, ratio_high
from hushpoll_server.estimate.support import Figures

TWO = np.array([[0.0], [1.0]])


def two_counts(n: int) -> Figures:
    """Return all counts of two values, a column for each."""
    ones = np.arange(n + 1.0)
    return np.stack((n - ones, ones))


@pytest.mark.parametrize("n", [1, 2, 5, 30, 1000])
def test_without_noise_two_values_have_clopper_pearsons_limits(n: int) -> None:
    limits, exact = gaffke_limits(TWO, two_counts(n), np.eye(2), 0.95), clopper_pearson(np.arange(n + 1), n, 0.95)
    # The tail is approximated to some hundredths of itself.
    assert np.abs(limits.low - exact.low).max() < 0.003
    assert np.abs(limits.high - exact.high).max() < 0.003
    assert limits.low[0] == pytest.approx(0, abs=1e-12)
    assert limits.high[-1] == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("p", [0.55, 0.75, 0.98])
def test_the_added_respondents_report_is_divided_as_the_design_divides_it(p: float) -> None:
    n, chances = 40, np.array([[p, 1 - p], [1 - p, p]])
    ones = np.arange(n + 1)
    limits = gaffke_limits(TWO, two_counts(n), chances, 0.9)
    assert limits.high == pytest.approx(stats.beta.ppf(0.95, ones + p, n - ones + 1 - p), abs=0.003)
    assert limits.low == pytest.approx(stats.beta.ppf(0.05, ones + 1 - p, n - ones + p), abs=0.003)


@pytest.mark.parametrize("n", [1, 3, 10, 100])
def test_more_values_have_the_quantile_of_their_random_weights(n: int) -> None:
    random = np.random.default_rng(n)
    for _ in range(5):
        values = random.normal(size=6)
        counts = random.multinomial(n, random.dirichlet(np.ones(6))).astype(float)
        high = float(gaffke_high(values[:, np.newaxis], counts[:, np.newaxis], np.eye(6), 0.025)[0])
        added = counts + (values == values.max())
        if (added > 0).sum() > 1:
            assert chance_above(high, values, added) == pytest.approx(0.025, rel=0.07)


def chance_above(mean: float, values: Figures, weights: Figures) -> float:
    """Return P(Σ w v > mean) for Dirichlet weights, by Gil-Pelaez's inversion: the sign of Σ c (v − m) G."""
    seen = weights > 0
    distance, shapes = values[seen] - mean, weights[seen]
    scale = math.sqrt(float(shapes @ distance**2))

    def integrand(logarithm: float) -> float:
        u = math.exp(logarithm) / scale
        angle = float(shapes @ np.arctan(u * distance))
        return math.sin(angle) * math.exp(-float(shapes @ np.log1p((u * distance) ** 2)) / 2)

    area, _ = integrate.quad(integrand, -30, 60, limit=500, epsabs=1e-9)
    return 0.5 + area / math.pi


def test_many_reports_have_normal_limits() -> None:
    values, rates = np.array([-3.0, 0.0, 1.0, 4.0]), np.array([0.1, 0.5, 0.3, 0.1])
    counts = 10**6 * rates
    limits = gaffke_limits(values[:, np.newaxis], counts[:, np.newaxis], np.eye(4), 0.95)
    mean, spread = float(rates @ values), math.sqrt(float(rates @ values**2) - float(rates @ values) ** 2)
    half = stats.norm.ppf(0.975) * spread / 1000
    assert (limits.low[0], limits.high[0]) == pytest.approx((mean - half, mean + half), rel=2e-3)


def test_rare_values_that_nobody_has_reported_are_allowed_for() -> None:
    # With 30 reports of 0, a share of 1 − .025^(1/30) at the top is not rejected.
    values, counts = np.array([[0.0], [0.5], [1.0]]), np.array([[30.0], [0.0], [0.0]])
    high = float(gaffke_high(values, counts, np.eye(3), 0.025)[0])
    assert high == pytest.approx(1 - 0.025 ** (1 / 30), abs=0.002)


def test_noise_that_nobody_can_cause_does_not_widen_the_limits() -> None:
    # Far outputs are possible, but with a chance of a millionth, whatever the answer is.
    values = np.array([[-1000.0], [0.0], [1.0], [1000.0]])
    chances = np.array([[1e-6, 0.75, 0.25, 1e-6], [1e-6, 0.25, 0.75, 1e-6]])
    counts = np.array([[0.0], [60.0], [40.0], [0.0]])
    wide, near = (gaffke_limits(values[part], counts[part], chances[:, part], 0.95) for part in (slice(4), slice(1, 3)))
    assert (wide.low[0], wide.high[0]) == pytest.approx((near.low[0], near.high[0]), abs=1e-3)


def test_every_column_is_a_sample_of_its_own() -> None:
    random = np.random.default_rng(4)
    values, counts = random.normal(size=(5, 3)), random.integers(0, 20, size=(5, 3)).astype(float)
    together = gaffke_limits(values, counts, np.eye(5), 0.8)
    for column in range(3):
        alone = gaffke_limits(values[:, [column]], counts[:, [column]], np.eye(5), 0.8)
        assert (together.low[column], together.high[column]) == (alone.low[0], alone.high[0])


@pytest.mark.parametrize("n", [5, 30, 100])
def test_no_bounded_law_is_found_that_is_missed_too_often(n: int) -> None:
    # Gaffke's conjecture: each limit is too short for at most 2.5 % of the surveys. Seeded; 4,000 surveys of each law
    # have a standard error of .25 points, and the worst of 40 laws may be three of them off.
    random = np.random.default_rng(n)
    for _ in range(40):
        size = int(random.integers(2, 6))
        values = np.concatenate(([0.0, 1.0], random.beta(0.3, 0.3, size=size - 2)))
        law = random.dirichlet(np.full(size, 0.3))
        surveys, times = np.unique(random.multinomial(n, law, size=4000), axis=0, return_counts=True)
        high = gaffke_high(values[:, np.newaxis], surveys.T.astype(float), np.eye(size), 0.025)
        assert float(times[high < law @ values].sum()) / 4000 <= 0.025 + 3 * math.sqrt(0.025 * 0.975 / 4000)


def test_a_ratio_is_rejected_where_the_difference_is() -> None:
    random = np.random.default_rng(6)
    numerator, denominator = random.normal(size=(6, 4)), np.array([[1.2, 1.1, 1.0, 0.9, -0.2, 0.8]]).T
    counts, chances = random.integers(5, 60, size=(6, 1)).astype(float), random.dirichlet(np.full(6, 5), size=4)
    ratio = ratio_high(numerator, denominator, counts, chances, 0.025, far=50)
    assert gaffke_high(numerator - ratio * denominator, counts, chances, 0.025) == pytest.approx(0, abs=1e-6)


def test_a_ratio_whose_denominator_may_be_zero_has_no_limit() -> None:
    numerator, denominator = np.array([[1.0], [0.0]]), np.array([[1.0], [-1.0]])
    counts = np.array([[3.0], [2.0]])
    assert ratio_high(numerator, denominator, counts, np.eye(2), 0.025, far=50)[0] == math.inf


def test_the_chance_that_is_compared_with_is_itself_right() -> None:
    # With two values the weight of the larger is a beta variable.
    weights = np.array([12.0, 5.0])
    assert chance_above(0.4, np.array([0.0, 1.0]), weights) == pytest.approx(special.betaincc(5, 12, 0.4), abs=1e-7)
    median = optimize.brentq(lambda m: chance_above(m, np.array([0.0, 1.0]), weights) - 0.5, 0.1, 0.6)
    assert median == pytest.approx(stats.beta.median(5, 12), abs=1e-7)
