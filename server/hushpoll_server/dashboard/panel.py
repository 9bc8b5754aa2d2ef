"""What the dashboard shows for every question, whatever its type.

The rule here: the unbiased estimate with its unclipped interval is in the table from the first report on; only the
headline and the chart wait until there are enough reports to be meaningful.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from markupsafe import Markup

from hushpoll_server.analysis.sampling import share_sampling
from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.chart import ChartRow, Section, draw_chart
from hushpoll_server.estimate.intervals import Interval
from hushpoll_server.estimate.manipulation import Band
from hushpoll_server.estimate.numbers.means import MeanResult
from hushpoll_server.estimate.options import FEWEST_REPORTS
from hushpoll_server.estimate.results import Cell, Result
from hushpoll_server.words.sentences import mechanism_name
from hushpoll_shared.questions import Question

TOO_EARLY_BELOW = FEWEST_REPORTS
METHOD_NAMES = {
    "wilson": "Wilson",
    "exact": "exact",
    "wald": "Wald",
    "gaffke": "Gaffke (Clopper–Pearson for means)",
    "mixture": "anytime-valid mixture",
}


@dataclass(frozen=True)
class Panel(ABC):
    """One question with its figures at the chosen confidence level and at those of the chart."""

    question: Question
    result: Result | MeanResult
    graded: tuple[Result | MeanResult, ...]

    # The template that shows it.
    view: ClassVar[str]
    # Whose name the exact limits have.
    exact: ClassVar[str] = "Clopper–Pearson"

    @property
    def empty(self) -> bool:
        """Return whether there is no report yet."""
        return self.result.n == 0

    @property
    def early(self) -> bool:
        """Return whether there are too few reports for a headline and a chart."""
        return self.result.n < TOO_EARLY_BELOW

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return the warnings; none if there are no reports, which the page itself says."""
        return () if self.empty else self.result.warnings

    @property
    def method(self) -> str:
        """Return the name of the intervals' method."""
        name = METHOD_NAMES[self.result.method]
        return f"{name} ({self.exact})" if self.result.method == "exact" else name

    @property
    def mechanism(self) -> str:
        """Return the name of the mechanism in words."""
        return mechanism_name(self.question)

    @property
    def told(self) -> str:
        """Return the sentence that respondents read about their odds."""
        return self.question.told("en").odds

    def chart(self) -> Markup:
        """Draw the chart of this question alone, without its text, which is shown above."""
        return draw_chart(self.sections(), prefix=f"chart-{self.question.id}", title=self.title)

    @property
    @abstractmethod
    def title(self) -> str:
        """Return what the chart shows, in words."""

    @property
    @abstractmethod
    def price(self) -> str:
        """Return the price of privacy, in words."""

    @property
    @abstractmethod
    def listed(self) -> tuple[Cell, ...]:
        """Return the cells of the table."""

    @abstractmethod
    def sections(self, *, heading: str = "") -> tuple[Section, ...]:
        """Lay out the chart, alone or under a heading among others."""

    @cached_property
    def _labels(self) -> dict[str, str]:
        return self.question.type.labels

    def label(self, cell: Cell) -> str:
        """Return the label of a cell."""
        return self._labels.get(cell.name, cell.name)

    def asked(self, cell: Cell) -> int:
        """Return how many reports are about a cell."""
        return self.result.n if cell.asked is None else cell.asked

    @cached_property
    def some_unasked(self) -> bool:
        """Return whether a report is about only some of the cells."""
        return any(cell.asked is not None for cell in self.listed)

    def cell_sampling(self, cell: Cell) -> Interval | None:
        """Return the interval that a share would have without randomizing, with as many respondents."""
        result = self.result
        return share_sampling(cell, n=result.n, population=result.population, level=result.level)

    def cell_row(
        self, cell: Cell, by_level: tuple[Cell, ...], *, bare: bool = False, name: str | None = None
    ) -> ChartRow:
        """Lay out the share of a cell, called by its label or another name; a bare row has neither label nor value."""
        name = self.label(cell) if name is None else name
        row = self.row(cell, formatting.SHARE, n=self.asked(cell), name=name, bare=bare)
        if row.estimate is None:
            return row
        sampling, band = self.cell_sampling(cell), band_interval(cell.band)
        return replace(row, intervals=graded_intervals(by_level), sampling=sampling, band=band)

    def row(self, figure: formatting.Estimated, unit: formatting.Unit, *, n: int, name: str, bare: bool) -> ChartRow:
        """Lay out one estimate, or say that it is too early for one."""
        row = estimate_row(figure, unit, n=n, name=name, level=self.result.level)
        return replace(row, label="", value="") if bare else row


def estimate_row(figure: formatting.Estimated, unit: formatting.Unit, *, n: int, name: str, level: float) -> ChartRow:
    """Lay out one estimate, or say that it is too early for one."""
    if n < TOO_EARLY_BELOW or figure.estimate is None:
        words = f"too early: {formatting.reports(n)}" if n else "no reports yet"
        return ChartRow(label=name, value=words, spoken=f"{name}: {words}.")
    headline = formatting.headline(figure, unit)
    limits = f"{formatting.level_name(level)} interval {formatting.interval(figure, unit)}"
    spoken = f"{name}: {headline}; {limits}; {formatting.reports(n)}."
    return ChartRow(label=name, value=headline, spoken=spoken, estimate=figure.estimate)


def price_words(
    price: float | None,
    sampling: Interval | None,
    figure: formatting.Estimated,
    unit: formatting.Unit = formatting.SHARE,
) -> str:
    """Return what part of the variance is due to the randomizing, and what that does to the margin of error."""
    if price is None:
        return formatting.NOTHING
    words = f"{formatting.signed(price, 0)} of the variance"
    if sampling is None:
        return words
    decimals = formatting.decimals_of(figure.se, unit) + 1
    halves = (formatting.half_width(each, decimals, unit) for each in (sampling, figure))
    without, with_ = (f"±\N{NO-BREAK SPACE}{half}" for half in halves)
    return f"{words}; without randomizing the margin of error would be about {without} instead of {with_}"


def graded_intervals(by_level: Sequence[formatting.Limited]) -> tuple[Interval, ...]:
    """Return the intervals of one figure, from the inner to the outer one; a missing limit is infinite."""
    return tuple(
        Interval(-math.inf if each.low is None else each.low, math.inf if each.high is None else each.high)
        for each in by_level
    )


def band_interval(band: Band | None) -> Interval | None:
    """Return a band as an interval to draw."""
    return None if band is None else Interval(band.low, band.high)
