"""Linear regression of unbiased numbers: least squares with errors that allow for unequal spread."""

from __future__ import annotations

import numpy as np
import pytest
from tests.server.estimate.regressions import simulated, warner

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.regression.linear import linear_regression
from hushpoll_server.estimate.support import SupportDesign


def test_it_is_least_squares_with_the_textbook_sandwich() -> None:
    rng = np.random.default_rng(3)
    x, z = rng.normal(50, 10, 60), rng.integers(0, 2, 60).astype(float)
    y = 2 + 0.3 * x - z + rng.normal(size=60) * (1 + z)
    matrix = np.column_stack([np.ones(60), x, z])
    inverse = np.linalg.inv(matrix.T @ matrix)
    b = inverse @ matrix.T @ y
    residuals, leverage = y - matrix @ b, np.diag(matrix @ inverse @ matrix.T)
    for kind, weights in (("hc3", 1 / (1 - leverage) ** 2), ("hc1", np.full(60, 60 / 57))):
        fit = linear_regression(y, {"x": x, "z": z}, standard_errors=kind)
        assert fit.estimates == pytest.approx(b)
        assert fit.covariance == pytest.approx(inverse @ ((matrix.T * (residuals**2 * weights)) @ matrix) @ inverse)
        assert fit.standard_errors == kind


def test_a_yes_no_covariate_gives_the_difference_of_the_debiased_shares() -> None:
    design, rng = warner(1.0), np.random.default_rng(4)
    y, x, _ = simulated(rng, 2000, design)
    group = x > 0
    fit = linear_regression(y, {"group": group}, design)
    shares = [design.share(float(y[group == side].mean())) for side in (True, False)]
    assert fit.coefficients[1].estimate == pytest.approx(shares[0] - shares[1])
    assert fit.coefficients[0].estimate == pytest.approx(shares[1])


@pytest.mark.parametrize(
    ("y", "x", "sentence"),
    [
        ([], [], "0 rows"),
        ([1.0, 2.0], [1, 2], "more rows than coefficients"),
        ([3.0] * 5, [1, 2, 3, 4, 5], "all 5 outcomes are the same"),
        ([1.0, 2, 3, 4, 5], [0, 0, 0, 0, 1], "row 5 alone decides"),
        ([1.0, 1, 1, 4, 5], [0, 0, 0, 1, 1], "decide intercept"),
        ([1.0, 2, 3, 4, 5], [1, 2, 3, 4, 5], "without any spread"),
        ([1.0, 2, float("nan"), 4, 5], [1, 2, 3, 4, 5], "row 3"),
    ],
)
def test_no_standard_error_is_small_for_want_of_rows(y: list[float], x: list[float], sentence: str) -> None:
    for kind in ("hc3", "hc1"):
        with pytest.raises(EstimateError, match=sentence):
            linear_regression(y, {"x": x}, standard_errors=kind)


@pytest.mark.parametrize("reference", ["a", "b"])
def test_a_group_whose_reports_are_all_the_same_is_refused_whichever_the_reference_is(reference: str) -> None:
    rng = np.random.default_rng(15)
    outcomes = np.concatenate([rng.random(1000) < 0.5, np.zeros(8)]).astype(float)
    groups = ["a"] * 1000 + ["b"] * 8
    with pytest.raises(EstimateError, match="all outcomes of g=b are the same"):
        linear_regression(outcomes, {"g": groups}, SupportDesign(0.75, 0.25), references={"g": reference})


def test_groups_of_few_rows_are_named() -> None:
    rng = np.random.default_rng(15)
    fit = linear_regression(rng.normal(size=120), {"g": ["a"] * 100 + ["b"] * 20})
    assert any("Fewer than 30 rows of g=b" in sentence for sentence in fit.warnings)
