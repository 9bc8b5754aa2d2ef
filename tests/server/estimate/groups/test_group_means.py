"""Means in groups that are randomized, and differences of means of different people."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.group_means import GroupMeans, group_means, means_in_rows
from hushpoll_server.estimate.groups.mean_differences import difference_of_means
from hushpoll_server.estimate.numbers.mean_design import MeanDesign
from hushpoll_server.estimate.numbers.means import MeanResult, estimate_mean
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.tables.indicators import TableMoments, cell_values

# Two outputs on a range from 0 to 10: the number x is reported as 10 with x/10, randomized with odds 3:1.
DESIGN = MeanDesign(np.array([-5.0, 15.0]), np.array([0.0, 10.0]), np.array([[0.75, 0.25], [0.25, 0.75]]))


def survey(n: int, seed: int, p: float = 0.88) -> TableMoments:
    """Return reports of groups of 30 % and 70 %, with means of 6 and 4, measured from the middle of the range."""
    rng = np.random.default_rng(seed)
    groups = (rng.random(n) < 0.7).astype(int)
    ones = rng.random(n) < np.where(groups == 0, 0.6, 0.4)
    said = np.where(rng.random(n) < p, groups, 1 - groups)
    outputs = np.where(rng.random(n) < 0.75, ones, ~ones).astype(int)
    indicators = (np.eye(2)[said] - (1 - p)) / (2 * p - 1)
    numbers = DESIGN.values[outputs] - 5
    return TableMoments.of(cell_values([indicators, np.column_stack((np.ones(n), numbers))]))


def means(n: int, seed: int, **options: object) -> GroupMeans:
    return group_means(survey(n, seed), ("a", "b"), centre=5, options=Options(**options))  # type: ignore[arg-type]


def test_known_groups_have_their_plain_means_and_students_limits() -> None:
    rng = np.random.default_rng(1)
    groups, numbers = np.eye(2)[rng.integers(0, 2, 400)], rng.normal(size=400)
    moments = TableMoments.of(cell_values([groups, np.column_stack((np.ones(400), numbers))]))
    found = group_means(moments, ("a", "b"), centre=100)
    for place, group in enumerate(found.groups):
        own = numbers[groups[:, place] == 1]
        low, high = stats.t.interval(0.95, len(own) - 1, own.mean(), own.std() / np.sqrt(len(own)))
        assert group.mean.estimate == pytest.approx(own.mean() + 100)
        assert group.mean.se == pytest.approx(own.std() / np.sqrt(len(own)))
        # Fieller's limits allow for the size of the group, which is not fixed: by a percent or so.
        assert (group.mean.low, group.mean.high) == pytest.approx((low + 100, high + 100), abs=0.004)
        assert group.share.estimate == pytest.approx(len(own) / 400)
    [gap] = found.differences
    welch = stats.ttest_ind(numbers[groups[:, 0] == 1], numbers[groups[:, 0] == 0], equal_var=False)
    assert gap.p_value == pytest.approx(welch.pvalue, abs=0.01)


def test_errors_are_those_of_the_numerical_gradient() -> None:
    moments = survey(3000, 2)
    ratios, flat = means_in_rows(moments), moments.means.ravel()
    matrix = (moments.moments - np.outer(flat, flat)) / moments.n

    def figures(flat: Figures) -> Figures:
        return np.array([flat[1] / flat[0], flat[3] / flat[2]])

    step = 1e-6
    gradient = np.array([(figures(flat + move) - figures(flat - move)) / (2 * step) for move in step * np.eye(4)])
    expected = gradient.T @ matrix @ gradient
    assert ratios.covariances[:, :, 0] == pytest.approx(expected, rel=1e-7)


def test_the_means_of_private_groups_are_covered() -> None:
    # Seeded: 120 surveys of 1,500. At 95 % fewer than 102 would have a chance below 1e-5.
    covered = [0, 0, 0]
    for seed in range(120):
        found = means(1500, seed)
        [gap] = found.differences
        figures = (*(group.mean for group in found.groups), gap.difference)
        for place, (figure, truth) in enumerate(zip(figures, (6, 4, 2), strict=True)):
            covered[place] += figure.low is None or figure.low <= truth <= (figure.high or 0)
    assert min(covered) >= 102


def test_the_overall_test_sees_the_difference_and_json_is_complete() -> None:
    found = means(20_000, 3)
    assert found.overall is not None
    assert found.overall.p_value < 1e-6
    written = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert {"group", "estimate", "se", "low", "high", "share"} == written["means"][0].keys()
    assert {"first", "second", "estimate", "se", "low", "high", "p_value"} <= written["differences"][0].keys()


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_reports_have_no_limits_and_say_so(n: int) -> None:
    found = means(n, 4)
    json.dumps(found.to_json(), allow_nan=False)
    for group in found.groups:
        assert group.mean.se is None or group.mean.se > 0
        assert group.mean.low is None or group.mean.low < (group.mean.high or 0)
    assert found.warnings


def test_limits_of_other_kinds_are_left_out_or_refused() -> None:
    found = means(2000, 1, coverage="anytime")
    assert {figure.low for group in found.groups for figure in (group.mean, group.share)} == {None}
    assert any("every look" in warning for warning in found.warnings)
    with pytest.raises(EstimateError, match="leave the method out"):
        means(2000, 1, method="exact")
    alone, together = (means(2000, 1, coverage=each).groups[0] for each in ("pointwise", "simultaneous"))
    assert (together.mean.low or 0) < (alone.mean.low or 0)
    assert (together.share.high or 0) > (alone.share.high or 0)


def test_no_reports_have_no_figures() -> None:
    found = group_means(TableMoments.empty((2, 2)), ("a", "b"), centre=0)
    assert {group.mean.estimate for group in found.groups} == {None}
    assert "No reports yet" in found.warnings[0]
    with pytest.raises(EstimateError, match="both columns"):
        group_means(TableMoments.empty((2, 3)), ("a", "b"), centre=0)


def result(low: int, high: int, **options: object) -> MeanResult:
    return estimate_mean([low, high], DESIGN, epsilon=1.1, **options)  # type: ignore[arg-type]


def test_with_normal_limits_the_difference_of_means_is_welchs() -> None:
    first, second = result(2000, 3000, method="wald"), result(3100, 2900, method="wald")
    gap = difference_of_means(first, second)
    one, other = first.mean, second.mean
    assert one.se is not None
    assert other.se is not None
    assert one.estimate is not None
    assert other.estimate is not None
    assert gap.estimate == pytest.approx(one.estimate - other.estimate)
    assert gap.se == pytest.approx(np.hypot(one.se, other.se))
    assert gap.high - gap.estimate == pytest.approx(1.959964 * gap.se, rel=2e-3)
    expected = stats.ttest_ind_from_stats(
        one.estimate, one.se * np.sqrt(5000), 5000, other.estimate, other.se * np.sqrt(6000), 6000, equal_var=False
    )
    assert gap.p_value == pytest.approx(expected.pvalue, rel=0.05)


def test_the_test_and_the_interval_of_a_difference_of_means_agree() -> None:
    for low in range(2400, 2600, 10):
        gap = difference_of_means(result(low, 5000 - low), result(2600, 2400))
        assert gap.p_value is not None
        assert (gap.p_value < 0.05) == (gap.low > 0 or gap.high < 0)


def test_equal_reports_leave_a_width_and_means_of_other_kinds_are_refused() -> None:
    gap = difference_of_means(result(1, 0), result(1, 0))
    assert gap.se > 0
    assert gap.low < 0 < gap.high
    assert gap.p_value == 1
    with pytest.raises(EstimateError, match="at one level"):
        difference_of_means(result(5, 5), result(5, 5, level=0.9))
    with pytest.raises(EstimateError, match="pointwise"):
        difference_of_means(result(5, 5), result(5, 5, coverage="anytime"))
    with pytest.raises(EstimateError, match="no limits yet"):
        difference_of_means(result(0, 0), result(5, 5))
