"""Logistic regression behind a design: the likelihood's own figures, and no figure where it has none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special
from tests.server.estimate.regressions import Numbers, simulated, warner

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.regression.fisher_scoring import highest
from hushpoll_server.estimate.regression.logistic import LogisticRegression, likelihood_ratio_test, logistic_regression
from hushpoll_server.estimate.regression.model_matrix import ModelMatrix
from hushpoll_server.estimate.regression.predictions import average_effects, predicted_share
from hushpoll_server.estimate.regression.randomized_outcome import RandomizedOutcome
from hushpoll_server.estimate.regression.results import wald_test
from hushpoll_server.estimate.support import SupportDesign

DESIGN = SupportDesign(0.8, 0.3)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20)


def independent_fit(y: Numbers, matrix: Numbers, p: Numbers, q: Numbers) -> tuple[Numbers, float, Numbers]:
    """Return the top of the likelihood by a general optimizer, with the matrix of its numerical second derivatives."""

    def height(b: Numbers) -> float:
        rate = q + (p - q) / (1 + np.exp(-(matrix @ b)))
        return float(-(y * np.log(rate) + (1 - y) * np.log(1 - rate)).sum())

    found = optimize.minimize(height, np.zeros(matrix.shape[1]), method="Nelder-Mead", options={"maxiter": 4000})
    b = optimize.minimize(height, found.x, method="BFGS", options={"gtol": 1e-6}).x
    steps = 1e-4 * np.eye(len(b))
    curves = [
        [(height(b + i + j) - height(b + i - j) - height(b - i + j) + height(b - i - j)) / 4e-8 for j in steps]
        for i in steps
    ]
    return b, -height(b), np.array(curves)


def test_the_fit_is_that_of_a_general_optimizer_row_by_row_design_included(rng: np.random.Generator) -> None:
    n = 800
    designs = [warner(1.0) if place % 2 else DESIGN for place in range(n)]
    p, q = np.array([each.p for each in designs]), np.array([each.q for each in designs])
    x, z = rng.normal(size=n), rng.integers(0, 2, n)
    answers = rng.random(n) < special.expit(-0.3 + 0.9 * x - 0.8 * z)
    y = (rng.random(n) < np.where(answers, p, q)).astype(float)
    b, height, curves = independent_fit(y, np.column_stack([np.ones(n), x, z]), p, q)
    fit = logistic_regression(y, {"x": x, "z": z}, designs, standard_errors="observed")
    assert fit.estimates == pytest.approx(b, abs=1e-4)
    assert fit.log_likelihood == pytest.approx(height, abs=1e-7)
    assert fit.covariance == pytest.approx(np.linalg.inv(curves), rel=1e-3)


@pytest.mark.parametrize("design", [DESIGN, SupportDesign(0.2, 0.9), warner(0.5)])
def test_score_and_information_are_the_derivatives(rng: np.random.Generator, design: SupportDesign) -> None:
    outcome = RandomizedOutcome.of(rng.integers(0, 2, 50), design)
    at, step = rng.normal(size=50), 1e-4
    up, here, down = (np.log(outcome.chance(at + move)) for move in (step, 0, -step))
    assert outcome.slopes(at) == pytest.approx((up - down) / (2 * step), abs=1e-6)
    assert outcome.observed(at) == pytest.approx(-(up - 2 * here + down) / step**2, abs=1e-6)


def test_the_expected_information_is_the_mean_of_the_observed_and_of_the_squared_scores() -> None:
    at = np.linspace(-3, 3, 13)
    yes, no = (RandomizedOutcome.of(np.full(13, report), DESIGN) for report in (1, 0))
    chance = yes.chance(at)
    for figure in (RandomizedOutcome.observed, lambda outcome, here: outcome.slopes(here) ** 2):
        mean = chance * figure(yes, at) + (1 - chance) * figure(no, at)
        assert mean == pytest.approx(yes.expected(at))


def test_a_direct_question_has_the_ordinary_logistic_regression(rng: np.random.Generator) -> None:
    direct = SupportDesign(1 - 1e-12, 1e-12)
    y, x, _ = simulated(rng, 400, direct)
    matrix, b = np.column_stack([np.ones(400), x]), np.zeros(2)
    for _ in range(30):
        g = special.expit(matrix @ b)
        inverse = np.linalg.inv((matrix.T * (g * (1 - g))) @ matrix)
        b = b + inverse @ (matrix.T @ (y - g))
    fit = logistic_regression(y, {"x": x}, direct)
    assert fit.estimates == pytest.approx(b, abs=1e-6)
    assert fit.covariance == pytest.approx(inverse, rel=1e-6)


def test_ignoring_the_randomizing_shrinks_a_slope_of_1_to_a_third(rng: np.random.Generator) -> None:
    y, x, answers = simulated(rng, 100_000, warner(1.0), intercept=-1.0)
    direct = SupportDesign(1 - 1e-12, 1e-12)
    naive, true, fit = (
        logistic_regression(outcome, {"x": x}, design).coefficients[1]
        for outcome, design in ((y, direct), (answers, direct), (y, warner(1.0)))
    )
    assert naive.estimate == pytest.approx(0.34, abs=0.03)
    assert fit.low < 1 < fit.high
    assert fit.se / true.se == pytest.approx(2.6, abs=0.15)


def test_units_change_no_figure_but_their_own(rng: np.random.Generator) -> None:
    y, x, _ = simulated(rng, 1000, DESIGN)
    plain, scaled = (logistic_regression(y, {"x": column}, DESIGN) for column in (x, 1e9 + 1e6 * x))
    assert scaled.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-8)
    assert scaled.coefficients[1].estimate * 1e6 == pytest.approx(plain.coefficients[1].estimate, rel=1e-6)
    assert scaled.coefficients[1].se * 1e6 == pytest.approx(plain.coefficients[1].se, rel=1e-6)


def coverage(n: int, times: int, seed: int) -> float:
    rng, design, covered = np.random.default_rng(seed), warner(1.0), 0
    for _ in range(times):
        y, x, _ = simulated(rng, n, design)
        slope = logistic_regression(y, {"x": x}, design).coefficients[1]
        covered += slope.low < 1 < slope.high
    return covered / times


@pytest.mark.parametrize("n", [500, 5000])
def test_the_interval_of_a_slope_covers_it(n: int) -> None:
    assert coverage(n, 100, seed=n) >= 0.9


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("n", [500, 5000])
def test_the_interval_of_a_slope_covers_it_in_1000_surveys(n: int) -> None:
    assert coverage(n, 1000, seed=n + 1) == pytest.approx(0.95, abs=0.02)


@pytest.fixture
def fit(rng: np.random.Generator) -> LogisticRegression:
    y, x, _ = simulated(rng, 5000, DESIGN)
    return logistic_regression(y, {"x": x, "z": rng.normal(size=5000)}, DESIGN)


def test_predicted_shares_hold_the_true_one_on_either_scale(fit: LogisticRegression) -> None:
    shares = [predicted_share(fit, {"x": 1.0, "z": 0.0}, scale=scale) for scale in ("logit", "share")]
    for share in shares:
        assert share.low < special.expit(0.5) < share.high
    logit, plain = shares
    assert (logit.estimate, logit.se) == (plain.estimate, plain.se)
    assert plain.high - plain.estimate == pytest.approx(plain.estimate - plain.low)
    far = predicted_share(fit, {"x": -60.0, "z": 0.0})
    assert 0 <= far.low < far.high < 1


def test_average_effects_are_the_change_of_the_mean_share(fit: LogisticRegression) -> None:
    values, b, step = fit.matrix.values, fit.estimates, 1e-5

    def effect(coefficients: Numbers) -> float:
        up, down = values.copy(), values.copy()
        up[:, 1] += step
        down[:, 1] -= step
        return float((special.expit(up @ coefficients) - special.expit(down @ coefficients)).mean() / (2 * step))

    gradient = np.array([(effect(b + move) - effect(b - move)) / 2e-3 for move in 1e-3 * np.eye(3)])
    first = average_effects(fit)[0]
    assert first.name == "x"
    assert first.estimate == pytest.approx(effect(b), rel=1e-6)
    assert first.se == pytest.approx(float(np.sqrt(gradient @ fit.covariance @ gradient)), rel=1e-4)


def test_the_two_tests_agree_on_many_reports(fit: LogisticRegression) -> None:
    # Far from zero they differ, as standard errors grow with the slope.
    wald, ratio = wald_test(fit, ["z"]), likelihood_ratio_test(fit, ["z"])
    assert wald.statistic == pytest.approx(ratio.statistic, rel=0.05)
    assert wald.p_value == pytest.approx(fit.coefficient("z").p_value, rel=1e-6)
    assert likelihood_ratio_test(fit, ["x", "z"]) == fit.slopes_test


X = [0.0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
MIXED = [1, 0, 1, 0, 0, 1, 0, 1, 1, 0]


@pytest.mark.parametrize(
    ("y", "covariates", "sentence"),
    [
        ([], {"x": []}, "0 rows for 2 coefficients"),
        ([1], {"x": [2]}, "1 rows for 2 coefficients"),
        ([1, 0], {"x": [2, 3]}, "more rows than coefficients"),
        ([1] * 10, {"x": X}, "all 10 outcomes are the same"),
        (MIXED, {"x": [4] * 10}, "x is constant"),
        (MIXED, {"x": X, "z": [1 - each for each in X]}, "x, z are collinear"),
        (MIXED, {"x": [float("nan"), *X[1:]]}, "no finite number in row 1"),
        (MIXED, {"x": ["a", *X[1:]]}, "not a number"),
        (MIXED, {"x": X[1:]}, "one number for each of the 10 outcomes"),
        ([2, *MIXED[1:]], {"x": X}, "row 1 is neither 1 nor 0"),
        (MIXED, {"intercept": X}, "rename"),
        (MIXED, {"x": [1e200, *X[1:]]}, "another unit"),
    ],
)
def test_what_cannot_be_fitted_is_a_sentence(y: list[int], covariates: dict[str, list[float]], sentence: str) -> None:
    with pytest.raises(EstimateError, match=sentence):
        logistic_regression(y, covariates, DESIGN)


@pytest.mark.parametrize("counts", [(12, 50), (95, 50), (50, 12), (12, 95)])
def test_a_group_outside_what_the_design_can_produce_is_separation_though_outcomes_vary(
    counts: tuple[int, int],
) -> None:
    # Of 100 people without the trait Warner's design at 3:1 lets 25 say yes on average, of 100 with it 75.
    y = [int(place < count) for count in counts for place in range(100)]
    with pytest.raises(EstimateError, match=r"separation: .* infinite \(arts\), with [12]00 of 200 fitted shares"):
        logistic_regression(y, {"arts": [0] * 100 + [1] * 100}, SupportDesign(0.75, 0.25))


def test_complete_separation_of_direct_answers_is_one_too() -> None:
    x = np.arange(40.0)
    with pytest.raises(EstimateError, match="separation"):
        logistic_regression(x > 20, {"x": x}, SupportDesign(1 - 1e-9, 1e-9))


def test_no_step_is_more_likely_than_a_fit_that_is_reported(rng: np.random.Generator) -> None:
    reported = 0
    for _ in range(20):
        y, x, _ = simulated(rng, 50, warner(1.0))
        outcome, matrix = RandomizedOutcome.of(y, warner(1.0)), ModelMatrix.of({"x": x}, 50)
        top = highest(outcome, matrix.standard)
        steep = [
            outcome.log_likelihood(sign * 1e6 * (matrix.standard[:, 1] - place))
            for place in matrix.standard[:, 1] + 1e-9
            for sign in (1, -1)
        ]
        assert not top.reached or max(steep) <= top.log_likelihood + 1e-6
        reported += top.reached
    assert 0 < reported < 20


def test_standard_errors_of_an_unknown_kind_are_refused() -> None:
    with pytest.raises(EstimateError, match="expected, observed, outer_product"):
        logistic_regression(MIXED * 40, {"x": X * 40}, DESIGN, standard_errors="robust")
