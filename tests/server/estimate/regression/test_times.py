"""Rows that are given once, with how often each occurs, have the regression of all rows one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.vectors.streams import FixedTestStream

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.regression.in_shares import in_shares
from hushpoll_server.estimate.regression.linear import linear_regression
from hushpoll_server.estimate.regression.linear_on_randomized import linear_regression_on_randomized
from hushpoll_server.estimate.regression.logistic import LogisticRegression, likelihood_ratio_test, logistic_regression
from hushpoll_server.estimate.regression.logistic_on_randomized import logistic_regression_on_randomized
from hushpoll_server.estimate.support import SupportDesign

DESIGN = SupportDesign(0.9, 0.1)
N = 900


def rows() -> list[tuple[int, str, str, int]]:
    """Return invented reports: a yes or no, two labels, and the draw of a randomized covariate."""
    octets = FixedTestStream("times").take(4 * N)
    made = []
    for place in range(N):
        one, two, three, four = octets[4 * place : 4 * place + 4]
        faculty, age = ["arts", "law", "maths"][one % 3], ("old", "young")[two % 2]
        yes = int(three < 90 + 40 * (faculty == "law") + 30 * (age == "young"))
        made.append((yes, faculty, age, int(four < 100 + 50 * yes)))
    return made


ROWS = rows()
TIMES = Counter(ROWS)


def columns(listed: list[tuple[int, str, str, int]]) -> dict[str, Any]:
    """Return the columns that all regressions take."""
    yes, faculty, age, draw = zip(*listed, strict=True)
    return {"yes": yes, "public": {"faculty": list(faculty), "age": list(age)}, "draw": list(draw)}


EVERY, ONCE = columns(ROWS), columns(list(TIMES))
Fit = Callable[..., Any]


def public(regress: Fit, **options: object) -> Fit:
    return lambda data, **times: regress(data["yes"], data["public"], DESIGN, **options, **times)


def private(regress: Fit, **options: object) -> Fit:
    return lambda data, **times: regress(
        data["yes"], data["public"], {"helped": (data["draw"], DESIGN)}, DESIGN, **options, **times
    )


@pytest.mark.parametrize(
    "fit",
    [
        *(public(logistic_regression, standard_errors=kind) for kind in ("expected", "observed", "outer_product")),
        *(public(linear_regression, standard_errors=kind) for kind in ("hc3", "hc1")),
        *(
            private(logistic_regression_on_randomized, standard_errors=kind)
            for kind in ("observed", "outer_product", "sandwich")
        ),
        private(linear_regression_on_randomized),
    ],
)
def test_every_figure_is_that_of_the_rows_one_by_one(fit: Fit) -> None:
    assert len(TIMES) == 24
    plain, weighted = fit(EVERY), fit(ONCE, times=list(TIMES.values()))
    assert (weighted.n, weighted.names, weighted.warnings) == (N, plain.names, plain.warnings)
    for one, other in zip(plain.coefficients, weighted.coefficients, strict=True):
        figures = [[each.estimate, each.se, each.low, each.high, each.p_value] for each in (one, other)]
        assert figures[1] == pytest.approx(figures[0], rel=1e-7, abs=1e-9)
    assert weighted.covariance == pytest.approx(plain.covariance, rel=1e-6, abs=1e-10)
    if isinstance(plain, LogisticRegression):
        assert weighted.log_likelihood == pytest.approx(plain.log_likelihood, rel=1e-12)
        shares = [in_shares(each).to_json() for each in (plain, weighted)]
        assert numbers(shares[1]) == pytest.approx(numbers(shares[0]), rel=1e-6, abs=1e-9)


def numbers(value: object) -> list[float]:
    """Return every number in a JSON value, in order."""
    if isinstance(value, dict):
        return [number for each in value.values() for number in numbers(each)]
    if isinstance(value, list | tuple):
        return [number for each in value for number in numbers(each)]
    return [float(value)] if isinstance(value, int | float) else []


def test_a_likelihood_ratio_compares_all_rows() -> None:
    plain, weighted = (
        logistic_regression(data["yes"], data["public"], DESIGN, times=times)
        for data, times in ((EVERY, None), (ONCE, list(TIMES.values())))
    )
    tests = [likelihood_ratio_test(each, ["age"]).statistic for each in (plain, weighted)]
    assert tests[1] == pytest.approx(tests[0], rel=1e-9)


def test_fewer_different_rows_than_coefficients_are_refused_by_their_names() -> None:
    labels = {"faculty": ["arts", "law", "law"], "age": ["old", "young", "young"]}
    for times, covariates, yes in (([40, 30, 30], labels, [1, 0, 1]), (None, columns_of(labels, [40, 30, 30]), None)):
        outcomes = yes or [1] * 40 + [0] * 30 + [1] * 30
        with pytest.raises(EstimateError, match="faculty=law, age=young are collinear"):
            logistic_regression(outcomes, covariates, DESIGN, times=times)


def columns_of(labels: dict[str, list[str]], times: list[int]) -> dict[str, list[str]]:
    """Return the columns with each row as often as it occurs."""
    return {name: np.repeat(column, times).tolist() for name, column in labels.items()}


@pytest.mark.parametrize("times", [[1, 2], [1, 2, 0], [1, 1, 1.5], [[1, 1, 1]]])
def test_times_that_are_none_are_refused(times: object) -> None:
    with pytest.raises(EstimateError, match="whole numbers of at least 1"):
        logistic_regression([1, 0, 1], {"x": [1.0, 2.0, 4.0]}, DESIGN, times=times)  # type: ignore[arg-type]
