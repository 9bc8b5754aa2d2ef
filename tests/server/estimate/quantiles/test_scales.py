"""Quantiles of a scale: against order statistics, exact binomial tests, and all shares of small designs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.statistics import laws

from hushpoll_server.estimate.combine import covariances, total
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.joint import NAMES_ONE, OneDecides
from hushpoll_server.estimate.numbers.mean_design import MeanDesign
from hushpoll_server.estimate.numbers.means import estimate_mean
from hushpoll_server.estimate.quantiles.results import quantile_difference
from hushpoll_server.estimate.quantiles.scales import NO_SPREAD, quantiles_of_scale
from hushpoll_server.estimate.quantiles.weighted_shares import WeightedShares
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import SupportDesign

FIVE = (1.0, 2.0, 3.0, 4.0, 5.0)


def names_one(epsilon: float, size: int) -> SupportDesign:
    """Return k-ary randomized response."""
    odds = math.exp(epsilon)
    return SupportDesign(odds / (odds + size - 1), 1 / (odds + size - 1))


def scale(counts: Sequence[int], epsilon: float = 1.0, level: float = 0.95) -> Result:
    """Return the shares of a scale of which each report names a point."""
    cells = [(str(place), count, sum(counts)) for place, count in enumerate(counts, start=1)]
    return estimate_shares(cells, names_one(epsilon, len(counts)), epsilon=epsilon, joint=NAMES_ONE, level=level)


@pytest.mark.parametrize("counts", [(10, 20, 30, 25, 15), (50, 1, 1, 1, 47), (3, 3, 3, 3, 3), (0, 0, 7, 90, 3)])
def test_without_randomizing_quantiles_are_those_of_the_answers(counts: tuple[int, ...]) -> None:
    answers = np.repeat(FIVE, counts)
    result = quantiles_of_scale(scale(counts, epsilon=35.0), FIVE, shares=(0.1, 0.25, 0.5, 0.75, 0.9))
    for quantile in result.quantiles:
        assert quantile.estimate == np.quantile(answers, quantile.share, method="inverted_cdf")
    assert result.mean.estimate == pytest.approx(answers.mean(), abs=1e-9)
    assert result.deviation.estimate == pytest.approx(answers.std(), abs=1e-6)
    # The standard library's median of grouped data
    grouped = statistics.median_grouped(answers.tolist(), interval=1)
    assert result.quantile(0.5).interpolated.estimate == pytest.approx(grouped, abs=1e-9)  # type: ignore[attr-defined]


def test_limits_are_the_points_that_exact_binomial_tests_do_not_exclude() -> None:
    counts, share, epsilon = (9, 12, 8, 6, 5), 0.5, 3.0
    design, n = names_one(epsilon, 5), 40
    [quantile] = quantiles_of_scale(scale(counts, epsilon), FIVE, shares=(share,)).quantiles
    # If P(X ≤ t) = p, the number of reports that name a point up to t is binomial with this rate.
    tested = []
    for points in range(1, 5):
        rate = points * design.q + share * design.gap
        below = sum(counts[:points])
        tested.append((stats.binom.cdf(below, n, rate) < 0.025, stats.binom.sf(below - 1, n, rate) < 0.025))
    # The quantile is above t if fewer than p are at most t, and at most t otherwise.
    too_few, enough = zip(*tested, strict=True)
    assert quantile.low == 1 + sum(too_few)
    assert quantile.high == 5 - sum(enough)


def test_shares_at_most_a_point_are_sums_with_their_covariances() -> None:
    shares = scale((50, 80, 100, 60, 40))
    result = quantiles_of_scale(shares, FIVE)
    assert [each.at for each in result.at] == [1, 2, 3, 4]
    for place, each in enumerate(result.at, start=1):
        summed = total(shares, ["1", "2", "3", "4"][:place])
        assert (each.estimate, each.low, each.high) == (summed.estimate, summed.low, summed.high)
        assert each.se == summed.se


def test_where_all_reports_agree_a_share_still_has_a_standard_error() -> None:
    assert all((each.se or 0) > 0 for each in quantiles_of_scale(scale((0, 0, 0, 0, 40)), FIVE).at)


def test_below_the_first_point_and_from_the_last_on_a_share_is_certain() -> None:
    result = quantiles_of_scale(scale((5, 4, 3, 2, 1)), FIVE, at=(0.5, 2.5, 5, 9))
    assert [(each.estimate, each.method) for each in result.at if each.method == "certain"] == [
        (0.0, "certain"),
        (1.0, "certain"),
        (1.0, "certain"),
    ]
    assert result.at[1].estimate == quantiles_of_scale(scale((5, 4, 3, 2, 1)), FIVE, at=(2,)).at[0].estimate


@pytest.mark.parametrize(
    "law",
    [
        laws.subset(4, 1, math.e),
        laws.subset(5, 2, 3.0),
        laws.subset(6, 4, 1.5),
        laws.repeated(4, math.exp(3), math.e),
    ],
    ids=lambda law: f"{law.mechanism.name}-{len(law.supports)}",
)
def test_mean_squares_are_those_of_all_reports(law: laws.Law) -> None:
    weights = np.random.default_rng(1).standard_normal((law.supports.shape[1],))
    worth = (law.supports - law.support.q) / law.support.gap @ weights
    cells = [(str(place), 3, 10) for place in range(len(weights))]
    shares = WeightedShares(estimate_shares(cells, law.support, epsilon=1.0, joint=law.mechanism.joint))
    assert law.chances @ worth == pytest.approx(weights, abs=1e-12)
    assert shares.squares(weights) == pytest.approx(law.chances @ worth**2, abs=1e-12)


def test_the_mean_squares_of_points_of_a_plane_are_not_underestimated() -> None:
    law = laws.projective(7, 2, 3, math.e)
    weights = np.arange(7.0)
    worth = (law.supports - law.support.q) / law.support.gap @ weights
    cells = [(str(place), 3, 10) for place in range(7)]
    shares = WeightedShares(estimate_shares(cells, law.support, epsilon=1.0, joint=law.mechanism.joint))
    assert (shares.squares(weights) >= law.chances @ worth**2 - 1e-12).all()


def test_the_standard_error_of_the_mean_follows_from_the_covariances_of_the_shares() -> None:
    law = laws.subset(5, 2, 2.0)
    joint, points = law.mechanism.joint, np.array(FIVE)
    cells = [(str(place), count, 600) for place, count in enumerate((260, 240, 250, 230, 220), start=1)]
    shares = estimate_shares(cells, law.support, epsilon=1.0, joint=joint)
    matrix = covariances(shares, [name for name, _, _ in cells]).low
    # Σ f̂ = 1, so that any constant may be subtracted from the points.
    assert quantiles_of_scale(shares, FIVE).mean.se == pytest.approx(math.sqrt(points @ matrix @ points), rel=1e-9)


@pytest.mark.parametrize("counts", [(50, 80, 100, 60, 40), (0, 0, 1, 0, 0), (400, 3, 3, 3, 3)])
def test_the_mean_and_its_limits_are_those_of_a_question_that_reports_its_mean(counts: tuple[int, ...]) -> None:
    design, points = names_one(1.0, 5), np.array(FIVE)
    values = (points - design.q * points.sum()) / design.gap
    rows = design.q + design.gap * np.eye(5)
    known = estimate_mean(counts, MeanDesign(values, points, rows), epsilon=1.0).mean
    mean = quantiles_of_scale(scale(counts), FIVE).mean
    assert mean.estimate == pytest.approx(known.estimate, abs=1e-9)
    assert (mean.low, mean.high) == pytest.approx((known.low, known.high), abs=1e-6)


def test_sums_of_shares_that_fall_still_have_a_quantile_within_its_limits() -> None:
    # Unbiased shares .98, -.2, …: P(X ≤ 1) is above P(X ≤ 2).
    result = quantiles_of_scale(scale((140, 20, 60, 60, 60)), FIVE)
    rising = [each.estimate or 0 for each in result.at]
    assert rising != sorted(rising)
    for quantile in result.quantiles:
        assert (quantile.low or 0) <= (quantile.estimate or 0) <= (quantile.high or 0)


def test_without_reports_there_are_no_figures_and_a_warning() -> None:
    result = quantiles_of_scale(scale((0, 0, 0, 0, 0)), FIVE)
    assert {each.estimate for each in result.quantiles} | {each.estimate for each in result.at} == {None}
    assert (result.mean.estimate, result.deviation.estimate) == (None, None)
    assert result.warnings


@pytest.mark.parametrize("place", range(5))
def test_one_report_has_limits_and_excludes_nothing(place: int) -> None:
    result = quantiles_of_scale(scale([int(each == place) for each in range(5)]), FIVE)
    assert (result.quantile(0.5).low, result.quantile(0.5).high) == (1, 5)
    assert (result.mean.low or 9) < 1
    assert (result.mean.high or 0) > 5
    assert (result.mean.se or 0) > 0
    assert (result.deviation.high or 0) > 0


def test_reports_that_no_answers_produce_have_no_limits_of_the_deviation_and_a_warning() -> None:
    result = quantiles_of_scale(scale((500, 0, 0, 0, 0)), FIVE)
    assert (result.deviation.low, result.deviation.high) == (None, None)
    assert result.warnings[-1] == NO_SPREAD


def test_with_people_who_gave_no_point_all_figures_are_of_the_others() -> None:
    # 5,000 people, of whom 20 % declined, at an epsilon that leaves the answers as they are.
    result = quantiles_of_scale(scale((400, 800, 1600, 800, 400, 1000), epsilon=35.0), FIVE)
    assert [each.estimate for each in result.at] == pytest.approx([0.1, 0.3, 0.7, 0.9])
    assert result.mean.estimate == pytest.approx(3)
    assert result.quantile(0.5).estimate == 3
    # The interval of a share among 4,000 people
    low, high = stats.binomtest(1200, 4000).proportion_ci(method="wilson")
    assert (result.at[1].low, result.at[1].high) == pytest.approx((low, high), abs=1e-3)


def test_if_nobody_gave_a_point_there_are_no_figures() -> None:
    result = quantiles_of_scale(scale((20, 20, 20, 20, 20, 400)), FIVE)
    assert result.quantile(0.5).estimate is None
    assert "Too few reports" in result.warnings[-1]


def test_the_difference_of_medians_holds_where_both_medians_do() -> None:
    groups = ((50, 80, 100, 260, 140), (250, 90, 60, 50, 40))
    one, other = (quantiles_of_scale(scale(counts, level=0.9), FIVE) for counts in groups)
    gap, first, second = quantile_difference(one, other), one.quantile(0.5), other.quantile(0.5)
    assert gap.estimate == (first.estimate or 0) - (second.estimate or 0)
    assert (gap.low, gap.high) == (
        (first.low or 0) - (second.high or 0),
        (first.high or 0) - (second.low or 0),
    )
    assert gap.level == pytest.approx(0.81)
    empty = quantiles_of_scale(scale((0, 0, 0, 0, 0)), FIVE)
    assert quantile_difference(one, empty).to_json()["low"] is None
    with pytest.raises(EstimateError, match="no quantile of the share"):
        quantile_difference(one, other, 0.6)


def test_the_difference_of_medians_covers_two_camps() -> None:
    # Seeded. The medians are 2 and 5, at which few people are: 60 pairs of surveys at 95 %.
    design, level = names_one(1.0, 5), math.sqrt(0.95)
    camps = (np.array([0.48, 0.03, 0, 0, 0.49]), np.array([0.45, 0.04, 0, 0, 0.51]))
    rng, held = np.random.default_rng(6), []
    for _ in range(60):
        surveys = (rng.multinomial(500, design.q + truth * design.gap).tolist() for truth in camps)
        one, other = (quantiles_of_scale(scale(counts, level=level), FIVE, shares=(0.5,)) for counts in surveys)
        gap = quantile_difference(one, other)
        held.append((gap.low or 0) <= -3 <= (gap.high or 0))
    assert np.mean(held) >= 0.93


@pytest.mark.parametrize(
    ("points", "options", "says"),
    [
        ((1, 2, 2, 3, 4), {}, "do not increase"),
        ((1, 2, math.nan, 3, 4), {}, "do not increase"),
        ((1, 2, 3, 4, 5, 6), {}, "6 points do not belong to 5 cells"),
        (FIVE, {"shares": (0.0,)}, "not between 0 and 1"),
        (FIVE, {"at": (math.inf,)}, "not finite"),
        (FIVE, {"shares": (0.5,) * 2001}, "too many"),
    ],
)
def test_what_has_no_meaning_is_refused(points: tuple[float, ...], options: dict[str, Any], says: str) -> None:
    with pytest.raises(EstimateError, match=says):
        quantiles_of_scale(scale((9, 9, 9, 9, 9)), points, **options)


def test_answers_that_do_not_exclude_each_other_have_no_order() -> None:
    law = laws.ball(4, 1, 1, math.e)
    cells = [(str(place), 3, 10) for place in range(4)]
    shares = estimate_shares(cells, law.support, epsilon=1.0, joint=law.mechanism.joint)
    assert not isinstance(law.mechanism.joint, OneDecides)
    with pytest.raises(EstimateError, match="no order"):
        quantiles_of_scale(shares, (1, 2, 3, 4))


def test_limits_hold_as_often_as_promised() -> None:
    # Seeded. 100 surveys: the standard error is 2.2 points, and a median of few points covers more than its level.
    design, truth = names_one(1.0, 5), np.array([0.25, 0.25, 0.2, 0.2, 0.1])
    surveys = np.random.default_rng(5).multinomial(500, design.q + truth * design.gap, size=100)
    held = []
    for counts in surveys:
        result = quantiles_of_scale(scale(counts.tolist()), FIVE, shares=(0.5, 0.9))
        spread, (median, ninth) = result.deviation, result.quantiles
        held.append(
            (
                (median.low or 0) <= 2 <= (median.high or 0),
                (ninth.low or 0) <= 4 <= (ninth.high or 0),
                (spread.low or 0) <= 1.3219 <= (spread.high or 0),
            )
        )
    assert (np.mean(held, axis=0) >= 0.9).all()
