"""The figures of an estimation, printed for people: one line for each, and a labelled line for what goes with it.

The rule here: every figure that a reader or a warning asks for is printed, with the same digits everywhere; what JSON
has beyond that (counts, the design, the price of privacy) describes the estimation, not the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from hushpoll_server.commands.common import print_json
from hushpoll_server.estimate.classical.cheating import CheatingResult
from hushpoll_server.estimate.classical.matrix_shares import MatrixResult
from hushpoll_server.estimate.classical.two_samples import TwoSampleResult
from hushpoll_server.estimate.estimands import QuestionResult
from hushpoll_server.estimate.groups.comparison import Comparison
from hushpoll_server.estimate.intervals import Interval
from hushpoll_server.estimate.manipulation import Band
from hushpoll_server.estimate.numbers.distribution import DistributionResult
from hushpoll_server.estimate.numbers.mean_of_some import MeanOfSomeResult
from hushpoll_server.estimate.numbers.means import MeanResult
from hushpoll_server.estimate.results import Cell, Result
from hushpoll_server.estimate.tables.cross_results import CrossResult

_WithCells = Result | MeanResult | CrossResult | MatrixResult | TwoSampleResult
_share, plain = "{:z.2%}".format, "{:z.6g}".format


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A cell, a mean or a quantile with what a reader needs beside it; `write` turns its numbers into text."""

    label: str
    figures: Any
    method: str
    n: str = ""
    write: Callable[[float], str] = _share
    tidy: float | None = None
    constrained: Interval | None = None
    band: Band | None = None
    more: str = ""

    def lines(self) -> Iterator[str]:
        """Yield the line of the figure, the limits that a warning announces, and the band of made-up reports."""
        if self.figures.estimate is None:
            return
        parts = (
            f"{self.write(self.figures.estimate):>7}",
            self._error,
            self._interval,
            f"n = {self.n}" if self.n else "",
            self._tidy,
        )
        yield f"{self.label}: " + "  ".join(part for part in (*parts, self.more) if part)
        if (possible := self.constrained) is not None:
            yield f"{self.label}, constrained: {self._limits(possible.low, possible.high)}"
        if (band := self.band) is not None:
            yield f"{self.label}, if {100 * band.beta:.6g}% are made up: {self._limits(band.low, band.high)}"

    @property
    def _error(self) -> str:
        se = getattr(self.figures, "se", None)
        return "" if se is None else f"se {self.write(se)}"

    @property
    def _interval(self) -> str:
        low, high = self.figures.low, self.figures.high
        return "no interval yet" if low is None and high is None else f"{self.method} {self._limits(low, high)}"

    @property
    def _tidy(self) -> str:
        if self.tidy is None or self.write(self.tidy) == self.write(self.figures.estimate):
            return ""
        return f"tidy {self.write(self.tidy)}"

    def _limits(self, low: float | None, high: float | None) -> str:
        return " to ".join("no limit" if limit is None else self.write(limit) for limit in (low, high))


def print_results(results: dict[str, QuestionResult], extra: dict[str, dict[str, Any]], *, as_json: bool) -> None:
    """Print all questions of a survey."""
    if as_json:
        print_json({"questions": {name: result.to_json() | extra.get(name, {}) for name, result in results.items()}})
        return
    for name, result in results.items():
        print_result(name, result)


def print_result(name: str, result: QuestionResult | MatrixResult | TwoSampleResult) -> None:
    """Print one question."""
    if isinstance(result, TwoSampleResult):
        _print_two_samples(name, result)
        return
    about = result.mean if isinstance(result, DistributionResult) else result
    print_figures(name, _figures(result), about.warnings)


def _print_two_samples(name: str, result: TwoSampleResult) -> None:
    """Print the figures of two samples, and the test that there are no cheaters."""
    print_figures(name, (_cell(cell, result) for cell in result.cells), ())
    if isinstance(result, CheatingResult) and (test := result.no_cheating) is not None:
        chances = f"p = {test.p_value:.3g}, one-sided {test.one_sided_p_value:.3g}"
        click.echo(f"{name}  no cheaters: χ² = {test.statistic:.4g}, df = {test.degrees}, {chances}")
    print_figures(name, (), result.warnings)


def print_table(table: CrossResult) -> None:
    """Print a cross table with its test of independence."""
    name = " × ".join(table.names)
    print_figures(name, (_cell(cell, table) for cell in table.cells), ())
    if (test := table.independence) is not None:
        click.echo(f"{name}  independence: χ² = {test.statistic:.4g}, df = {test.degrees}, p = {test.p_value:.3g}")
    print_figures(name, (), table.warnings)


def print_comparison(comparison: Comparison) -> None:
    """Print the groups, their differences with the adjusted p-values, and the overall test."""
    for result in comparison.groups:
        print_figures("group", _figures(result), ())
    level = shown_level(comparison.level)
    for each in comparison.differences:
        gap, ratio = each.difference, each.ratio
        more = f"p = {gap.p_value:.3g}  adjusted p = {each.adjusted_p_value:.3g}"
        label, method = f"{each.first} − {each.second}", f"{level} {gap.method}"
        print_figures(
            "difference", iter([Figure(label=label, figures=gap, method=method, more=more, band=each.band)]), ()
        )
        if ratio is not None:
            label, method = f"{each.first} / {each.second}", f"{level} {ratio.method}"
            print_figures("ratio", iter([Figure(label=label, figures=ratio, method=method, write=plain)]), ())
    if (test := comparison.overall) is not None:
        click.echo(f"all equal  χ² = {test.statistic:.4g}, df = {test.degrees}, p = {test.p_value:.3g}")
    for warning in comparison.warnings:
        click.echo(f"warning: {warning}")


def print_figures(name: str, figures: Iterable[Figure], warnings: Sequence[str] = ()) -> None:
    """Print the lines of figures, then the warnings."""
    for figure in figures:
        for line in figure.lines():
            click.echo(f"{name}  {line}")
    for warning in warnings:
        click.echo(f"{name}  warning: {warning}")


def _figures(result: QuestionResult | MatrixResult) -> Iterator[Figure]:
    if isinstance(result, Result | MatrixResult):
        yield from (_cell(cell, result) for cell in result.cells)
        return
    mean = result.mean if isinstance(result, DistributionResult) else result
    yield Figure(label="mean", figures=mean.mean, method=_method(mean), n=f"{mean.n}", write=plain, band=mean.band)
    if isinstance(result, DistributionResult):
        yield from _distribution(result)
    if isinstance(mean, MeanOfSomeResult):
        yield from (_cell(cell, replace(mean, method=mean.cells_method)) for cell in mean.cells)


def _distribution(result: DistributionResult) -> Iterator[Figure]:
    """Yield the deviation, the quantiles, and the share below the upper end of each bin with that of the bin."""
    method, n = _method(result.mean), f"{result.mean.n}"
    yield Figure(label="standard deviation", figures=result.deviation, method=method, n=n, write=plain)
    for quantile in result.quantiles:
        yield Figure(label=f"{quantile.share:.0%} below", figures=quantile, method=method, n=n, write=plain)
    for bin_, below in zip(result.bins, result.cumulative, strict=False):
        if bin_.estimate is not None:
            label = f"below {below.edge:g}"
            yield Figure(label=label, figures=below, method=method, n=n, more=f"{bin_.name}: {_share(bin_.estimate)}")


def _cell(cell: Cell, result: _WithCells) -> Figure:
    # A ball asks each device about some of the options.
    n = f"{result.n}" if cell.asked is None else f"{cell.asked} of {result.n}"
    return Figure(
        label=cell.name,
        figures=cell,
        method=_method(result),
        n=n,
        tidy=cell.tidy,
        constrained=cell.constrained,
        band=cell.band,
    )


def _method(result: _WithCells) -> str:
    coverage = "" if result.coverage == "pointwise" else f"{result.coverage} "
    return f"{shown_level(result.level)} {coverage}{result.method}"


def shown_level(level: float) -> str:
    """Return a level as people read it."""
    return f"{100 * level:.6g}%"
