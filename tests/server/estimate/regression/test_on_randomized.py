"""Regression on randomized covariates: the likelihood's own figures, and what a naive analysis would have found."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import optimize, special
from tests.server.estimate.regressions import Numbers, Reports, warner

from hushpoll_server.estimate.classical.matrix_design import MatrixDesign
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.regression.logistic import likelihood_ratio_test, logistic_regression
from hushpoll_server.estimate.regression.logistic_on_randomized import (
    KNOWN,
    LogisticOnRandomized,
    logistic_regression_on_randomized,
)
from hushpoll_server.estimate.regression.model_matrix import ModelMatrix
from hushpoll_server.estimate.regression.predictions import adjusted_shares, average_effects, predicted_share
from hushpoll_server.estimate.regression.private_covariates import PrivateCovariates
from hushpoll_server.estimate.regression.private_likelihood import PrivateLikelihood
from hushpoll_server.estimate.regression.randomized_outcome import RandomizedOutcome
from hushpoll_server.estimate.support import SupportDesign

DESIGN = warner(3.0)
TRUE = np.array([-0.5, 0.7, 1.2])
CERTAIN = SupportDesign(1 - 1e-12, 1e-12)


def drawn(rng: np.random.Generator, answers: Reports, design: SupportDesign) -> Reports:
    return rng.random(len(answers)) < np.where(answers, design.p, design.q)


def survey(
    rng: np.random.Generator, n: int, design: SupportDesign = DESIGN
) -> tuple[Reports, Numbers, Reports, Reports, Reports]:
    """Return reports of the outcome, a public number, draws of a private answer related to it, and both answers."""
    x = rng.normal(size=n)
    z = rng.random(n) < special.expit(-0.4 + 0.5 * x)
    y = rng.random(n) < special.expit(TRUE[0] + TRUE[1] * x + TRUE[2] * z)
    return drawn(rng, y, design), x, drawn(rng, z, design), y, z


def brute_force(height: Callable[[Numbers], float], start: Numbers) -> tuple[Numbers, float, Numbers]:
    """Return the top by a general optimizer, its height, and the inverse of numerical second derivatives."""

    def loss(at: Numbers) -> float:
        return -height(at)

    b = np.asarray(optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-7}).x)
    steps = 1e-3 * np.eye(len(start))
    curves = [
        [-(height(b + i + j) - height(b + i - j) - height(b - i + j) + height(b - i - j)) / 4e-6 for j in steps]
        for i in steps
    ]
    return b, height(b), np.asarray(np.linalg.inv(curves), np.float64)


@pytest.mark.parametrize("outcome", ["randomized", "known"])
@pytest.mark.parametrize("depends", [None, ()])
def test_the_fit_is_that_of_a_general_optimizer(outcome: str, depends: tuple[()] | None) -> None:
    reports, x, draws, answers, _ = survey(np.random.default_rng(3), 700)
    y, design = (reports, DESIGN) if outcome == "randomized" else (answers, None)
    p, q = (DESIGN.p, DESIGN.q) if design else (1.0, 0.0)

    def height(at: Numbers) -> float:
        total = np.zeros(len(x))
        share = special.expit(at[3] + (at[4] * x if depends is None else 0))
        for answer in (0, 1):
            rate = q + (p - q) * special.expit(at[0] + at[1] * x + at[2] * answer)
            draw = DESIGN.p if answer else DESIGN.q
            total += np.where(answer, share, 1 - share) * np.where(draws, draw, 1 - draw) * np.where(y, rate, 1 - rate)
        return float(np.log(total).sum())

    b, top, inverse = brute_force(height, np.zeros(5 if depends is None else 4))
    fit = logistic_regression_on_randomized(y, {"x": x}, {"helped": (draws, DESIGN)}, design, depends_on=depends)
    assert fit.names == ("intercept", "x", "helped=yes")
    assert fit.estimates == pytest.approx(b[:3], abs=1e-5)
    assert fit.log_likelihood == pytest.approx(top, abs=1e-7)
    assert fit.covariance == pytest.approx(inverse[:3, :3], rel=1e-3, abs=1e-6)
    assert fit.answers["helped"]["yes"] == pytest.approx(
        special.expit(b[3] + (b[4] * x if depends is None else 0)).mean(), abs=1e-6
    )


def test_several_answers_and_a_public_label_are_those_of_a_general_optimizer() -> None:
    rng, n = np.random.default_rng(4), 900
    group = rng.integers(0, 2, n)
    z = np.where(rng.random(n) < 0.3 + 0.2 * group, 2, rng.integers(0, 2, n))
    w = rng.random(n) < 0.5
    y = rng.random(n) < special.expit(-0.5 + 0.4 * group + 0.8 * (z == 1) + 1.5 * (z == 2) - 0.7 * w)
    often = MatrixDesign.names_one(("never", "once", "often"), Fraction(15))
    places = np.array([rng.choice(3, p=often.matrix[answer]) for answer in z])
    reports, other = drawn(rng, y, DESIGN), drawn(rng, w, DESIGN)

    def height(at: Numbers) -> float:
        total = np.zeros(n)
        for answer in range(3):
            for also in range(2):
                place = 2 * answer + also
                logits = np.concatenate([np.zeros((1, 2)), at[5:].reshape(5, 2)])
                chances = special.softmax(logits[:, :1] + logits[:, 1:] * group, axis=0)[place]
                eta = at[0] + at[1] * group + at[2] * (answer == 1) + at[3] * (answer == 2) + at[4] * also
                rate = DESIGN.q + (DESIGN.p - DESIGN.q) * special.expit(eta)
                draw = DESIGN.p if also else DESIGN.q
                total += (
                    chances
                    * often.matrix[answer][places]
                    * np.where(other, draw, 1 - draw)
                    * np.where(reports, rate, 1 - rate)
                )
        return float(np.log(total).sum())

    b, top, inverse = brute_force(height, np.zeros(15))
    fit = logistic_regression_on_randomized(
        reports,
        {"group": np.where(group, "b", "a")},
        {"frequency": (np.array(often.reports)[places], often), "helped": (other, DESIGN)},
        DESIGN,
    )
    assert fit.names == ("intercept", "group=b", "frequency=once", "frequency=often", "helped=yes")
    assert fit.references == {"group": "a", "frequency": "never", "helped": "no"}
    assert fit.log_likelihood == pytest.approx(top, abs=1e-6)
    assert fit.estimates == pytest.approx(b[:5], abs=2e-4)
    assert fit.covariance == pytest.approx(inverse[:5, :5], rel=5e-3, abs=1e-4)
    assert fit.joint_tests["frequency"].degrees == 2


def test_score_and_information_are_the_derivatives() -> None:
    rng = np.random.default_rng(5)
    reports, x, draws, _, _ = survey(rng, 60)
    private = PrivateCovariates.of({"a": (draws, DESIGN), "b": (reports, DESIGN)}, {}, 60)
    matrix = ModelMatrix.of({"x": x}, 60).standard
    likelihood = PrivateLikelihood(
        RandomizedOutcome.of(reports, warner(1.0)), matrix, private.columns, private.chances, matrix
    )
    at, steps = rng.normal(size=likelihood.parameters) / 2, 1e-4 * np.eye(likelihood.parameters)
    scores, information = likelihood.derivatives(at)
    height = likelihood.log_likelihood
    assert scores.sum(axis=0) == pytest.approx([(height(at + s) - height(at - s)) / 2e-4 for s in steps], abs=1e-5)
    ends = [[likelihood.derivatives(at + sign * s)[0].sum(axis=0) for sign in (1, -1)] for s in steps]
    assert information == pytest.approx(np.array([(down - up) / 2e-4 for up, down in ends]), abs=1e-4)


def test_a_covariate_that_is_hardly_randomized_is_an_ordinary_one() -> None:
    reports, x, _, _, z = survey(np.random.default_rng(6), 800)
    fit = logistic_regression_on_randomized(reports, {"x": x}, {"z": (z, CERTAIN)}, DESIGN)
    ordinary = logistic_regression(reports, {"x": x, "z": z}, DESIGN, standard_errors="observed")
    assert fit.estimates == pytest.approx(ordinary.estimates, abs=1e-6)
    assert fit.covariance == pytest.approx(ordinary.covariance, rel=1e-4)


def test_the_naive_analysis_is_attenuated_and_this_one_is_not() -> None:
    reports, x, draws, _, _ = survey(np.random.default_rng(7), 20_000)
    fit = logistic_regression_on_randomized(reports, {"x": x}, {"z": (draws, DESIGN)}, DESIGN)
    for coefficient, true in zip(fit.coefficients, TRUE, strict=True):
        assert abs(coefficient.estimate - true) < 4 * coefficient.se
    naive = logistic_regression(reports, {"x": x, "z": draws}, CERTAIN)
    half = logistic_regression(reports, {"x": x, "z": draws}, DESIGN)
    assert naive.estimates[2] == pytest.approx(0.93, abs=0.1)
    assert half.estimates[2] == pytest.approx(1.06, abs=0.1)


def test_all_kinds_of_standard_errors_agree_if_the_model_holds() -> None:
    reports, x, draws, _, _ = survey(np.random.default_rng(8), 4000)
    fits = [
        logistic_regression_on_randomized(reports, {"x": x}, {"z": (draws, DESIGN)}, DESIGN, standard_errors=kind)
        for kind in ("observed", "outer_product", "sandwich")
    ]
    assert [fit.standard_errors for fit in fits] == ["observed", "outer_product", "sandwich"]
    for fit in fits[1:]:
        assert np.sqrt(np.diag(fit.covariance)) == pytest.approx(np.sqrt(np.diag(fits[0].covariance)), rel=0.1)


def coverage(n: int, times: int, seed: int) -> Numbers:
    rng, held = np.random.default_rng(seed), []
    for _ in range(times):
        reports, x, draws, _, _ = survey(rng, n)
        fit = logistic_regression_on_randomized(reports, {"x": x}, {"z": (draws, DESIGN)}, DESIGN)
        held.append([each.low < true < each.high for each, true in zip(fit.coefficients, TRUE, strict=True)])
    return np.asarray(np.mean(held, axis=0))


def test_intervals_cover() -> None:
    assert coverage(500, 25, seed=2).min() >= 0.84


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("n", [500, 5000])
def test_intervals_cover_in_1000_surveys(n: int) -> None:
    assert coverage(n, 1000, seed=n + 1) == pytest.approx(np.full(3, 0.95), abs=0.025)


@pytest.fixture(scope="module")
def fit() -> LogisticOnRandomized:
    reports, x, draws, _, _ = survey(np.random.default_rng(9), 1500)
    return logistic_regression_on_randomized(
        reports, {"x": x, "group": np.where(x > 0.3, "b", "a")}, {"z": (draws, DESIGN)}, DESIGN
    )


def test_effects_have_errors_by_the_delta_method_over_all_parameters(fit: LogisticOnRandomized) -> None:
    matrix, depends = fit.matrix.values, fit.depends
    gamma = np.linalg.lstsq(depends, special.logit(fit.shares[:, 1]), rcond=None)[0]
    parameters = np.concatenate([fit.estimates, gamma])

    def effect(at: Numbers) -> float:
        yes, no = (special.expit(matrix @ at[:3] + at[3] * answer) for answer in (1, 0))
        return float((yes - no).mean())

    def slope(at: Numbers) -> float:
        share = special.expit(depends @ at[4:])
        each = [special.expit(matrix @ at[:3] + at[3] * answer) for answer in (1, 0)]
        return float((at[1] * (share * each[0] * (1 - each[0]) + (1 - share) * each[1] * (1 - each[1]))).mean())

    steps = 1e-5 * np.eye(len(parameters))
    effects = {each.name: each for each in average_effects(fit)}
    for name, figure in (("z=yes", effect), ("x", slope)):
        gradient = np.array([(figure(parameters + s) - figure(parameters - s)) / 2e-5 for s in steps])
        assert effects[name].estimate == pytest.approx(figure(parameters), abs=1e-8)
        assert effects[name].se == pytest.approx(np.sqrt(gradient @ fit.parameter_covariance @ gradient), rel=1e-5)
    no, yes = adjusted_shares(fit, "z")
    assert (no.at, yes.at) == ({"z": "no"}, {"z": "yes"})
    assert yes.estimate - no.estimate == pytest.approx(effects["z=yes"].estimate, abs=1e-12)
    assert [share.at["group"] for share in adjusted_shares(fit, "group")] == ["a", "b"]


def test_a_predicted_share_takes_an_answer_to_a_randomized_covariate(fit: LogisticOnRandomized) -> None:
    share = predicted_share(fit, {"x": 0.5, "group": "b", "z": "yes"})
    eta = float(fit.estimates @ [1, 0.5, 1, 1])
    assert share.estimate == pytest.approx(special.expit(eta))
    with pytest.raises(EstimateError, match="no other: x, group, z"):
        predicted_share(fit, {"x": 0.5, "group": "b"})
    with pytest.raises(EstimateError, match="use the Wald test"):
        likelihood_ratio_test(fit, ["x"])


def test_what_is_assumed_is_part_of_the_result(fit: LogisticOnRandomized) -> None:
    shown = json.loads(json.dumps(fit.to_json(), allow_nan=False))
    assert shown["assumed"].endswith("depend on x, group by a multinomial logit")
    assert sum(shown["answers"]["z"].values()) == pytest.approx(1)
    reports, x, draws, _, _ = survey(np.random.default_rng(9), 1500)
    alone = logistic_regression_on_randomized(reports, {"x": x}, {"z": (draws, DESIGN)}, DESIGN, depends_on=[])
    assert alone.assumed.endswith("and do not depend on x")
    turned = logistic_regression_on_randomized(
        reports, {"x": x}, {"z": (draws, DESIGN)}, DESIGN, references={"z": "yes"}
    )
    assert turned.names[-1] == "z=no"
    plain = logistic_regression_on_randomized(reports, {}, {"z": (draws, DESIGN)}, DESIGN)
    assert plain.names == ("intercept", "z=yes")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"randomized": {}}, "no randomized covariate"),
        ({"randomized": {"x": (np.ones(40), DESIGN)}}, "both a public and a randomized"),
        ({"randomized": {"z": (np.ones(39), DESIGN)}}, "39 draws for 40 outcomes"),
        ({"randomized": {"z": (np.full(40, 2), DESIGN)}}, "row 1 is none that its design can give: give one of 0, 1"),
        ({"randomized": {"z": (["maybe"] * 40, DESIGN)}}, "row 1 is none that its design can give"),
        ({"randomized": {f"z{place}": (np.arange(40) % 2, DESIGN) for place in range(7)}}, "128 combinations"),
        ({"depends_on": ["age"]}, "cannot depend on age: name public covariates .x."),
        ({"references": {"z": "maybe"}}, "none of its answers: choose one of no, yes"),
        ({"standard_errors": "expected"}, "choose one of observed, outer_product, sandwich"),
        ({"outcomes": np.ones(40)}, "all 40 outcomes are the same"),
        (
            {
                "outcomes": np.arange(5) % 2,
                "covariates": {"x": np.arange(5)},
                "randomized": {"z": (np.arange(5) % 2, DESIGN)},
            },
            "5 rows for 5 parameters",
        ),
    ],
)
def test_what_cannot_be_fitted_is_refused_with_the_cure(change: dict[str, Any], sentence: str) -> None:
    rng = np.random.default_rng(10)
    call: dict[str, Any] = {
        "outcomes": np.arange(40) % 2,
        "covariates": {"x": rng.normal(size=40)},
        "randomized": {"z": (rng.integers(0, 2, 40), DESIGN)},
        "design": DESIGN,
    }
    with pytest.raises(EstimateError, match=sentence):
        logistic_regression_on_randomized(**call | change)


def test_a_covariate_that_nobody_holds_and_a_separation_are_sentences() -> None:
    rng, n = np.random.default_rng(11), 400
    x = rng.normal(size=n)
    y = drawn(rng, rng.random(n) < special.expit(x), DESIGN)
    nobody = rng.random(n) < 0.01
    with pytest.raises(EstimateError, match="nobody or everybody is z=yes"):
        logistic_regression_on_randomized(y, {"x": x}, {"z": (nobody, DESIGN)}, DESIGN)
    with pytest.raises(EstimateError, match="nobody or everybody is z=yes"):
        logistic_regression_on_randomized(y, {"x": x}, {"z": (~nobody, DESIGN)}, DESIGN)
    z = np.arange(n) % 2 == 0
    with pytest.raises(EstimateError, match=r"separation|too little information"):
        logistic_regression_on_randomized(z, {"x": x}, {"z": (z, DESIGN)}, KNOWN)
