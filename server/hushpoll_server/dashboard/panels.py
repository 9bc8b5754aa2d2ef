"""All questions of a survey as the dashboard shows them, computed before any page is rendered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from markupsafe import Markup

from hushpoll_server.analysis.results import Results
from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.chart import draw_chart
from hushpoll_server.dashboard.mean_panel import PICTURE, DistributionPanel, MeanPanel
from hushpoll_server.dashboard.share_panel import SharePanel
from hushpoll_server.estimate.estimands import QuestionResult
from hushpoll_server.estimate.numbers.distribution import DistributionResult
from hushpoll_server.estimate.numbers.means import MeanResult
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import Coverage, Result
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question

CHART_LEVELS = (0.5, 0.8, 0.95)
COVERAGE_NAMES: Mapping[Coverage, str] = {
    "pointwise": "one interval at a fixed time",
    "simultaneous": "all answers of a question jointly",
    "anytime": "continuous monitoring",
}

AnyPanel = SharePanel | MeanPanel | DistributionPanel
R = TypeVar("R", Result, MeanResult, DistributionResult)


def shown_levels(options: Options) -> list[float]:
    """Return the confidence levels of the intervals that are drawn, lowest first."""
    return sorted({*CHART_LEVELS, options.level})


def make_panels(manifest: Manifest, graded: Mapping[float, Results], options: Options) -> list[AnyPanel]:
    """Return a panel for each question, with its results at all levels that are shown."""
    return [
        make_panel(question, graded[options.level][question.id], [results[question.id] for results in graded.values()])
        for question in manifest.questions
    ]


def survey_chart(manifest: Manifest, panels: list[AnyPanel], reports: int) -> Markup:
    """Draw all questions in one chart for a file of its own."""
    sections = [section for panel in panels for section in panel.sections(heading=_heading(panel))]
    banded = any(section.banded for section in sections)
    legend = _legend(manifest, panels, reports, banded=banded)
    return draw_chart(sections, prefix="chart", title=manifest.title, legend=legend, file=True)


def make_panel(question: Question, result: QuestionResult, graded: Sequence[QuestionResult]) -> AnyPanel:
    """Return the panel of one question, with its results at all levels that are shown."""
    if isinstance(result, MeanResult):
        return MeanPanel(question, result, _of_type(MeanResult, graded))
    if isinstance(result, Result):
        return SharePanel(question, result, _of_type(Result, graded))
    distributions = _of_type(DistributionResult, graded)
    return DistributionPanel(question, result.mean, tuple(each.mean for each in distributions), result, distributions)


def _of_type(result_type: type[R], results: Sequence[QuestionResult]) -> tuple[R, ...]:
    return tuple(result for result in results if isinstance(result, result_type))


def _heading(panel: AnyPanel) -> str:
    n, epsilon = formatting.whole(panel.result.n), formatting.epsilon(panel.question.design.epsilon)
    return f"{panel.question.text} (n = {n}, ε = {epsilon})"


def _legend(manifest: Manifest, panels: list[AnyPanel], reports: int, *, banded: bool) -> tuple[str, ...]:
    result = panels[0].result
    levels = ", ".join(formatting.level_name(each.level) for each in panels[0].graded)
    methods = ", ".join(dict.fromkeys(panel.method for panel in panels))
    level = formatting.level_name(result.level)
    dots = f"Dot: unbiased estimate. ±: its {level} margin of error. Arrow: beyond the axis."
    band = " Dashed line above: what the assumed share of made-up reports leaves possible." if banded else ""
    bars = f"Bars from thick to thin: {levels} confidence intervals ({methods}; {COVERAGE_NAMES[result.coverage]})."
    return (
        f"{formatting.reports(reports)}. {dots}",
        bars,
        f"Bracket below: the {level} interval without randomizing.{band}",
        *_cut_words(panels),
        f"Manifest {manifest.id}",
    )


def _cut_words(panels: list[AnyPanel]) -> tuple[str, ...]:
    largest = any(isinstance(panel, SharePanel) and panel.sorted for panel in panels)
    steps = any(isinstance(panel, DistributionPanel) and not panel.early for panel in panels)
    return (
        *(["Of questions with many answers only the largest estimates are drawn."] if largest else []),
        *([f"Distribution: {PICTURE}."] if steps else []),
    )
