"""Questions with numbers: the mean on the question's own range, and on the same axis the distribution.

The law here: the mean is unbiased and is the headline; the distribution is adjusted and is never shown without saying
so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from hushpoll_server.answers import ends_of
from hushpoll_server.dashboard import figures
from hushpoll_server.dashboard.axis import Axis, range_axis
from hushpoll_server.dashboard.chart import Row, Section
from hushpoll_server.dashboard.panel import Panel, around, band_interval, graded_intervals, price_words
from hushpoll_server.dashboard.steps import Steps
from hushpoll_server.estimate import Cell, Interval
from hushpoll_server.estimate.distribution import Bin
from hushpoll_server.estimate.mean_of_some import MeanOfSomeResult
from hushpoll_server.estimate.means import Mean, MeanResult
from hushpoll_shared.questions import Scale

ADJUSTED = "adjusted (EM with smoothing), biased; intervals by bootstrap"


@dataclass(frozen=True)
class MeanPanel(Panel):
    """A question with a mean on a range."""

    result: MeanResult
    graded: tuple[MeanResult, ...]

    view: ClassVar = "mean"
    unit: ClassVar = figures.OWN
    exact: ClassVar = "Chernoff"

    @property
    def mean(self) -> Mean:
        """Give the mean."""
        return self.result.mean

    @property
    def axis(self) -> Axis:
        """Give the axis of the question's range."""
        low, high = ends_of(self.question.kind)
        return range_axis(float(low), float(high))

    @property
    def ends(self) -> str:
        """Say what the labelled points of a scale mean."""
        kind = self.question.kind
        return ", ".join(f"{point} = {text}" for point, text in kind.labels) if isinstance(kind, Scale) else ""

    @property
    def title(self) -> str:
        """Say what the picture shows."""
        return f"Estimated mean: {self.question.text}"

    @property
    def sampling(self) -> Interval | None:
        """Give the interval that the same people would give without randomizing, by the normal approximation."""
        mean, price = self.mean, self.result.price_of_privacy
        if mean.estimate is None or mean.se is None or price is None or not self.axis.holds(mean.estimate):
            return None
        # The rest of the variance is that of sampling.
        return around(mean.estimate, mean.se * math.sqrt(1 - price), self.result.level)

    @property
    def price(self) -> str:
        """Say in words what the privacy costs."""
        return price_words(self.result.price_of_privacy, self.sampling, self.mean, self.unit)

    @property
    def listed(self) -> tuple[Cell, ...]:
        """Give the shares of those who gave no number."""
        return _extras(self.result)

    @property
    def whose(self) -> str:
        """Say whose mean it is."""
        return " of those who gave a number" if self.listed else ""

    def sections(self, *, heading: str = "") -> tuple[Section, ...]:
        """Lay out the mean on the question's range, and below it the shares of those who gave no number."""
        mean = Section(rows=(self._row(bare=not heading),), axis=self.axis, heading=heading)
        return (mean, Section(rows=self._extra_rows())) if self.listed else (mean,)

    def _row(self, *, bare: bool) -> Row:
        row = self.row(self.mean, self.unit, n=self.result.n, name=f"mean{self.whose}", bare=bare)
        if row.estimate is None:
            return row
        intervals = graded_intervals([result.mean for result in self.graded])
        return replace(row, intervals=intervals, sampling=self.sampling, band=band_interval(self.result.band))

    def _extra_rows(self) -> tuple[Row, ...]:
        by_level = zip(*map(_extras, self.graded), strict=True)
        return tuple(self.cell_row(cell, graded) for cell, graded in zip(self.listed, by_level, strict=True))


@dataclass(frozen=True)
class DistributionPanel(MeanPanel):
    """A question that reports its distribution, with its mean."""

    bins: tuple[Bin, ...]
    graded_bins: tuple[tuple[Bin, ...], ...]

    view: ClassVar = "distribution"
    adjusted: ClassVar = ADJUSTED

    @property
    def title(self) -> str:
        """Say what the picture shows."""
        return f"Estimated mean and distribution: {self.question.text}"

    @property
    def fitted(self) -> bool:
        """Tell whether there are shares of the bins: not if nobody gave a number."""
        return self.bins[0].estimate is not None

    def bin_name(self, item: Bin) -> str:
        """Write the range of a bin with as many digits as tell the bins apart."""
        # Two digits of the width: 1.25 has two decimals, 12.5 one.
        decimals = max(0, 1 - math.floor(math.log10(item.end - item.start)))
        return f"{figures.number(item.start, decimals, self.unit)} to {figures.number(item.end, decimals, self.unit)}"

    def sections(self, *, heading: str = "") -> tuple[Section, ...]:
        """Lay out the mean with the distribution on the same axis, then what else there is."""
        mean, *others = super().sections(heading=heading)
        return mean if self.early or not self.fitted else replace(mean, steps=self._steps()), *others

    def _steps(self) -> Steps:
        by_level = tuple(graded_intervals(bins) for bins in self.graded_bins)
        return Steps(tuple(item.estimate or 0.0 for item in self.bins), by_level)


def _extras(result: MeanResult) -> tuple[Cell, ...]:
    return result.cells if isinstance(result, MeanOfSomeResult) else ()
