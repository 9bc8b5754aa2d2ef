"""Questions with numbers: the mean on the question's own range, and on the same axis the distribution.

The rule here: the mean is unbiased and is the headline; the bins are a picture, and always labelled as such.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from hushpoll_server.analysis.sampling import mean_sampling
from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.axis import Axis, range_axis
from hushpoll_server.dashboard.chart import ChartRow, Section
from hushpoll_server.dashboard.histogram import Steps
from hushpoll_server.dashboard.panel import Panel, band_interval, graded_intervals, price_words
from hushpoll_server.estimate.intervals import Interval
from hushpoll_server.estimate.numbers.distribution import QUANTILES, Below, Bin, DistributionResult, Quantile
from hushpoll_server.estimate.numbers.mean_of_some import MeanOfSomeResult
from hushpoll_server.estimate.numbers.means import Mean, MeanResult
from hushpoll_server.estimate.results import Cell

PICTURE = "a picture, as smooth as the reports allow, without limits"
QUANTILE_NAMES = ("lower quartile", "median", "upper quartile")
assert len(QUANTILE_NAMES) == len(QUANTILES), "every quantile that is estimated has a name"


@dataclass(frozen=True)
class MeanPanel(Panel):
    """A question with a mean on a range."""

    result: MeanResult
    graded: tuple[MeanResult, ...]

    view: ClassVar = "mean"
    unit: ClassVar = formatting.OWN
    exact: ClassVar = "Chernoff"

    @property
    def mean(self) -> Mean:
        """Return the mean."""
        return self.result.mean

    @cached_property
    def axis(self) -> Axis:
        """Return the axis of the question's range."""
        low, high = self.question.type.range
        return range_axis(float(low), float(high))

    @property
    def ends(self) -> str:
        """Return what the labelled points of a scale mean."""
        labels = self.question.type.texts.get("labels", {})
        return ", ".join(f"{point} = {text}" for point, text in labels.items())

    @property
    def title(self) -> str:
        """Return what the chart shows, in words."""
        return f"Estimated mean: {self.question.text}"

    @cached_property
    def sampling(self) -> Interval | None:
        """Return the interval that the mean would have without randomizing, by the normal approximation."""
        return mean_sampling(self.result, low=self.axis.low, high=self.axis.high)

    @cached_property
    def price(self) -> str:
        """Return the price of privacy, in words."""
        return price_words(self.result.price_of_privacy, self.sampling, self.mean, self.unit)

    @property
    def listed(self) -> tuple[Cell, ...]:
        """Return the shares of point masses, and of those who gave no number."""
        return _extras(self.result)

    @property
    def caption(self) -> str:
        """Return what the cells are, in words."""
        masses = ["single numbers"] if self.question.type.point_masses else []
        others = ["respondents without a number"] if self.question.type.extras else []
        return " and ".join(masses + others).capitalize()

    @property
    def whose(self) -> str:
        """Return whose mean it is, in words to append."""
        return " of those who gave a number" if self.question.type.extras else ""

    @property
    def figures(self) -> tuple[tuple[str, Mean], ...]:
        """Return what is estimated of the numbers besides their mean, by name."""
        return ()

    def sections(self, *, heading: str = "") -> tuple[Section, ...]:
        """Lay out the mean on the question's range, and below it the shares of the cells."""
        mean = Section(rows=(self.mean_row(f"mean{self.whose}", bare=not heading),), axis=self.axis, heading=heading)
        return (mean, Section(rows=self._extra_rows())) if self.listed else (mean,)

    def mean_row(self, name: str, *, bare: bool = False) -> ChartRow:
        """Lay out the mean under a name; a bare row has neither label nor value."""
        row = self.row(self.mean, self.unit, n=self.result.n, name=name, bare=bare)
        if row.estimate is None:
            return row
        intervals = graded_intervals([result.mean for result in self.graded])
        return replace(row, intervals=intervals, sampling=self.sampling, band=band_interval(self.result.band))

    def _extra_rows(self) -> tuple[ChartRow, ...]:
        by_level = zip(*map(_extras, self.graded), strict=True)
        return tuple(self.cell_row(cell, graded) for cell, graded in zip(self.listed, by_level, strict=True))


@dataclass(frozen=True)
class DistributionPanel(MeanPanel):
    """A question that reports its distribution, with its mean."""

    distribution: DistributionResult
    graded_distributions: tuple[DistributionResult, ...]

    view: ClassVar = "distribution"
    picture: ClassVar = PICTURE

    @property
    def title(self) -> str:
        """Return what the chart shows, in words."""
        return f"Estimated mean and distribution: {self.question.text}"

    @property
    def fitted(self) -> bool:
        """Return whether the bins have shares; they have none if nobody gave a number."""
        return self.distribution.bins[0].estimate is not None

    @property
    def figures(self) -> tuple[tuple[str, Mean], ...]:
        """Return what is estimated of the numbers besides their mean, by name."""
        quantiles = zip(QUANTILE_NAMES, map(_figure, self.distribution.quantiles), strict=True)
        return (("standard deviation", self.distribution.deviation), *quantiles)

    @property
    def binned(self) -> tuple[tuple[Bin, Below | None], ...]:
        """Return each bin with the share below its upper end; everybody is below the last."""
        return tuple(zip(self.distribution.bins, (*self.distribution.cumulative, None), strict=True))

    def bin_name(self, item: Bin) -> str:
        """Format the range of a bin with enough digits to tell the bins apart."""
        # Two digits of the width: 1.25 has two decimals, 12.5 one.
        decimals = max(0, 1 - math.floor(math.log10(item.end - item.start)))
        start, end = (formatting.number(limit, decimals, self.unit) for limit in (item.start, item.end))
        return f"{start} to {end}"

    def sections(self, *, heading: str = "") -> tuple[Section, ...]:
        """Lay out the mean and the quartiles with the distribution on the same axis, then the other sections."""
        mean, *others = super().sections(heading=heading)
        if self.early or not self.fitted:
            return mean, *others
        steps = Steps(tuple(item.estimate or 0.0 for item in self.distribution.bins))
        named = replace(mean.rows[0], label=f"mean{self.whose}", value=formatting.headline(self.mean, self.unit))
        return replace(mean, rows=(named, *self._quantile_rows()), steps=steps), *others

    def _quantile_rows(self) -> tuple[ChartRow, ...]:
        by_level = zip(*(result.quantiles for result in self.graded_distributions), strict=True)
        rows = zip(QUANTILE_NAMES, self.distribution.quantiles, by_level, strict=True)
        return tuple(
            replace(
                self.row(_figure(quantile), self.unit, n=self.result.n, name=name, bare=False),
                intervals=graded_intervals(graded),
            )
            for name, quantile, graded in rows
        )


def _figure(quantile: Quantile) -> Mean:
    """Return a quantile as a figure; a quarter of its interval serves as its standard error, for rounding."""
    if quantile.low is None or quantile.high is None:
        return Mean()
    return Mean(estimate=quantile.estimate, se=(quantile.high - quantile.low) / 4, low=quantile.low, high=quantile.high)


def _extras(result: MeanResult) -> tuple[Cell, ...]:
    return result.cells if isinstance(result, MeanOfSomeResult) else ()
