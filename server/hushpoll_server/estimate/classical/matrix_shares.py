"""Shares of all answers from the counts of all reports, under a design that is given by its matrix.

A report is worth known values for the answers (matrix_design.py), so each share is a mean of known values and has the
limits of a mean. The rule here: estimates are unbiased and neither they nor their limits are
clipped; the standard error is plug-in, with divisor n, and never 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import SupportsIndex

import numpy as np

from hushpoll_server.estimate.classical.matrix_design import NO_EPSILON, MatrixDesign
from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import check_level, check_population
from hushpoll_server.estimate.intervals import level_of_each
from hushpoll_server.estimate.numbers.mean_design import MeanDesign
from hushpoll_server.estimate.numbers.mean_limits import CountedOutputs
from hushpoll_server.estimate.numbers.means import choose_mean_method, manipulation_band, mean_interval, read_counts
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.projection import simplex_projection
from hushpoll_server.estimate.results import Cell, Coverage, Json, ShownMethod
from hushpoll_server.estimate.support import Figures

# A smaller variance is that of rounding.
_LEAST_VARIANCE = 1e-20


@dataclass(frozen=True, kw_only=True)
class MatrixResult:
    """The shares of all answers, with their covariances and the design."""

    n: int
    level: float
    method: ShownMethod
    coverage: Coverage
    design: MatrixDesign
    counts: tuple[int, ...]
    population: int | None
    cells: tuple[Cell, ...]
    covariances: Figures | None = field(default=None, compare=False)
    warnings: tuple[str, ...] = ()

    @property
    def epsilon(self) -> float | None:
        """Return the epsilon of the design, None if there is none."""
        return None if self.design.epsilon is None else float(self.design.epsilon)

    def to_json(self) -> Json:
        """Return the question object of the contract; a cell has a count if it has a report of its own."""
        own = len(self.design.reports) == len(self.design.answers)
        return {
            "n": self.n,
            "level": self.level,
            "method": self.method,
            "coverage": self.coverage,
            "epsilon": self.epsilon,
            "matrix": self.design.matrix.tolist(),
            "counts": list(self.counts),
            "population": self.population,
            "standard_errors": "plug-in",
            "cells": [cell.to_json() | ({} if own else {"count": None}) for cell in self.cells],
            "covariances": None if self.covariances is None else self.covariances.tolist(),
            "warnings": list(self.warnings),
        }


def estimate_matrix(
    counts: Sequence[SupportsIndex], design: MatrixDesign, *, options: Options = DEFAULT
) -> MatrixResult:
    """Estimate the shares of all answers from the counts of all reports, in the order of the columns."""
    check_level(options.level)
    histogram = tuple(read_counts(counts, len(design.reports)))
    n = sum(histogram)
    check_population(options.population, n)
    promise, method = choose_mean_method(options.method, options.coverage)
    own = histogram if len(design.reports) == len(design.answers) else (0,) * len(design.answers)
    cells = tuple(Cell(name=name, count=count) for name, count in zip(design.answers, own, strict=True))
    privacy = (NO_EPSILON,) if design.epsilon is None else ()
    empty = MatrixResult(
        n=n,
        level=options.level,
        method=method,
        coverage=promise,
        design=design,
        counts=histogram,
        population=options.population,
        cells=cells,
        warnings=(NO_REPORTS, *privacy),
    )
    return _filled(empty, options, privacy) if n else empty


def _filled(empty: MatrixResult, options: Options, privacy: tuple[str, ...]) -> MatrixResult:
    design, counts = empty.design, np.array(empty.counts, np.float64)
    estimates: Figures = counts @ design.values / empty.n
    covariances = _covariances(empty, counts, estimates)
    level = level_of_each(empty.level, empty.coverage, options.families * len(empty.cells))
    sampled = 0.0 if empty.population is None else empty.n / empty.population
    samples = [CountedOutputs(counts, _mean_design(design, place), sampled) for place in range(len(design.answers))]
    tidy, errors = simplex_projection(estimates), np.sqrt(np.diag(covariances))
    cells = tuple(
        _cell(cell, sample, float(error), float(likely), level, empty.method, options.beta)
        for cell, sample, error, likely in zip(empty.cells, samples, errors, tidy, strict=True)
    )
    return MatrixResult(
        **vars(empty) | {"cells": cells, "covariances": covariances, "warnings": (*_doubts(cells, empty.n), *privacy)}
    )


def _cell(
    cell: Cell, sample: CountedOutputs, se: float, tidy: float, level: float, method: ShownMethod, beta: float | None
) -> Cell:
    interval = mean_interval(sample, level, method)
    return Cell(
        name=cell.name,
        count=cell.count,
        estimate=sample.average,
        se=se,
        low=interval.low,
        high=interval.high,
        tidy=tidy,
        # A design that never errs costs nothing, and in a census there would be nothing to divide by.
        price_of_privacy=sample.price_of_privacy() if sample.privacy else 0.0,
        band=None if beta is None else manipulation_band(sample, beta),
    )


def _mean_design(design: MatrixDesign, place: int) -> MeanDesign:
    """Return the design for one answer: the values average to 1 for it and to 0 for all others."""
    others = [row for row in range(len(design.answers)) if row != place]
    points = np.array([0.0] * len(others) + [1.0])
    return MeanDesign(design.values[:, place], points, design.matrix[[*others, place]])


def _covariances(result: MatrixResult, counts: Figures, estimates: Figures) -> Figures:
    plug_in = _at_rates(result, counts / result.n, estimates)
    if (np.diag(plug_in) > _LEAST_VARIANCE).all():
        return plug_in
    # The plug-in claims certainty, as when all reports agree. The rates of the nearest possible shares do not; one
    # report is spread over all reports for designs that never err.
    likely = simplex_projection(estimates) @ result.design.matrix
    rates = (result.n * likely + 1 / likely.size) / (result.n + 1)
    return _at_rates(result, rates, rates @ result.design.values)


def _at_rates(result: MatrixResult, rates: Figures, shares: Figures) -> Figures:
    # E[v vᵀ] = Gᵀ diag(λ) G; less f fᵀ it is the variance of a report, less diag(f) that of the randomizing alone.
    values, sampled = result.design.values, 0.0 if result.population is None else result.n / result.population
    second = (values.T * rates) @ values
    between, noise = second - np.outer(shares, shares), second - np.diag(shares)
    return np.asarray(((1 - sampled) * between + sampled * noise) / result.n)


def _doubts(cells: Sequence[Cell], n: int) -> tuple[str, ...]:
    limits = [(cell.name, cell.low, cell.high) for cell in cells if cell.low is not None and cell.high is not None]
    outside = [f"“{name}”" for name, low, high in limits if high < 0 or low > 1]
    if outside:
        sentence = (
            f"The whole interval lies outside 0 to 1 for {', '.join(outside)}, where no share of honest answers can "
            "be: unless it is chance, this is non-compliance or tampering, or the matrix is not that of the design."
        )
        return (sentence,)
    if all(low <= 0 and high >= 1 for _, low, high in limits):
        reports = "1 report does" if n == 1 else f"{n} reports do"
        return (f"Every interval covers all that is possible: {reports} not narrow the shares down yet. Collect more.",)
    return ()
