"""Least squares with corrected moments: the closed form for one covariate, and no shrinking for any."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from tests.server.estimate.regression.test_on_randomized import CERTAIN, DESIGN, drawn
from tests.server.estimate.regressions import Numbers, warner

from hushpoll_server.estimate.classical.matrix_design import MatrixDesign
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.regression.linear import linear_regression
from hushpoll_server.estimate.regression.linear_on_randomized import linear_regression_on_randomized

TRUE = np.array([2.0, 0.5, -1.5])


def survey(rng: np.random.Generator, n: int) -> tuple[Numbers, Numbers, np.ndarray]:
    """Return a number, a public covariate and the answers to a private one that depends on it."""
    x = rng.normal(size=n)
    z = rng.random(n) < 0.3 + 0.3 * (x > 0)
    return TRUE[0] + TRUE[1] * x + TRUE[2] * z + rng.normal(size=n) * (1 + z), x, z


def test_one_yes_no_covariate_has_the_closed_form_and_its_delta_method() -> None:
    rng, n = np.random.default_rng(1), 600
    y, _, z = survey(rng, n)
    draws = drawn(rng, z, DESIGN)
    fit = linear_regression_on_randomized(y, {}, {"z": (draws, DESIGN)})
    unbiased = (draws - DESIGN.q) / (DESIGN.p - DESIGN.q)
    # β = (E[z̃r] - E[z̃]E[r])/(E[z̃] - E[z̃]²), as E[z²] = E[z]
    parts = np.column_stack([unbiased, y, unbiased * y])
    a, b, c = parts.mean(axis=0)
    slope, below = (c - a * b) / (a - a * a), a - a * a
    gradient = np.array([-b / below - slope * (1 - 2 * a) / below, -a / below, 1 / below])
    variance = gradient @ np.cov(parts.T, ddof=0) @ gradient / (n - 2)
    assert fit.estimates[1] == pytest.approx(slope, rel=1e-12)
    assert fit.coefficients[1].se == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert fit.coefficients[1].high == pytest.approx(slope + stats.t(n - 2).ppf(0.975) * np.sqrt(variance), rel=1e-9)


def test_a_covariate_that_is_hardly_randomized_is_an_ordinary_one() -> None:
    rng = np.random.default_rng(2)
    y, x, z = survey(rng, 300)
    ordinary = linear_regression(y, {"x": x, "z": z}, standard_errors="hc1")
    fit = linear_regression_on_randomized(y, {"x": x}, {"z": (z, CERTAIN)})
    assert fit.estimates == pytest.approx(ordinary.estimates, abs=1e-8)
    assert fit.covariance == pytest.approx(ordinary.covariance, rel=1e-6)


def test_nothing_shrinks_and_intervals_cover() -> None:
    rng, held, naive = np.random.default_rng(3), [], []
    for _ in range(200):
        y, x, z = survey(rng, 500)
        draws = drawn(rng, z, DESIGN)
        fit = linear_regression_on_randomized(y, {"x": x}, {"z": (draws, DESIGN)})
        held.append([each.low < true < each.high for each, true in zip(fit.coefficients, TRUE, strict=True)])
        naive.append(linear_regression(y, {"x": x, "z": draws}).estimates[2])
    assert np.mean(held, axis=0).min() > 0.9
    assert np.mean(naive) == pytest.approx(-1.33, abs=0.05)


def test_several_answers_two_questions_and_a_randomized_outcome() -> None:
    rng, n = np.random.default_rng(4), 60_000
    often = MatrixDesign.names_one(("never", "once", "often"), Fraction(15))
    z, w = rng.integers(0, 3, n), rng.random(n) < 0.4
    share = 0.1 + 0.2 * (z == 1) + 0.4 * (z == 2) + 0.3 * w
    reports = drawn(rng, rng.random(n) < share, DESIGN)
    cumulative = often.matrix.cumsum(axis=1)[z]
    draws = np.array(often.reports)[(rng.random((n, 1)) > cumulative).sum(axis=1)]
    fit = linear_regression_on_randomized(
        reports, {}, {"frequency": (draws, often), "helped": (drawn(rng, w, DESIGN), DESIGN)}, DESIGN
    )
    assert fit.names == ("intercept", "frequency=once", "frequency=often", "helped=yes")
    assert fit.standard_errors == "sandwich"
    for each, true in zip(fit.coefficients, (0.1, 0.2, 0.4, 0.3), strict=True):
        assert abs(each.estimate - true) < 4 * each.se
        assert each.se < 0.02
    assert fit.joint_tests["frequency"].degrees == 2
    assert "nothing is assumed" in json.loads(json.dumps(fit.to_json(), allow_nan=False))["assumed"]


def test_too_little_information_is_a_sentence_and_little_a_warning() -> None:
    rng = np.random.default_rng(5)
    y, x, z = survey(rng, 200)
    with pytest.raises(EstimateError, match="too little information about z=yes"):
        linear_regression_on_randomized(y, {"x": x}, {"z": (drawn(rng, z, warner(0.2)), warner(0.2))})
    with pytest.raises(EstimateError, match="too little information about z=yes"):
        linear_regression_on_randomized(y, {"x": x}, {"z": (np.zeros(200), DESIGN)})
    y, x, z = survey(np.random.default_rng(6), 400)
    draws = drawn(np.random.default_rng(0), z, warner(0.4))
    fit = linear_regression_on_randomized(y, {"x": x}, {"z": (draws, warner(0.4))})
    assert "little information about z=yes" in fit.warnings[0]


def test_covariates_that_cannot_be_told_apart_and_outcomes_without_error_are_sentences() -> None:
    rng = np.random.default_rng(7)
    y, x, z = survey(rng, 400)
    draws = drawn(rng, z, DESIGN)
    with pytest.raises(EstimateError, match="follow exactly from the public covariates"):
        linear_regression_on_randomized(2 * x, {"x": x}, {"z": (draws, DESIGN)})
    with pytest.raises(EstimateError, match="too little information about a=yes"):
        linear_regression_on_randomized(y, {"x": x}, {"a": (z, CERTAIN), "b": (z, CERTAIN)})
    with pytest.raises(EstimateError, match="too little information about a=yes"):
        linear_regression_on_randomized(y, {"z": z}, {"a": (draws, DESIGN)})
    nearly = z ^ (rng.random(400) < 0.03)
    with pytest.raises(EstimateError, match="too little information about a=yes, b=yes"):
        linear_regression_on_randomized(
            y, {}, {"a": (drawn(rng, z, warner(1.0)), warner(1.0)), "b": (drawn(rng, nearly, warner(1.0)), warner(1.0))}
        )


@pytest.mark.parametrize(("rows", "sentence"), [(0, "0 rows"), (1, "1 rows"), (3, "3 rows for 3 coefficients")])
def test_too_few_rows_are_refused(rows: int, sentence: str) -> None:
    with pytest.raises(EstimateError, match=sentence):
        linear_regression_on_randomized(np.arange(rows), {"x": np.arange(rows)}, {"z": (np.ones(rows), DESIGN)})
    with pytest.raises(EstimateError, match="both a public and a randomized"):
        linear_regression_on_randomized(np.arange(9), {"z": np.arange(9)}, {"z": (np.ones(9), DESIGN)})
