"""How many people to ask: the figures of estimation.md, and the properties of the smallest n."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hushpoll_server.mechanisms.variance import MeanVariance, ShareVariance
from hushpoll_server.plan.sizes import MarginGoal, PlanError, PowerGoal, Sample, power, smallest_n

SAMPLE = Sample()
DIRECT = ShareVariance(0.0)


def warner(odds: float) -> ShareVariance:
    return ShareVariance(odds / (odds - 1) ** 2)


@pytest.mark.parametrize(
    ("epsilon", "n"),
    [(4, 414), (3, 469), (2, 663), (math.log(3), 1537), (1, 1799), (0.5, 6405), (0.25, 24842)],
)
def test_five_points_take_as_many_respondents_as_the_table_says(epsilon: float, n: int) -> None:
    assert smallest_n(warner(math.exp(epsilon)), MarginGoal(SAMPLE, 0.05)) == n


def test_five_points_take_385_respondents_without_privacy() -> None:
    assert smallest_n(DIRECT, MarginGoal(SAMPLE, 0.05)) == 385


@pytest.mark.parametrize("population", [None, 5000])
@pytest.mark.parametrize("share", [None, 0.1])
def test_one_respondent_fewer_misses_the_goal(population: int | None, share: float | None) -> None:
    sample = Sample(0.9, population, share)
    n = smallest_n(warner(3), MarginGoal(sample, 0.04))
    assert sample.margin(warner(3), n) <= 0.04 < sample.margin(warner(3), n - 1)


@pytest.mark.parametrize("n", [1, 2, 3, 64, 1537, 10**9])
def test_the_margin_of_n_respondents_takes_n_respondents(n: int) -> None:
    assert smallest_n(warner(3), MarginGoal(SAMPLE, SAMPLE.margin(warner(3), n))) == n


def test_asking_everybody_leaves_the_variance_of_the_randomizing() -> None:
    sample = Sample(population=400)
    assert sample.margin(DIRECT, 400) == 0
    # z·√(V/N) with V = 3/4
    assert sample.margin(warner(3), 400) == pytest.approx(1.959964 * math.sqrt(0.75 / 400), rel=1e-6)


def test_the_margin_in_a_population_is_that_of_sampling_without_replacement() -> None:
    # Seeded: 20,000 surveys of 60 out of 100 people, 50 of whom say yes; the standard deviation of a standard error
    # estimated from this many is 0.5 %, so 5 % is ten of them.
    random = np.random.default_rng(1)
    yes = random.hypergeometric(50, 50, 60, 20_000)
    reports = random.binomial(yes, 0.75) + random.binomial(60 - yes, 0.25)
    error = np.std((reports / 60 - 0.25) / 0.5)
    assert Sample(population=100).margin(warner(3), 60) / 1.959964 == pytest.approx(error, rel=0.05)


def test_a_population_that_is_too_small_is_refused_with_the_cure() -> None:
    with pytest.raises(PlanError, match=r"even if all 500 people answer.*±0\.0759: raise epsilon"):
        smallest_n(warner(3), MarginGoal(Sample(population=500), 0.05))


def test_more_respondents_than_anybody_can_ask_are_refused() -> None:
    with pytest.raises(PlanError, match="takes more than 1,000,000,000,000,000 respondents: raise epsilon"):
        smallest_n(warner(3), MarginGoal(SAMPLE, 1e-9))


def test_a_mean_without_privacy_is_worst_when_all_are_at_the_ends() -> None:
    # z²·20²/h² for answers 0 and 40
    assert smallest_n(MeanVariance((1.0, 1.0), 20.0), MarginGoal(SAMPLE, 1.0)) == math.ceil(1.959964**2 * 400)


def test_the_power_is_that_of_the_test_carried_out() -> None:
    # Seeded: 40,000 tests at share 0.6 against 0.5; the standard error of the rate is 0.0025, and 0.02 is eight.
    random, n = np.random.default_rng(2), 400
    rates = random.binomial(n, 0.25 + 0.6 * 0.5, 40_000) / n
    found = np.abs((rates - 0.25) / 0.5 - 0.5) > 1.959964 * math.sqrt(0.25 / n) / 0.5
    assert power(warner(3), SAMPLE, 0.1, n) == pytest.approx(float(found.mean()), abs=0.02)


@pytest.mark.parametrize("wanted", [0.2, 0.8, 0.99])
def test_the_smallest_n_for_a_power_is_exact(wanted: float) -> None:
    sample = Sample(share=0.1)
    n = smallest_n(warner(3), PowerGoal(sample, 0.05, wanted))
    assert power(warner(3), sample, 0.05, n - 1) < wanted <= power(warner(3), sample, 0.05, n)


def test_the_power_for_a_mean_is_that_of_its_worst_answers() -> None:
    # ((1.959964 + 0.841621)·σ/D)² with σ = 2 and D = 0.1; the other tail is negligible here.
    assert smallest_n(MeanVariance((4.0, 4.0)), PowerGoal(SAMPLE, 0.1, 0.8)) == 3140


def test_both_tails_count_toward_the_power() -> None:
    # Without a difference the test detects one as often as its level allows.
    assert power(warner(3), SAMPLE, 0.0, 100) == pytest.approx(0.05)


def test_a_census_without_privacy_finds_every_difference() -> None:
    assert power(DIRECT, Sample(population=100), 0.01, 100) == 1
