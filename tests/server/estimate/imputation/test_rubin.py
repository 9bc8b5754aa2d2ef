"""Rubin's rules: worked by hand, against SciPy's law of Student, and where they have no answer."""

from __future__ import annotations

import json

import pytest
from scipy import stats

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.imputation.rubin import CERTAIN, rubin


def test_three_data_sets_worked_by_hand() -> None:
    found = rubin([1.0, 2.0, 3.0], [1.0, 1.0, 1.0])
    # Ū = 1, B = 1, T = 1 + 4/3, ν = 2(1 + 3/4)², r = 4/3
    assert (found.estimate, found.within, found.between, found.total) == pytest.approx((2, 1, 1, 7 / 3))
    assert found.degrees == pytest.approx(6.125)
    assert found.missing_information == pytest.approx((4 / 3 + 2 / 9.125) / (7 / 3))
    assert [found.low, found.high] == pytest.approx(stats.t(6.125, 2, (7 / 3) ** 0.5).interval(0.95))


def test_complete_data_of_few_people_have_fewer_degrees_of_freedom() -> None:
    found = rubin([1.0, 2.0, 3.0], [1.0, 1.0, 1.0], complete_degrees=10)
    # ν_obs = 11/13 · 10 · 3/7, 1/ν = 1/6.125 + 1/ν_obs
    assert found.degrees == pytest.approx(1 / (1 / 6.125 + 1 / (11 / 13 * 10 * 3 / 7)))
    assert (rubin([1.0, 2.0], [1e9, 1e9], complete_degrees=10).degrees or 99) <= 10


def test_data_sets_that_agree_have_the_interval_of_one() -> None:
    found = rubin([0.5, 0.5, 0.5], [0.01, 0.01, 0.01])
    assert found.degrees is None
    assert found.missing_information == 0
    assert found.se == pytest.approx(0.1)
    assert [found.low, found.high] == pytest.approx(stats.norm(0.5, 0.1).interval(0.95))


def test_no_variance_at_all_is_no_standard_error_and_says_so() -> None:
    found = rubin([1.0, 1.0], [0.0, 0.0], complete_degrees=5)
    assert (found.se, found.low, found.high, found.missing_information) == (None, None, None, None)
    assert found.warnings == (CERTAIN,)
    json.dumps(found.to_json(), allow_nan=False)


def test_variance_between_the_data_sets_alone_is_enough() -> None:
    found = rubin([0.0, 0.01, 0.02], [0.0, 0.0, 0.0], complete_degrees=100)
    assert (found.missing_information, found.degrees) == (1, 2)
    assert found.se == pytest.approx((4 / 3) ** 0.5 * 0.01)


@pytest.mark.parametrize(
    ("estimates", "variances", "says"),
    [
        ([1.0], [1.0], "two or more"),
        ([1.0, 2.0], [1.0], "two or more"),
        ([1.0, float("nan")], [1.0, 1.0], "finite"),
        ([1.0, 2.0], [1.0, -1.0], "negative"),
    ],
)
def test_what_cannot_be_combined_is_refused(estimates: list[float], variances: list[float], says: str) -> None:
    with pytest.raises(EstimateError, match=says):
        rubin(estimates, variances)


def test_impossible_degrees_and_levels_are_refused() -> None:
    with pytest.raises(EstimateError, match="degrees"):
        rubin([1.0, 2.0], [1.0, 1.0], complete_degrees=0)
    with pytest.raises(EstimateError, match="level"):
        rubin([1.0, 2.0], [1.0, 1.0], level=1.0)
