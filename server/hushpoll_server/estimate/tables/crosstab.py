"""The cross table of two questions that were randomized separately, from a table of reports alone.

Each report names one answer of each question. With the matrices P_a and P_b of the two designs (columns are true
answers) the shares of all pairs are f̂ = (P_a ⊗ P_b)⁻¹ λ̂, and their covariances P⁻¹(diag λ̂ - λ̂λ̂ᵀ)P⁻ᵀ/n. For each pair
they are the means of products of four values, whose limits are those of cross_results.py. The rule here: limits and
estimates are not clipped, and a figure that does not exist is None, with a warning that gives the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.combine import Combined
from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.groups.private import PrivateGroups, private_groups
from hushpoll_server.estimate.intervals import Limits, level_of_each
from hushpoll_server.estimate.numbers.means import choose_mean_method
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.projection import simplex_projection
from hushpoll_server.estimate.results import Cell, Json, ShownMethod
from hushpoll_server.estimate.support import Counts, Figures, SupportDesign
from hushpoll_server.estimate.tables.cross_results import (
    cross_limits,
    level_of_outside,
    outside_sentence,
    uninformative_sentence,
)
from hushpoll_server.estimate.tables.cross_separate import CrossCounts
from hushpoll_server.estimate.tables.crosstable import Independence, odds_ratio_of
from hushpoll_server.estimate.tables.joint_shares import JointShares
from hushpoll_server.estimate.tables.odds_ratios import OddsRatio, compared_odds, odds_ratios
from hushpoll_server.estimate.tables.sides import Side

# A smaller variance is that of rounding.
_LEAST_VARIANCE = 1e-20

NOT_TWO_BY_TWO = "There is one odds ratio in a table of two rows and two columns only; this one has several."


@dataclass(frozen=True, kw_only=True)
class CrosstabCell:
    """The share of those who hold one pair of answers; None without reports."""

    row: str
    column: str
    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class MarginShare:
    """The share of one answer to a question of the table; `count` is None where no single count has it."""

    name: str
    estimate: float
    se: float
    low: float
    high: float
    count: int | None = None


@dataclass(frozen=True, kw_only=True)
class Crosstab:
    """The shares of all pairs of answers, row by row, with their covariances and what can be tested."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    n: int
    level: float
    method: ShownMethod
    row_margins: tuple[Cell | MarginShare, ...]
    column_margins: tuple[Cell | MarginShare, ...]
    estimates: Figures | None = field(default=None, compare=False)
    covariances: Figures | None = field(default=None, compare=False)
    limits: Limits | None = field(default=None, compare=False)
    independence: Independence | None = None
    odds_ratio: Combined | None = None
    odds_ratios: tuple[OddsRatio, ...] = ()
    groups: PrivateGroups | None = None
    names: tuple[str, str] | None = None
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return what `hushpoll crosstab --json` prints."""
        test, ratio, matrix = self.independence, self.odds_ratio, self.covariances
        named: Json = {} if self.names is None else {"first": self.names[0], "second": self.names[1]}
        groups: Json = {"row_percentages": [], "differences": []} if self.groups is None else self.groups.to_json()
        return named | {
            "n": self.n,
            "level": self.level,
            "method": self.method,
            "standard_errors": "plug-in",
            "cells": [vars(cell) for cell in self.cells],
            "rows": [_margin_to_json(cell) for cell in self.row_margins],
            "columns": [_margin_to_json(cell) for cell in self.column_margins],
            "covariances": None if matrix is None else matrix.tolist(),
            "independence": None
            if test is None
            else {"statistic": test.statistic, "df": test.degrees, "p_value": test.p_value},
            "odds_ratio": None if ratio is None else {**ratio.to_json(), "compares": self.compares},
            "odds_ratios": [each.to_json() for each in self.odds_ratios],
            **groups,
            "warnings": list(self.warnings),
        }

    @property
    def compares(self) -> str:
        """Return in words what the odds ratio of a table of two rows and two columns compares."""
        return compared_odds((self.rows[0], self.rows[1]), (self.columns[0], self.columns[1]))

    @property
    def cells(self) -> tuple[CrosstabCell, ...]:
        """Return the figures of all pairs, row by row."""
        names = [(row, column) for row in self.rows for column in self.columns]
        if self.estimates is None or self.covariances is None or self.limits is None:
            return tuple(CrosstabCell(row=row, column=column) for row, column in names)
        figures = (self.estimates, np.sqrt(np.diag(self.covariances)), self.limits.low, self.limits.high)
        rows = zip(names, *(each.ravel().tolist() for each in figures), strict=True)
        return tuple(
            CrosstabCell(row=row, column=column, estimate=estimate, se=se, low=low, high=high)
            for (row, column), estimate, se, low, high in rows
        )


def estimate_crosstab(
    counts: ArrayLike, first: Side, second: Side, *, adjustment: str = "holm", options: Options = DEFAULT
) -> Crosstab:
    """Estimate the shares of all pairs of answers from the reports that name each pair; rows are the first question."""
    check_level(options.level)
    table = _read(counts, first, second)
    promise, method = choose_mean_method(options.method, options.coverage)
    n, level = int(table.sum()), options.level
    common: dict[str, Any] = {
        "rows": first.answers,
        "columns": second.answers,
        "n": n,
        "level": level,
        "method": method,
    }
    common |= {"row_margins": first.margins(table.sum(axis=1), level)}
    common |= {"column_margins": second.margins(table.sum(axis=0), level)}
    if not n:
        return Crosstab(**common, warnings=(NO_REPORTS,))
    matrix: Figures = np.asarray(np.kron(first.matrix, second.matrix), dtype=np.float64)
    estimates: Figures = np.linalg.inv(matrix) @ (table.ravel() / n)
    covariances = _covariances(table, matrix, estimates)
    limits = _limits(table, first, second, level_of_each(level, promise, table.size), method)
    names = [f"{row} × {column}" for row in first.answers for column in second.answers]
    far = _limits(table, first, second, level_of_outside(table.size), "gaffke")
    doubts = outside_sentence(names, far), uninformative_sentence(limits, n)
    test, no_test = _independence(table, first, second)
    ratio, no_ratio = _odds_ratio(estimates, covariances, table.shape, level)
    shares = JointShares.of_covariances((first.answers, second.answers), n, estimates, covariances)
    ratios, without = odds_ratios(shares, level)
    groups = private_groups(shares, overall=test, adjustment=adjustment, options=options)
    reasons = (*doubts, no_test, no_ratio, without if table.size > 4 else "", *groups.warnings)
    return Crosstab(
        **common,
        estimates=estimates.reshape(table.shape),
        covariances=covariances,
        limits=limits,
        independence=test,
        odds_ratio=ratio,
        odds_ratios=ratios,
        groups=groups,
        warnings=tuple(reason for reason in reasons if reason),
    )


def _read(counts: ArrayLike, first: Side, second: Side) -> Counts:
    table = np.asarray(counts, np.int64)
    if table.shape != (len(first.answers), len(second.answers)) or min(table.shape) < 2:
        raise EstimateError("the counts do not have a row and a column for every answer: give two or more of each")
    if (table < 0).any():
        raise EstimateError("a count is negative: give zero or more")
    return table


def _covariances(table: Counts, matrix: Figures, estimates: Figures) -> Figures:
    """Return the plug-in covariances of all estimates, never with an error of 0."""
    n = int(table.sum())
    plug_in = _at_rates(table.ravel() / n, matrix, n)
    if (np.diag(plug_in) > _LEAST_VARIANCE).all():
        return plug_in
    # The plug-in claims certainty, as when all reports agree. The rates of the nearest possible shares do not; one
    # report is spread over all pairs for designs that never err.
    likely = matrix @ simplex_projection(estimates)
    return _at_rates((n * likely + 1 / table.size) / (n + 1), matrix, n)


def _at_rates(rates: Figures, matrix: Figures, n: int) -> Figures:
    # Cov = P⁻¹(diag λ - λλᵀ)P⁻ᵀ/n
    inverse = np.linalg.inv(matrix)
    return np.asarray(inverse @ (np.diag(rates) - np.outer(rates, rates)) @ inverse.T / n)


def _limits(table: Counts, first: Side, second: Side, level: float, method: ShownMethod) -> Limits:
    """Return the limits of all cells; those with the same two designs are found together."""
    low, high = np.empty(table.shape), np.empty(table.shape)
    for one in set(first.designs):
        for other in set(second.designs):
            cells = np.ix_([each == one for each in first.designs], [each == other for each in second.designs])
            found = cross_limits(_crossed(table, first, second, one, other), level, method)
            low[cells], high[cells] = found.low[cells], found.high[cells]
    return Limits(low, high)


def _crossed(table: Counts, first: Side, second: Side, one: SupportDesign, other: SupportDesign) -> CrossCounts:
    rows, columns = first.crossed(one, table.sum(axis=1)), second.crossed(other, table.sum(axis=0))
    return CrossCounts(rows, columns, table, int(table.sum()))


def _independence(table: Counts, first: Side, second: Side) -> tuple[Independence | None, str]:
    """Return Pearson's test of the randomized table, or why there is none."""
    try:
        return _crossed(table, first, second, first.designs[0], second.designs[0]).independence(), ""
    except EstimateError as error:
        return None, f"There is no test of independence: {error}."


def _odds_ratio(
    estimates: Figures, covariances: Figures, shape: tuple[int, ...], level: float
) -> tuple[Combined | None, str]:
    """Return the odds ratio of the true answers, or why there is none."""
    if shape != (2, 2):
        return None, NOT_TWO_BY_TWO
    try:
        return odds_ratio_of(estimates, lambda weights: float(weights @ covariances @ weights), level), ""
    except EstimateError as error:
        return None, f"{str(error).capitalize()}."


def _margin_to_json(cell: Cell | MarginShare) -> Json:
    return {name: getattr(cell, name) for name in ("name", "count", "estimate", "se", "low", "high")}
