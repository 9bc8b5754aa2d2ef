"""What the dashboard knows of every question, whatever its type.

The law here: the unbiased estimate with its unclipped interval is in the table from the first report on; only the
headline and the chart wait until there are enough reports to be worth a look.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from markupsafe import Markup

from hushpoll_server.dashboard import figures
from hushpoll_server.dashboard.chart import Row, Section, draw_chart
from hushpoll_server.dashboard.labels import labels_of
from hushpoll_server.estimate import Band, Cell, Interval, Result
from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.estimate.means import MeanResult
from hushpoll_server.respond.label import MECHANISMS
from hushpoll_server.respond.sentences import odds_sentence
from hushpoll_shared.questions import Question

TOO_EARLY_BELOW = 30
METHOD_NAMES = {
    "wilson": "Wilson",
    "exact": "exact",
    "wald": "Wald",
    "mixture": "anytime-valid mixture",
}


@dataclass(frozen=True)
class Panel(ABC):
    """One question with its figures at the chosen level and at those of the chart."""

    question: Question
    result: Result | MeanResult
    graded: tuple[Result | MeanResult, ...]

    # The template that shows it.
    view: ClassVar[str]
    # What the exact limits are called after.
    exact: ClassVar[str] = "Clopper–Pearson"

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

    @property
    def method(self) -> str:
        """Name the method of the intervals."""
        name = METHOD_NAMES[self.result.method]
        return f"{name} ({self.exact})" if self.result.method == "exact" else name

    @property
    def mechanism(self) -> str:
        """Name the mechanism in words."""
        return MECHANISMS[self.question.design.NAME]

    @property
    def told(self) -> str:
        """Give the sentence that respondents read about their odds."""
        return odds_sentence(self.question)

    def chart(self) -> Markup:
        """Draw this question alone; its text stands above the picture."""
        return draw_chart(self.sections(), prefix=f"chart-{self.question.id}", title=self.title)

    @property
    @abstractmethod
    def title(self) -> str:
        """Say what the picture shows."""

    @property
    @abstractmethod
    def price(self) -> str:
        """Say in words what the privacy costs."""

    @property
    @abstractmethod
    def listed(self) -> tuple[Cell, ...]:
        """Give the cells of the table."""

    @abstractmethod
    def sections(self, *, heading: str = "") -> tuple[Section, ...]:
        """Lay out the picture, alone or under a heading among others."""

    @cached_property
    def _labels(self) -> dict[str, str]:
        return labels_of(self.question.kind)

    def label(self, cell: Cell) -> str:
        """Give the words for a cell."""
        return self._labels.get(cell.name, cell.name)

    def asked(self, cell: Cell) -> int:
        """Tell how many reports are about a cell."""
        return self.result.n if cell.asked is None else cell.asked

    @property
    def some_unasked(self) -> bool:
        """Tell whether reports are about some of the cells only."""
        return any(cell.asked is not None for cell in self.listed)

    def cell_sampling(self, cell: Cell) -> Interval | None:
        """Give the interval of a share that as many people would give without randomizing."""
        f, n = cell.estimate, self.asked(cell)
        if f is None or not 0 < f < 1:
            return None
        part = 0.0 if self.result.population is None else n / self.result.population
        # z √((1 − n/N) f(1 − f)/n): the finite population shrinks the sampling part, and here there is no other
        return around(f, math.sqrt((1 - part) * f * (1 - f) / n), self.result.level)

    def cell_row(self, cell: Cell, by_level: tuple[Cell, ...], *, bare: bool = False) -> Row:
        """Lay out the share of a cell; a bare one has neither label nor value."""
        name = self.label(cell)
        row = self.row(cell, figures.SHARE, n=self.asked(cell), name=name, bare=bare)
        if row.estimate is None:
            return row
        sampling, band = self.cell_sampling(cell), band_interval(cell.band)
        return replace(row, intervals=graded_intervals(by_level), sampling=sampling, band=band)

    def row(self, figure: figures.Estimated, unit: figures.Unit, *, n: int, name: str, bare: bool) -> Row:
        """Lay out one estimate, or say that it is too early for one."""
        label = "" if bare else name
        if n < TOO_EARLY_BELOW or figure.estimate is None:
            words = f"too early: {figures.reports(n)}" if n else "no reports yet"
            return Row(label=label, value="" if bare else words, spoken=f"{name}: {words}.")
        headline = figures.headline(figure, unit)
        limits = f"{figures.level_name(self.result.level)} interval {figures.interval(figure, unit)}"
        spoken = f"{name}: {headline}; {limits}; {figures.reports(n)}."
        return Row(label=label, value="" if bare else headline, spoken=spoken, estimate=figure.estimate)


def price_words(
    price: float | None, sampling: Interval | None, figure: figures.Estimated, unit: figures.Unit = figures.SHARE
) -> str:
    """Say what part of the variance is owed to the randomizing, and what that does to the margin."""
    if price is None:
        return figures.NOTHING
    words = f"{figures.signed(price, 0)} of the variance"
    if sampling is None:
        return words
    decimals = figures.decimals_of(figure.se, unit) + 1
    halves = (figures.half_width(each, decimals, unit) for each in (sampling, figure))
    without, with_ = (f"±\N{NO-BREAK SPACE}{half}" for half in halves)
    return f"{words}; without randomizing the same people would give about {without} instead of {with_}"


def around(estimate: float, se: float, level: float) -> Interval:
    """Give the normal interval around an estimate."""
    half = normal_quantile(level) * se
    return Interval(estimate - half, estimate + half)


def graded_intervals(by_level: Sequence[figures.Limited]) -> tuple[Interval, ...]:
    """Give the intervals of one figure, from the inner to the outer one; what has no limit reaches to infinity."""
    return tuple(
        Interval(-math.inf if each.low is None else each.low, math.inf if each.high is None else each.high)
        for each in by_level
    )


def band_interval(band: Band | None) -> Interval | None:
    """Give a band as an interval to draw."""
    return None if band is None else Interval(band.low, band.high)
