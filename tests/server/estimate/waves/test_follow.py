"""Changes, tests and the trend over waves: against closed forms, other modules and simulated panels."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import linalg, optimize, stats

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.differences import difference_between
from hushpoll_server.estimate.joint import NAMES_ONE
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.estimate.waves.follow import Wave, WavesResult, follow_linked, follow_waves
from hushpoll_server.estimate.waves.panel import Panel
from hushpoll_server.estimate.waves.trend import Waves
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.repeated import RepeatedMechanism

TWO_COINS = SupportDesign(3 / 4, 1 / 4)
REPEATED = RepeatedMechanism.of(Bound.of_epsilon("1"), Bound.of_epsilon("2"), 2)
ONCE, PERMANENT = SupportDesign(REPEATED.p, REPEATED.q), SupportDesign(REPEATED.first.p, REPEATED.first.q)
APART = Panel(overlap=0.0)


def waves(
    counts: Sequence[int], n: int | Sequence[int] = 1000, design: SupportDesign = TWO_COINS, first: float = 1
) -> list[Wave]:
    totals = [n] * len(counts) if isinstance(n, int) else n
    rows = enumerate(zip(counts, totals, strict=True))
    return [Wave(name=f"w{place}", yes=yes, n=all_, design=design, time=first + place) for place, (yes, all_) in rows]


def panel_reports(shares: float, n: int, changed: float, rng: np.random.Generator, times: int = 2) -> np.ndarray:
    """Return the reports of the same people in several waves, with remembered draws; a row for each person."""
    keep, again = float(REPEATED.first.p), float(REPEATED.second.p)
    answers = rng.random(n) < shares
    remembered = np.column_stack((rng.random(n) >= keep, rng.random(n) < keep))
    reports = []
    for _ in range(times):
        drawn = remembered[np.arange(n), answers.astype(int)]
        reports.append(np.where(rng.random(n) < again, drawn, ~drawn))
        answers = np.where(rng.random(n) < changed, rng.random(n) < shares, answers)
    return np.column_stack(reports) * 1.0


def test_a_change_of_different_people_is_the_difference_of_two_groups() -> None:
    [change] = follow_waves(waves((400, 350)), panel=APART).changes
    first, second = (
        estimate_shares([("yes", count, 1000)], TWO_COINS, epsilon=1.1, joint=NAMES_ONE) for count in (400, 350)
    )
    assert change.change == difference_between(second, "yes", first, "yes")
    assert (change.first, change.second, round(change.change.estimate, 9)) == ("w0", "w1", -0.1)


def test_waves_are_compared_with_the_next_and_the_first_with_the_last() -> None:
    result = follow_waves(waves((400, 420, 450, 470)))
    assert [(each.first, each.second) for each in result.changes] == [
        ("w0", "w1"),
        ("w1", "w2"),
        ("w2", "w3"),
        ("w0", "w3"),
    ]


def test_what_is_known_of_the_people_narrows_a_change_step_by_step() -> None:
    asked = waves((400, 420), design=ONCE)
    panels = (
        Panel(overlap=1.0, permanent=PERMANENT),
        Panel(overlap=1.0, changed=0.3, permanent=PERMANENT),
        Panel(overlap=1.0, changed=0.1, permanent=PERMANENT),
    )
    widths = []
    for panel in panels:
        [each] = follow_waves(asked, panel=panel).changes
        widths.append(each.change.high - each.change.low)
    assert widths == sorted(widths, reverse=True)
    # Fréchet's bound for fresh draws is what two questions to the same people have.
    [fresh] = follow_waves(asked, panel=Panel(overlap=1.0)).changes
    one, other = (estimate_shares([("yes", count, 1000)], ONCE, epsilon=1.0, joint=NAMES_ONE) for count in (400, 420))
    known = difference_between(other, "yes", one, "yes", same_people=True)
    assert (fresh.change.low, fresh.change.high) == pytest.approx((known.low, known.high), abs=1e-12)


def test_the_line_is_that_of_weighted_least_squares() -> None:
    counts, n = (380, 450, 400, 520), (1000, 1200, 900, 1000)
    result = follow_waves(waves(counts, n, first=2020), panel=APART)
    trend = result.trend
    assert trend is not None
    times = np.arange(2020, 2024)
    shares = np.array([wave.cells[0].estimate for wave in result.waves])
    # All waves have one design, so their weights are the numbers of reports.
    slope, level = np.polyfit(times - 2021.5, shares, 1, w=np.sqrt(n))
    assert trend.slope.estimate == pytest.approx(slope, abs=1e-12)
    assert trend.at(2021.5).estimate == pytest.approx(level, abs=1e-12)
    errors = np.array([wave.cells[0].se for wave in result.waves])
    centre = times @ np.array(n) / sum(n)
    weights = np.array(n) * (times - centre) / (np.array(n) @ (times - centre) ** 2)
    assert trend.slope.se == pytest.approx(math.sqrt(weights**2 @ errors**2), abs=1e-12)
    point = trend.at(2030)
    z, scheffe = stats.norm.ppf(0.975), math.sqrt(stats.chi2.ppf(0.95, 2))
    assert point.high - point.estimate == pytest.approx(z * point.se)
    assert point.band_high - point.estimate == pytest.approx(scheffe * point.se)


def test_scheffes_band_is_the_largest_error_of_any_time() -> None:
    # sup over all times of (line/se)² is the quadratic form of level and slope, which χ² with two degrees bounds.
    trend = follow_waves(waves((380, 450, 400, 520), first=-1.5), panel=APART).trend
    assert trend is not None
    series = trend.waves
    weights = series.line_weights()
    figures, matrix = weights @ series.shares, weights @ series.covariances.low @ weights.T

    def minus(time: float) -> float:
        point = trend.at(time)
        return -((point.estimate / point.se) ** 2)

    best = optimize.minimize_scalar(minus, bounds=(-1e3, 1e3), method="bounded", options={"xatol": 1e-9})
    tried = max(-best.fun, *(-minus(time) for time in np.linspace(-50, 50, 20_001)))
    assert tried == pytest.approx(float(figures @ np.linalg.solve(matrix, figures)), rel=1e-3)


def test_the_tests_are_those_of_generalised_least_squares() -> None:
    reports = panel_reports(0.4, 3000, 0.1, np.random.default_rng(1), times=4)
    result = follow_linked(reports, ONCE, names=list("abcd"), permanent=PERMANENT)
    trend, overall = result.trend, result.overall
    assert trend is not None
    assert overall is not None
    shares, matrix = trend.waves.shares, result.covariances.low
    for test, model in ((overall, np.ones((4, 1))), (trend.straight, np.column_stack((np.ones(4), np.arange(4))))):
        inverse = np.linalg.inv(matrix)
        fitted = model @ np.linalg.solve(model.T @ inverse @ model, model.T @ inverse @ shares)
        left = shares - fitted
        assert test.statistic == pytest.approx(left @ inverse @ left, abs=1e-9)
        assert test.degrees == 4 - model.shape[1]


@pytest.mark.parametrize("times", [2, 3, 4, 7])
def test_bounds_enter_a_test_by_a_matrix_with_no_less_variance_of_any_contrast(times: int) -> None:
    panel, counts = Panel(overlap=1.0, changed=0.5, permanent=PERMANENT), [400 + 9 * place for place in range(times)]
    bounds = follow_waves(waves(counts, design=ONCE), panel=panel).covariances
    cautious = Waves(np.arange(float(times)), np.zeros(times), np.ones(times), bounds).cautious
    contrasts, rng = linalg.null_space(np.ones((1, times))), np.random.default_rng(1)
    for _ in range(200):
        # Pairs at one bound or the other are the extreme cases.
        part = np.triu(rng.integers(0, 2, size=(times, times)), 1)
        true = bounds.low + (part + part.T) * (bounds.high - bounds.low)
        assert np.linalg.eigvalsh(contrasts.T @ (cautious - true) @ contrasts).min() >= -1e-15


def test_for_two_waves_the_test_of_no_change_is_that_of_the_change() -> None:
    result = follow_waves(waves((400, 450), design=ONCE), panel=Panel(overlap=1.0, changed=0.2, permanent=PERMANENT))
    [change] = result.changes
    assert result.overall is not None
    assert result.overall.statistic == pytest.approx((change.change.estimate / change.change.se) ** 2)


def test_the_covariance_that_is_assumed_is_that_of_simulated_panels() -> None:
    # Seeded: 2,000 panels of 300 people, of whom nobody changed. The covariance of 2,000 pairs is known to some 4 %.
    rng, n = np.random.default_rng(8), 300
    rates = np.array([panel_reports(0.3, n, 0.0, rng).mean(axis=0) for _ in range(2000)])
    shares = (rates - ONCE.q) / ONCE.gap
    counts = round(n * ONCE.rate(0.3))
    panel = Panel(overlap=1.0, changed=0.0, permanent=PERMANENT)
    assumed = follow_waves(waves((counts, counts), n, ONCE), panel=panel).covariances.low[0, 1]
    assert np.cov(shares.T)[0, 1] == pytest.approx(float(assumed), rel=0.15)


def test_changes_and_trends_of_the_same_people_hold_as_often_as_promised() -> None:
    # Seeded, 80 panels of 500 people: the standard error is 2.4 points.
    rng, held = np.random.default_rng(2), []
    stated = Panel(overlap=1.0, changed=0.2, permanent=PERMANENT)
    for _ in range(80):
        reports = panel_reports(0.3, 500, 0.1, rng, times=3)
        asked = waves([int(column.sum()) for column in reports.T], 500, ONCE)
        results = (
            follow_waves(asked, panel=stated),
            follow_linked(reports, ONCE, names="abc", permanent=PERMANENT),
            follow_waves(asked, panel=Panel(permanent=PERMANENT)),
        )
        held.append([inside for result in results for inside in _holds(result)])
    assert (np.mean(held, axis=0) >= 0.9).all()


def _holds(result: WavesResult) -> list[bool]:
    assert result.trend is not None
    change, slope = result.changes[0].change, result.trend.slope
    points = result.trend.points
    band = all(point.band_low <= 0.3 <= point.band_high for point in points)
    return [change.low <= 0 <= change.high, slope.low <= 0 <= slope.high, band]


def test_without_a_stated_overlap_a_warning_says_what_is_assumed() -> None:
    result = follow_waves(waves((400, 420, 450), design=ONCE), panel=Panel(permanent=PERMANENT))
    assert "The overlap of the waves is not stated" in result.warnings[-1]
    assert "at most 57% of them changed" in result.warnings[-1]
    assert follow_waves(waves((400, 420, 450)), panel=APART).warnings == ()


def test_two_waves_have_a_change_and_no_trend() -> None:
    result = follow_waves(waves((400, 420)), panel=APART)
    assert result.trend is None
    assert "no trend" in result.warnings[0]


def test_more_change_than_was_stated_is_told() -> None:
    result = follow_waves(waves((300, 700)), panel=Panel(overlap=1.0, changed=0.1))
    assert "changed by more than the stated part" in result.warnings[-1]


def test_a_wave_without_reports_has_no_figures_and_is_left_out() -> None:
    result = follow_waves(waves((400, 0, 450, 430), (1000, 0, 1000, 1000)), panel=APART)
    assert result.waves[1].cells[0].estimate is None
    assert [each.second for each in result.changes] == ["w2", "w3", "w3"]
    assert "No reports in w1" in result.warnings[0]
    nothing = follow_waves(waves((0, 0, 0), 0))
    assert (nothing.changes, nothing.overall, nothing.trend) == ((), None, None)
    json.dumps(nothing.to_json(), allow_nan=False)


@pytest.mark.parametrize("counts", [(0, 1, 0), (1, 1, 1), (0, 0, 0)])
@pytest.mark.parametrize("panel", [Panel(), APART, Panel(overlap=1.0, changed=0.0, permanent=PERMANENT)])
def test_one_report_in_each_wave_gives_wide_limits_and_a_warning(counts: tuple[int, ...], panel: Panel) -> None:
    result = follow_waves(waves(counts, 1, ONCE), panel=panel)
    json.dumps(result.to_json(), allow_nan=False)
    assert result.overall is None
    assert result.trend is not None
    assert result.trend.slope.se > 0
    assert all(each.change.se > 0 and each.change.low < each.change.high for each in result.changes)
    assert "fewer than 5 reports" in result.warnings[-1]


def test_linked_people_who_always_send_the_same_still_have_a_standard_error() -> None:
    reports = np.repeat([[1.0] * 3, [0.0] * 3], 50, axis=0)
    result = follow_linked(reports, ONCE, names="abc", permanent=PERMANENT)
    assert all(each.change.se > 0 and each.change.low < each.change.high for each in result.changes)
    assert result.trend is not None
    assert result.trend.slope.se > 0


def test_a_design_that_mostly_tells_the_opposite_gives_the_same_figures() -> None:
    rng = np.random.default_rng(4)
    reports = panel_reports(0.3, 200, 0.1, rng, times=3)
    one = follow_linked(reports, ONCE, names="abc", permanent=PERMANENT)
    other = follow_linked(1 - reports, SupportDesign(ONCE.q, ONCE.p), names="abc", permanent=PERMANENT)
    assert [each.change.low for each in one.changes] == pytest.approx([each.change.low for each in other.changes])


def test_a_wave_of_a_result_has_the_counts_of_its_cell() -> None:
    cells = [("a", 300, 1000), ("b", 700, 1000)]
    wave = Wave.of(estimate_shares(cells, ONCE, epsilon=1.0, joint=NAMES_ONE), "b", name="spring", time=1.0)
    assert (wave.yes, wave.n, wave.design) == (700, 1000, ONCE)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (waves((400,)), "1 waves cannot be followed"),
        ([*waves((400,)), *waves((400,))], "same name"),
        ([waves((4, 5))[1], waves((4, 5))[0]], "do not increase"),
        (waves((4, 5), first=math.inf), "do not increase"),
        (waves((4, 5), 3), "not between 0 and n"),
    ],
)
def test_what_has_no_meaning_is_refused(wrong: list[Wave], says: str) -> None:
    with pytest.raises(EstimateError, match=says):
        follow_waves(wrong)


@pytest.mark.parametrize("reports", [[[1.0, 2.0]], [[1.0]], [1.0, 0.0]])
def test_linked_reports_that_are_none_are_refused(reports: list[float]) -> None:
    with pytest.raises(EstimateError, match=r"neither 1 nor 0|one column for each wave"):
        follow_linked(reports, ONCE, names="ab")
