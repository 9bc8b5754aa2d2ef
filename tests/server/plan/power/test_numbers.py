"""The power of tests of means and slopes: published values, closed forms, SciPy's quad, and simulated regressions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from hushpoll_server.estimate.regression.logistic import logistic_regression
from hushpoll_server.estimate.yes_no_designs import forced, kuk
from hushpoll_server.mechanisms import Bound
from hushpoll_server.plan.choose import choose_mechanism
from hushpoll_server.plan.power.case import chi_square_power
from hushpoll_server.plan.power.numbers import MeanCase, SlopeCase, noise_of
from hushpoll_server.plan.questions import make_type
from hushpoll_server.plan.sizes import PlanError

WARNER, DIRECT = forced("1/2", "1/2").support, kuk(1, 0).support


def test_means_of_direct_answers_have_the_published_powers_and_sizes() -> None:
    # R, help of power.t.test: n = 20, delta = 1 has a power of .8689528; for .90 it takes 22.02.
    assert MeanCase(difference=1.0, sd=1.0).at(20).power == pytest.approx(0.8689528, abs=1e-6)
    assert MeanCase(difference=-1.0, sd=1.0).smallest(0.9).n == (23, 23)
    # statsmodels, TTestIndPower: an effect of .5 with a power of .8 takes 63.77; twice as many in one group, 47.7.
    assert MeanCase(difference=0.5, sd=1.0).smallest(0.8).n == (64, 64)
    assert MeanCase(difference=0.5, sd=1.0, ratio=2.0).smallest(0.8).n == (48, 96)


def test_means_follow_the_noncentral_law_of_student() -> None:
    case = MeanCase(difference=0.7, sd=1.5, noise=2.0, ratio=1.5, alpha=0.01)
    for n in (2, 10, 200, 30_000):
        first, second = case.sizes(n)
        degrees, away = first + second - 2, 0.7 / (2.5 * math.sqrt(1 / first + 1 / second))
        reach = stats.t.isf(0.005, degrees)
        wanted = stats.nct.sf(reach, degrees, away) + stats.nct.cdf(-reach, degrees, away)
        assert case.at(n).power == pytest.approx(wanted, abs=1e-8)
    assert case.at(10**6).power == pytest.approx(1)


def test_one_person_in_each_group_is_no_test() -> None:
    assert MeanCase(difference=5.0, sd=1.0).at(1).power == 0


def test_the_noise_is_the_worst_that_the_mechanism_adds() -> None:
    type_, bound = make_type("number", {"min": "0", "max": "10"}), Bound.of_epsilon("1")
    design, noise = choose_mechanism(type_, bound).design, noise_of(type_, bound)
    unit = 10 / design.steps  # type: ignore[attr-defined]
    exact = [float(design.moment(row, 2)) - row**2 for row in range(design.inputs)]  # type: ignore[attr-defined]
    assert noise == pytest.approx(math.sqrt(max(exact)) * unit)


def test_a_direct_binary_covariate_has_the_closed_form() -> None:
    case = SlopeCase(share=0.3, odds_ratio=2.0, design=DIRECT, covariate_share=0.2)
    g = 6 / 13
    assert case.unit_variance == pytest.approx(1 / (0.2 * g * (1 - g)) + 1 / (0.8 * 0.3 * 0.7))


@pytest.mark.parametrize(("ratio", "share"), [(2.0, 0.3), (0.2, 0.5), (50.0, 0.05)])
def test_a_normal_covariate_has_the_information_of_scipys_integral(ratio: float, share: float) -> None:
    case = SlopeCase(share=share, odds_ratio=ratio, design=WARNER, covariate="normal")

    def weight(x: float, power: int) -> float:
        g = float(special.expit(special.logit(share) + math.log(ratio) * x))
        rate = 0.25 + 0.5 * g
        return float(stats.norm.pdf(x) * x**power * (0.5 * g * (1 - g)) ** 2 / (rate * (1 - rate)))

    a, b, c = (integrate.quad(weight, -12, 12, args=(power,), epsabs=1e-14, limit=200)[0] for power in range(3))
    assert case.unit_variance == pytest.approx(np.linalg.inv([[a, b], [b, c]])[1, 1], rel=1e-9)


def test_the_likelihood_ratio_of_a_binary_covariate_is_that_of_a_table() -> None:
    case = SlopeCase(share=0.3, odds_ratio=2.0, design=WARNER, statistic="likelihood_ratio")
    rates = np.array([0.4, 0.25 + 0.5 * 6 / 13])
    table = np.stack((rates, 1 - rates)) / 2
    wanted = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    assert case.unit_noncentrality == pytest.approx(wanted)
    assert case.at(1000).power == pytest.approx(chi_square_power(1000 * wanted, 1, 0.05))
    assert case.at(1000).method == "noncentral χ²"


def test_simulated_regressions_find_a_slope_as_often_as_planned() -> None:
    wald, ratio = (
        SlopeCase(share=0.3, odds_ratio=1.5, design=WARNER, covariate="normal", statistic=statistic)
        for statistic in ("wald", "likelihood_ratio")
    )
    rng, n, times, found = np.random.default_rng(12), 1500, 150, np.zeros(2)
    for _ in range(times):
        x = rng.normal(size=n)
        rate = 0.25 + 0.5 * special.expit(special.logit(0.3) + math.log(1.5) * x)
        fit = logistic_regression(rng.random(n) < rate, {"x": x}, WARNER)
        assert fit.slopes_test is not None
        found += [fit.coefficient("x").p_value < 0.05, fit.slopes_test.p_value < 0.05]
    # Four standard errors of 150 surveys, and what the approximations are off by (docs/statistics/power.md).
    assert found / times == pytest.approx([wald.at(n).power, ratio.at(n).power], abs=4 * 0.029 + 0.03)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: MeanCase(difference=1.0, sd=0.0), "not a positive number"),
        (lambda: MeanCase(difference=math.inf, sd=1.0), "finite"),
        (lambda: SlopeCase(share=0.0, odds_ratio=2.0, design=WARNER), "above 0 and below 1"),
        (lambda: SlopeCase(share=0.3, odds_ratio=0.0, design=WARNER), "odds ratio"),
        (lambda: SlopeCase(share=0.3, odds_ratio=1.0, design=WARNER).smallest(0.8), "nothing to find"),
        (lambda: noise_of(make_type("yes_no", {}), Bound.of_epsilon("1")), "no mean"),
    ],
)
def test_what_cannot_be_planned_is_refused_with_the_cure(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(PlanError, match=says):
        make()
