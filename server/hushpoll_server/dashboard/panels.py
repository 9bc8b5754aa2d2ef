"""All questions of a survey as the dashboard shows them, worked out before any page is rendered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from markupsafe import Markup

from hushpoll_server.dashboard import figures
from hushpoll_server.dashboard.chart import draw_chart
from hushpoll_server.dashboard.mean_panel import ADJUSTED, DistributionPanel, MeanPanel
from hushpoll_server.dashboard.query import Choice
from hushpoll_server.dashboard.share_panel import SharePanel
from hushpoll_server.estimate import Coverage, Result
from hushpoll_server.estimate.distribution import DistributionResult
from hushpoll_server.estimate.means import MeanResult
from hushpoll_server.results import QuestionResult, Results
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question

GRADES = (0.5, 0.8, 0.95)
COVERAGE_NAMES: Mapping[Coverage, str] = {
    "pointwise": "this interval, at one look",
    "simultaneous": "all answers of a question at once",
    "anytime": "keep looking: at every look",
}

AnyPanel = SharePanel | MeanPanel | DistributionPanel
Kind = TypeVar("Kind", Result, MeanResult, DistributionResult)


def shown_levels(choice: Choice) -> list[float]:
    """Return the levels of the intervals that are drawn, from the inner to the outer one."""
    return sorted({*GRADES, choice.level})


def make_panels(manifest: Manifest, graded: Mapping[float, Results], choice: Choice) -> list[AnyPanel]:
    """Sort the results at the levels that are shown by question."""
    return [
        _panel(question, graded[choice.level][question.id], [results[question.id] for results in graded.values()])
        for question in manifest.questions
    ]


def survey_chart(manifest: Manifest, panels: list[AnyPanel], reports: int) -> Markup:
    """Draw all questions in one picture that stands alone."""
    sections = [section for panel in panels for section in panel.sections(heading=_heading(panel))]
    return draw_chart(
        sections, prefix="chart", title=manifest.title, legend=_legend(manifest, panels, reports), file=True
    )


def _panel(question: Question, result: QuestionResult, graded: Sequence[QuestionResult]) -> AnyPanel:
    if isinstance(result, MeanResult):
        return MeanPanel(question, result, _alike(MeanResult, graded))
    if isinstance(result, Result):
        return SharePanel(question, result, _alike(Result, graded))
    distributions = _alike(DistributionResult, graded)
    means, bins = (tuple(each.mean for each in distributions), tuple(each.bins for each in distributions))
    return DistributionPanel(question, result.mean, means, result.bins, bins)


def _alike(kind: type[Kind], results: Sequence[QuestionResult]) -> tuple[Kind, ...]:
    return tuple(result for result in results if isinstance(result, kind))


def _heading(panel: AnyPanel) -> str:
    n, epsilon = figures.whole(panel.result.n), figures.epsilon(panel.question.design.epsilon)
    return f"{panel.question.text} (n = {n}, ε = {epsilon})"


def _legend(manifest: Manifest, panels: list[AnyPanel], reports: int) -> tuple[str, ...]:
    result = panels[0].result
    levels = ", ".join(figures.level_name(each.level) for each in panels[0].graded)
    methods = ", ".join(dict.fromkeys(panel.method for panel in panels))
    level = figures.level_name(result.level)
    bars = f"Bars from thick to thin: {levels} intervals ({methods}; {COVERAGE_NAMES[result.coverage]})."
    return (
        f"{figures.reports(reports)}. Dot: unbiased estimate. ± is half the {level} interval. Arrow: beyond the axis.",
        bars,
        f"Bracket below: the {level} interval without randomizing.{_band_words(panels)}",
        *_cut_words(panels),
        f"Manifest {manifest.id}",
    )


def _band_words(panels: list[AnyPanel]) -> str:
    banded = any(section.banded for panel in panels for section in panel.sections())
    return " Dashed line above: what the assumed share of made-up reports leaves possible." if banded else ""


def _cut_words(panels: list[AnyPanel]) -> tuple[str, ...]:
    largest = any(isinstance(panel, SharePanel) and panel.sorted for panel in panels)
    steps = any(isinstance(panel, DistributionPanel) and not panel.early for panel in panels)
    return (
        *(["Of questions with many answers only the largest estimates are drawn."] if largest else []),
        *([f"Distribution: {ADJUSTED}; cut off at 0."] if steps else []),
    )
