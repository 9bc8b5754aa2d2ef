"""The weighted mean of unbiased numbers, against SciPy and closed forms."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.weighting.mean import weighted_mean


def test_equal_weights_give_the_mean_with_students_interval_of_scipy() -> None:
    values = np.random.default_rng(1).normal(3, 2, 50)
    mean = weighted_mean(values, np.full(50, 7.0))
    low, high = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (mean.estimate, mean.se, mean.low, mean.high) == pytest.approx(
        (values.mean(), stats.sem(values), low, high), rel=1e-12
    )
    assert mean.effective_n == pytest.approx(50)


def test_unequal_weights_give_the_linearised_standard_error() -> None:
    rng = np.random.default_rng(2)
    values, w = rng.normal(size=80), rng.lognormal(size=80)
    mean = weighted_mean(values, w)
    centre = np.average(values, weights=w)
    assert mean.estimate == pytest.approx(centre)
    assert mean.se == pytest.approx(np.sqrt(80 / 79 * (w**2 * (values - centre) ** 2).sum()) / w.sum())


def test_in_a_census_only_the_randomizing_is_left() -> None:
    values = np.random.default_rng(3).normal(size=100)
    mean = weighted_mean(values, np.ones(100), population=100, privacy_variance=0.75)
    assert mean.se == pytest.approx(np.sqrt(0.75 / 100))


def test_a_population_without_the_variance_of_the_randomizing_is_refused() -> None:
    with pytest.raises(EstimateError, match="give privacy_variance"):
        weighted_mean([1, 2, 3], [1, 1, 1], population=100)


@pytest.mark.parametrize(
    ("values", "weights", "sentence"),
    [
        ([], [], "No reports yet"),
        ([2.0], [3], "One report shows no spread"),
        ([2.0, 2.0, 2.0], [1, 2, 3], "All numbers are the same"),
        ([2.0, 2.0, 2.0, 5.0], [1, 1, 1, 1e-12], "All numbers are the same"),
        ([1.0, 2.0, 3.0], [1, 1e-9, 1e-9], "One report outweighs all others"),
    ],
)
def test_what_shows_no_spread_has_no_standard_error_but_a_sentence(
    values: list[float], weights: list[float], sentence: str
) -> None:
    mean = weighted_mean(values, weights)
    assert (mean.se, mean.low, mean.high) == (None, None, None)
    assert sentence in mean.warnings[0]
    json.dumps(mean.to_json(), allow_nan=False)


@pytest.mark.parametrize("values", [[1, float("nan")], [1, float("inf")], ["a", "b"], [[1], [2]]])
def test_values_that_are_no_numbers_are_refused(values: list[Any]) -> None:
    with pytest.raises(EstimateError):
        weighted_mean(values, [1, 1])
