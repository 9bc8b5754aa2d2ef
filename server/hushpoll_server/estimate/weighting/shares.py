"""Shares from reports with weights, for every design whose reports support answers.

The target is the population that the weights describe. The rule here: weights that are all equal give the figures of an
unweighted share to the last digit, and weights that differ never make an interval narrower than their effective number
of reports allows.

References: as in linearized.py; E. B. Wilson (1927); docs/statistics/weights.md has the proofs and the coverage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import EstimateError, check_level, whole
from hushpoll_server.estimate.intervals import Limits, level_of_each
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.shares import check_coverage, estimate_shares
from hushpoll_server.estimate.support import Counts, Figures, SupportDesign
from hushpoll_server.estimate.weighting.linearized import Linearized
from hushpoll_server.estimate.weighting.results import Weighted, WeightedCell, warnings_of_limits
from hushpoll_server.estimate.weighting.weights import Weights

# From this fraction on, a reader is told what the weights cost.
_COSTLY = 0.5

COSTLY = (
    "The weights differ so much that {n} reports tell as much as {kish:.0f} of equal weight: trim the largest weights, "
    "or collect more reports where they are large."
)
BELOW_ONE = (
    "Some reports stand for less than one person of the population: nobody is asked with a chance above 1, so check "
    "the weights and the population's size."
)
POPULATION_UNUSED = "With few effective reports the interval ignores the population's size and is wider than necessary."
NO_ANYTIME = "weighted limits hold at one look only: choose the coverage pointwise or simultaneous"


@dataclass(frozen=True, kw_only=True)
class WeightClass:
    """Reports of the same weight: how many support each answer, and how many there are."""

    weight: float
    counts: Sequence[SupportsIndex]
    n: SupportsIndex


def weighted_share(
    reports: ArrayLike,
    weights: ArrayLike,
    design: SupportDesign,
    *,
    level: float = 0.95,
    population: SupportsIndex | None = None,
    name: str = "yes",
) -> Weighted:
    """Return the share of yes from reports of 0 and 1, each with its weight.

    Without a population the respondents are a sample of an infinite one. With it the chance of having been asked is
    taken from the weights, which then are people: they are scaled to add up to the population.
    """
    column = read_reports(reports, 1)
    return weighted_shares([name], column, weights, design, level=level, population=population)


def weighted_shares(
    names: Sequence[str],
    reports: ArrayLike,
    weights: ArrayLike,
    design: SupportDesign,
    *,
    level: float = 0.95,
    coverage: str = "pointwise",
    population: SupportsIndex | None = None,
) -> Weighted:
    """Return the shares of all answers from a row of 0 and 1 for each report: whether it supports each answer."""
    supporting = read_reports(reports, len(names))
    rows = np.ones(len(supporting), np.int64)
    return _weighted(names, supporting, rows, weights, design, level=level, coverage=coverage, population=population)


def shares_of_classes(
    names: Sequence[str],
    classes: Sequence[WeightClass],
    design: SupportDesign,
    *,
    level: float = 0.95,
    coverage: str = "pointwise",
    population: SupportsIndex | None = None,
) -> Weighted:
    """Return the shares of all answers from counts of the reports of each weight."""
    rows = np.array([whole(each.n, "number of reports") for each in classes], np.int64)
    weights = [each.weight for each in classes]
    supporting = _read_counts(names, classes, rows)
    return _weighted(names, supporting, rows, weights, design, level=level, coverage=coverage, population=population)


def filled(
    names: Sequence[str], linearized: Linearized, design: SupportDesign, level: float, coverage: str
) -> Weighted:
    """Return the figures of linearised rates, with Wilson's limits where there are enough effective reports."""
    weights = linearized.weights
    cell_level = level_of_each(level, coverage, len(names))
    few = linearized.few(cell_level)
    limits = linearized.korn_graubard(cell_level) if few else linearized.wilson(cell_level)
    cells = _cells(names, linearized, limits)
    unused = (POPULATION_UNUSED,) if few and weights.population is not None else ()
    return Weighted(
        n=weights.reports,
        kish_n=weights.kish,
        level=level,
        method="korn-graubard" if few else "wilson",
        coverage=coverage,
        design=design,
        population=weights.population,
        cells=cells,
        warnings=(*warnings_of_limits(cells), *_warnings(weights), *unused),
    )


def orient(supporting: Figures, rows: Counts, design: SupportDesign) -> tuple[Figures, SupportDesign]:
    """Return the counts and the design in terms of the reports that are likelier from those who hold the answer."""
    if design.gap > 0:
        return supporting, design
    return rows[:, np.newaxis] - supporting, design.relabelled()


def read_reports(reports: ArrayLike, cells: int) -> Figures:
    """Return a row for each report and a column for each answer, of 0 and 1."""
    try:
        values = np.asarray(reports, float)
    except (TypeError, ValueError):
        raise EstimateError("a report is not a number: give 1 if it supports the answer and 0 if not") from None
    table = values[:, np.newaxis] if values.ndim == 1 and cells == 1 else values
    if table.size == 0:
        return np.zeros((0, cells))
    if table.ndim != 2 or table.shape[1] != cells:
        raise EstimateError(f"the reports are not rows of {cells} cells: give 1 or 0 for each answer of each report")
    wrong = np.flatnonzero(((table != 0) & (table != 1)).any(axis=1))
    if wrong.size:
        raise EstimateError(f"the report in row {wrong[0] + 1} is neither 1 nor 0: give 1 if it supports the answer")
    return table


def read_population(population: SupportsIndex | None) -> int | None:
    """Return the size of a declared population."""
    return None if population is None else whole(population, "population")


def _weighted(
    names: Sequence[str],
    supporting: Figures,
    rows: Counts,
    weights: ArrayLike,
    design: SupportDesign,
    *,
    level: float,
    coverage: str,
    population: SupportsIndex | None,
) -> Weighted:
    check_level(level)
    _check_names(names)
    if check_coverage(coverage) == "anytime":
        raise EstimateError(NO_ANYTIME)
    known = Weights.of(weights, rows, read_population(population))
    if known.reports == 0 or known.equal:
        counts = [
            (name, round(count), known.reports) for name, count in zip(names, supporting.sum(axis=0), strict=True)
        ]
        result = estimate_shares(
            counts, design, epsilon=None, level=level, coverage=coverage, population=known.population
        )
        return _unweighted(result)
    oriented, turned = orient(supporting, rows, design)
    rate = known.values @ oriented / known.total
    # Σ(y - λ)² over the reports of a class
    squares = oriented * (1 - rate) ** 2 + (rows[:, np.newaxis] - oriented) * rate**2
    return filled(names, Linearized(known, oriented, squares, turned), design, level, coverage)


def _unweighted(result: Result) -> Weighted:
    """Return the figures of reports that all weigh the same."""
    n = float(result.n) if result.n else None
    cells = tuple(
        WeightedCell(name=cell.name, estimate=cell.estimate, se=cell.se, low=cell.low, high=cell.high, effective_n=n)
        for cell in result.cells
    )
    return Weighted(
        n=result.n,
        kish_n=n,
        level=result.level,
        method=result.method,
        coverage=result.coverage,
        design=result.design,
        population=result.population,
        cells=cells,
        warnings=result.warnings if n else (NO_REPORTS,),
    )


def _cells(names: Sequence[str], linearized: Linearized, limits: Limits) -> tuple[WeightedCell, ...]:
    columns = {
        "name": names,
        "estimate": linearized.share.tolist(),
        "se": linearized.standard_error().tolist(),
        "low": limits.low.tolist(),
        "high": limits.high.tolist(),
        "effective_n": linearized.effective_n.tolist(),
    }
    return tuple(WeightedCell(**dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True))


def _warnings(weights: Weights) -> tuple[str, ...]:
    costly = weights.kish < _COSTLY * weights.reports
    cost = (COSTLY.format(n=weights.reports, kish=weights.kish),) if costly else ()
    return (*cost, *((BELOW_ONE,) if weights.below_one else ()))


def _check_names(names: Sequence[str]) -> None:
    if not names or len(set(names)) < len(names):
        raise EstimateError("the answers have no names, or two have the same: name each once")


def _read_counts(names: Sequence[str], classes: Sequence[WeightClass], rows: Counts) -> Figures:
    if any(len(each.counts) != len(names) for each in classes):
        raise EstimateError(
            f"a class of weights does not have one count for each of {len(names)} answers: give as many"
        )
    counts = [[whole(count, "count") for count in each.counts] for each in classes]
    table = np.array(counts, float).reshape(len(classes), len(names))
    if (table > rows[:, np.newaxis]).any():
        raise EstimateError("a count is larger than the number of reports of its class: check both figures")
    return table
