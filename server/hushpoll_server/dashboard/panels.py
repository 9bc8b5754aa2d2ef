"""What the dashboard shows of each question, worked out before any page is rendered.

The law here: the unbiased estimate with its unclipped interval is in the table from the first report on; only the
headline and the chart wait until there are enough reports to be worth a look.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from hushpoll_server.dashboard import figures
from hushpoll_server.dashboard.chart import Row, draw_chart
from hushpoll_server.dashboard.query import Choice
from hushpoll_server.estimate import Cell, Interval, Result
from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.results import Results
from hushpoll_shared.manifest import Manifest, Question

TOO_EARLY_BELOW = 30
GRADES = (0.5, 0.8, 0.95)
METHOD_NAMES = {"wilson": "Wilson", "exact": "exact (Clopper–Pearson)", "wald": "Wald"}

Estimate = Callable[[float], Results]


@dataclass(frozen=True)
class Panel:
    """One question with its figures at the chosen level and at those of the chart."""

    question: Question
    result: Result
    graded: tuple[Result, ...]

    @property
    def empty(self) -> bool:
        """Tell whether no report has come yet."""
        return self.result.n == 0

    @property
    def early(self) -> bool:
        """Tell whether there are too few reports for a headline and a chart."""
        return self.result.n < TOO_EARLY_BELOW

    @property
    def warnings(self) -> tuple[str, ...]:
        """Give the words of care; a page says by itself that there are no reports."""
        return () if self.empty else self.result.warnings

    def chart(self) -> Markup:
        """Draw this question alone; its text stands above the picture."""
        alone = len(self.result.cells) == 1
        rows = [_row(self, cell, label="" if alone else cell.name, value=not alone) for cell in self.result.cells]
        return draw_chart(rows, prefix=f"chart-{self.question.id}", title=f"Estimated shares: {self.question.text}")


def make_panels(manifest: Manifest, estimate: Estimate, choice: Choice) -> list[Panel]:
    """Estimate at every level that is shown and sort the results by question."""
    graded = [estimate(level) for level in sorted({*GRADES, choice.level})]
    chosen = estimate(choice.level)
    return [
        Panel(question, chosen[question.id], tuple(results[question.id] for results in graded))
        for question in manifest.questions
    ]


def survey_chart(manifest: Manifest, panels: list[Panel]) -> Markup:
    """Draw all questions in one picture that stands alone."""
    rows = [_row(panel, cell, label=_label(panel, cell), value=True) for panel in panels for cell in panel.result.cells]
    return draw_chart(rows, prefix="chart", title=manifest.title, legend=_legend(manifest, panels[0]), file=True)


def sampling_interval(cell: Cell, result: Result) -> Interval | None:
    """Give the interval that the same people would give without randomizing, by the normal approximation."""
    if cell.estimate is None or not 0 < cell.estimate < 1:
        return None
    asked = 0.0 if result.population is None else result.n / result.population
    # z √((1 − n/N) f(1 − f)/n): the finite population shrinks the sampling part, and here there is no other
    half = normal_quantile(result.level) * math.sqrt((1 - asked) * cell.estimate * (1 - cell.estimate) / result.n)
    return Interval(cell.estimate - half, cell.estimate + half)


def _row(panel: Panel, cell: Cell, *, label: str, value: bool) -> Row:
    if panel.early:
        words = "no reports yet" if panel.empty else f"too early: {figures.reports(panel.result.n)}"
        return Row(label=label, value=words if value else "", spoken=f"{label} – {words}.")
    return Row(
        label=label,
        value=figures.headline(cell) if value else "",
        spoken=_spoken(panel, cell, label or cell.name),
        estimate=cell.estimate,
        intervals=_intervals(panel, cell),
        sampling=sampling_interval(cell, panel.result),
    )


def _intervals(panel: Panel, cell: Cell) -> tuple[Interval, ...]:
    graded = (each for result in panel.graded for each in result.cells if each.name == cell.name)
    return tuple(Interval(each.low, each.high) for each in graded if each.low is not None and each.high is not None)


def _spoken(panel: Panel, cell: Cell, label: str) -> str:
    level, n = figures.level_name(panel.result.level), figures.reports(panel.result.n)
    return f"{label}: {figures.headline(cell)}; {level} interval {figures.interval(cell)}; {n}."


def _label(panel: Panel, cell: Cell) -> str:
    return f"{panel.question.text} – {cell.name} (ε = {figures.epsilon(panel.question.design.epsilon)})"


def _legend(manifest: Manifest, panel: Panel) -> tuple[str, ...]:
    levels = ", ".join(figures.level_name(result.level) for result in panel.graded)
    level, method = figures.level_name(panel.result.level), METHOD_NAMES[panel.result.method]
    bars = f"Bars from thick to thin: {levels} intervals ({method})."
    bracket = f"Bracket: the {level} interval without randomizing. Arrow: beyond the axis."
    return (
        f"{figures.reports(panel.result.n)}. Dot: unbiased estimate. {bars}",
        f"± is half the {level} interval, in points. {bracket}",
        f"Manifest {manifest.id}",
    )
