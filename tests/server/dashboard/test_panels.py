"""What is computed for each question before a page is rendered."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from tests.samples.surveys import two_questions

from hushpoll_server.counting.tally import SurveyCounts, number_of_reports
from hushpoll_server.dashboard.chart import ChartRow, draw_chart
from hushpoll_server.dashboard.mean_panel import DistributionPanel, MeanPanel
from hushpoll_server.dashboard.panels import AnyPanel, make_panels, shown_levels, survey_chart
from hushpoll_server.dashboard.share_panel import SharePanel
from hushpoll_server.estimate.options import Options
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.mechanism import TOTAL
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.results.cached import CachedResults
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Ball, Design
from hushpoll_shared.question_types import AnyQuestionType, MultiChoice, Number, Option, Scale, SingleChoice
from hushpoll_shared.questions import Question

ONE = Bound.of_epsilon("1")


def panels_of(manifest: Manifest, counts: SurveyCounts, options: Options) -> list[AnyPanel]:
    graded = CachedResults().graded_results_of(manifest, counts, shown_levels(options), options)
    return make_panels(manifest, graded, options)


def panels(yes: int, n: int, *, level: float = 0.95, population: int | None = None) -> list[SharePanel]:
    manifest = two_questions(population=population)
    counts = {question.id: Counter({"0": n - yes, "1": yes, TOTAL: n}) for question in manifest.questions}
    made = panels_of(manifest, counts, Options(level=level))
    return [panel for panel in made if isinstance(panel, SharePanel)]


def panel_of(question_type: AnyQuestionType, design: Design, counters: dict[str, int]) -> AnyPanel:
    manifest = two_questions(questions=(Question("q", "How?", question_type, design),))
    [panel] = panels_of(manifest, {"q": Counter(counters)}, Options(beta=0.05))
    return panel


def share_panel_of(question_type: AnyQuestionType, design: Design, counters: dict[str, int]) -> SharePanel:
    panel = panel_of(question_type, design, counters)
    assert isinstance(panel, SharePanel)
    return panel


def choice_of(size: int) -> SingleChoice:
    return SingleChoice(tuple(Option(f"o{i}", f"Option {i}") for i in range(size)))


def test_panels_follow_the_manifest() -> None:
    assert [panel.question.id for panel in panels(400, 1000)] == ["cheated", "helped"]


@pytest.mark.parametrize(
    ("level", "drawn"), [(0.95, [0.5, 0.8, 0.95]), (0.5, [0.5, 0.8, 0.95]), (0.99, [0.5, 0.8, 0.95, 0.99])]
)
def test_the_chosen_level_is_always_among_those_drawn(level: float, drawn: list[float]) -> None:
    [panel, _] = panels(400, 1000, level=level)
    assert [result.level for result in panel.graded] == drawn
    assert panel.result.level == level


def test_an_empty_panel_leaves_it_to_the_page_to_say_so() -> None:
    [panel, _] = panels(0, 0)
    assert panel.empty
    assert panel.early
    assert panel.warnings == ()


def test_sampling_alone_gives_the_textbook_interval() -> None:
    [panel, _] = panels(400, 1000)
    alone = panel.cell_sampling(panel.result.cells[0])
    assert alone is not None
    # f = 0.3: 1.959964 √(0.3 · 0.7 / 1000)
    assert alone.high - 0.3 == pytest.approx(1.959964 * math.sqrt(0.21 / 1000), rel=1e-6)


def test_a_census_has_no_sampling_error() -> None:
    [panel, _] = panels(400, 1000, population=1000)
    alone = panel.cell_sampling(panel.result.cells[0])
    assert alone is not None
    assert alone.low == alone.high


@pytest.mark.parametrize("yes", [200, 250, 750, 800])
def test_at_and_beyond_the_edge_nothing_is_claimed_about_sampling(yes: int) -> None:
    [panel, _] = panels(yes, 1000)
    assert panel.cell_sampling(panel.result.cells[0]) is None


def test_an_option_that_some_devices_were_asked_about_counts_those_only() -> None:
    question_type = MultiChoice((Option("a", "A"), Option("b", "B")))
    panel = share_panel_of(
        question_type, Ball(2, 1, 1, 3 * 2**62), {TOTAL: 400, "0": 100, "0?": 200, "1": 15, "1?": 25}
    )
    first, second = panel.result.cells
    assert (panel.asked(first), panel.asked(second)) == (200, 25)
    assert panel.some_unasked
    alone = panel.cell_sampling(first)
    assert alone is not None
    # f = (1/2 − 1/4)/(1/2) of 200 devices
    assert alone.high - 0.5 == pytest.approx(1.959964 * math.sqrt(0.25 / 200), rel=1e-6)
    # Too early for an option, though not for the question.
    assert [row.value for row in panel.sections()[0].rows][1] == "too early: 25 reports"
    assert not panel.early


def test_up_to_thirty_answers_are_shown_in_their_own_order() -> None:
    design = SubsetMechanism.of(ONE, 30, picks=1)
    panel = share_panel_of(choice_of(30), design, {TOTAL: 3000, **{str(i): 100 for i in range(30)}})
    assert panel.listed == panel.charted == panel.result.cells
    assert panel.label(panel.listed[3]) == "Option 3"


def test_of_a_codebook_the_largest_estimates_are_shown() -> None:
    design = ProjectiveMechanism.of(ONE, 2100)
    reports = {f"{i:0{design.width}x}": 1 + i % 3 for i in range(0, design.points, 7)}
    panel = share_panel_of(choice_of(2100), design, {TOTAL: sum(reports.values()), **reports})
    shown = [cell.estimate or 0 for cell in panel.listed]
    assert len(shown) == 50
    assert shown == sorted(shown, reverse=True)
    assert shown[-1] >= sorted((cell.estimate or 0) for cell in panel.result.cells)[-50]
    assert panel.charted == panel.listed[:12]
    assert len(panel.chart()) < 30_000


def test_the_band_of_made_up_reports_is_drawn_beside_the_intervals() -> None:
    counters = {TOTAL: 900, "0": 500, "1": 300, "2": 100}
    panel = share_panel_of(choice_of(3), SubsetMechanism.of(ONE, 3, picks=1), counters)
    for cell, row in zip(panel.listed, panel.sections()[0].rows, strict=True):
        assert row.band is not None
        assert cell.band is not None
        assert (row.band.low, row.band.high) == (cell.band.low, cell.band.high)


def test_the_chart_of_a_survey_lays_out_every_row_once(monkeypatch: pytest.MonkeyPatch) -> None:
    manifest, drawn = two_questions(), []
    counts = {question.id: Counter({"0": 60, "1": 40, TOTAL: 100}) for question in manifest.questions}
    made, lay_out = panels_of(manifest, counts, Options(beta=0.05)), SharePanel.cell_row

    def watched(panel: SharePanel, *args: Any, **options: Any) -> ChartRow:
        drawn.append(panel.question.id)
        return lay_out(panel, *args, **options)

    monkeypatch.setattr(SharePanel, "cell_row", watched)
    assert "Dashed line above" in survey_chart(manifest, made, 100)
    assert drawn == ["cheated", "helped"]


def test_a_mean_is_drawn_on_the_questions_range_in_its_own_unit() -> None:
    scale = Scale(1, 5, ((1, "none"), (5, "much")), "mean")
    design = LaplaceMechanism.of(ONE)
    # All reports are at the middle of the range.
    panel = panel_of(scale, design, {TOTAL: 400, f"{design.reach + 8:0{design.width}x}": 400})
    assert isinstance(panel, MeanPanel)
    assert panel.mean.estimate == pytest.approx(3)
    [section] = panel.sections(heading="How?")
    assert (section.axis.low, section.axis.high) == (1, 5)
    assert section.rows[0].value.startswith("3.0 ±")
    assert len(section.rows[0].intervals) == 3
    assert panel.ends == "1 = none, 5 = much"
    assert "of the variance; without randomizing" in panel.price


def test_those_who_gave_no_number_have_shares_of_their_own_beside_the_mean() -> None:
    age, design = Number("0", "99", "distribution", ("decline",)), SquareWaveMechanism.of(ONE, 16, 4, 1)
    reports = {f"{i:0{design.width}x}": 30 for i in range(design.outputs)}
    panel = panel_of(age, design, {TOTAL: 30 * design.outputs, **reports})
    assert isinstance(panel, DistributionPanel)
    numbers, others = panel.sections(heading="How old?")
    assert numbers.rows[0].label == "mean of those who gave a number"
    assert (numbers.axis.high, others.axis.high) == (99, 1)
    assert [row.label for row in others.rows] == ["prefer not to say"]
    assert len(others.rows[0].intervals) == 3
    assert panel.price == "–"


def test_an_interval_without_a_limit_reaches_beyond_the_axis() -> None:
    age, design = Number("0", "99", "distribution", ("decline",)), SquareWaveMechanism.of(ONE, 16, 4, 1)
    first = design.bins + 2 * design.half
    # Some reports favour a number, but no more than chance gives if everybody declines.
    reports = {f"{i:0{design.width}x}": 2 if i < first else 5 for i in range(design.outputs)}
    panel = panel_of(age, design, {TOTAL: sum(reports.values()), **reports})
    assert isinstance(panel, DistributionPanel)
    assert panel.mean.estimate is not None
    assert panel.mean.high is None
    outer = panel.sections()[0].rows[0].intervals[-1]
    assert (outer.low, outer.high) == (-math.inf, math.inf)
    assert panel.chart().count("chart-arrow") >= 2


def test_a_mean_without_randomizing_is_known_better() -> None:
    design = LaplaceMechanism.of(ONE)
    reports = {f"{i:0{design.width}x}": 10 for i in range(design.outputs)}
    panel = panel_of(Number("0", "40"), design, {TOTAL: 10 * design.outputs, **reports})
    assert isinstance(panel, MeanPanel)
    alone, mean, price = panel.sampling, panel.mean, panel.result.price_of_privacy
    assert alone is not None
    assert mean.low is not None
    assert mean.high is not None
    assert price is not None
    narrower = (alone.high - alone.low) / (mean.high - mean.low)
    assert narrower == pytest.approx(math.sqrt(1 - price), rel=0.02)


def test_a_distribution_has_its_mean_and_quartiles_above_its_bins_on_one_axis() -> None:
    design = SquareWaveMechanism.of(ONE, 8, 2)
    panel = panel_of(Number("-4", "4", "distribution"), design, {TOTAL: 1200, **{f"{i:x}": 100 for i in range(12)}})
    assert isinstance(panel, DistributionPanel)
    [section] = panel.sections()
    assert section.steps is not None
    assert len(section.steps.estimates) == 8
    assert [row.label for row in section.rows] == ["mean", "lower quartile", "median", "upper quartile"]
    assert [len(row.intervals) for row in section.rows] == [3, 3, 3, 3]
    assert section.rows[0].estimate == pytest.approx(0, abs=1e-9)
    assert section.rows[2].estimate == pytest.approx(0, abs=0.05)
    assert panel.bin_name(panel.distribution.bins[0]) == "−4.0 to −3.0"
    assert [name for name, _ in panel.figures] == ["standard deviation", "lower quartile", "median", "upper quartile"]
    assert panel.binned[0][1] == panel.distribution.cumulative[0]
    assert panel.binned[-1][1] is None


def test_too_few_reports_to_a_distribution_draw_no_steps() -> None:
    design = SquareWaveMechanism.of(ONE, 8, 2)
    panel = panel_of(Number("0", "8", "distribution"), design, {TOTAL: 29, "3": 29})
    assert panel.early
    assert panel.sections()[0].steps is None
    assert draw_chart(panel.sections(heading="x"), prefix="p", title="t")


def test_reports_are_counted_once_however_many_questions_each_answers() -> None:
    manifest = two_questions()
    every = {"cheated": Counter({TOTAL: 40}), "helped": Counter({TOTAL: 40})}
    assert number_of_reports(manifest, every) == 40
    three = tuple(Question(name, "How?", choice_of(3), SubsetMechanism.of(ONE, 3)) for name in "abc")
    some = {name: Counter({TOTAL: number}) for name, number in (("a", 30), ("b", 24), ("c", 26))}
    assert number_of_reports(two_questions(questions=three, ask=2), some) == 40
