"""The table of two questions from its joint shares, however these were estimated: one result for all of them.

The limits of the cells are those of the estimator that knows the design best: four counts for two questions with one
answer each, the counts of the pair for a pair, a score test on the values of the reports for everything else
(joint_shares.py). What follows from shares and covariances alone is the same for all: row percentages, differences of
rows, odds ratios. The rule here: a figure that does not exist is None, and a warning gives the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.groups.private import private_groups
from hushpoll_server.estimate.intervals import Limits, check_method, level_of_each
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.results import Cell, ShownMethod
from hushpoll_server.estimate.shares import check_coverage
from hushpoll_server.estimate.tables.cross_results import (
    CrossResult,
    level_of_outside,
    outside_sentence,
    uninformative_sentence,
)
from hushpoll_server.estimate.tables.crosstab import NOT_TWO_BY_TWO, Crosstab, MarginShare
from hushpoll_server.estimate.tables.crosstable import CrossTable, Independence
from hushpoll_server.estimate.tables.joint_shares import JointShares
from hushpoll_server.estimate.tables.joint_tests import independence_of
from hushpoll_server.estimate.tables.odds_ratios import odds_ratios

Names = tuple[str, str]


def two_way(
    table: JointShares, *, names: Names | None = None, adjustment: str = "holm", options: Options = DEFAULT
) -> Crosstab:
    """Return the table of two questions from the values of their reports."""
    method, level = choose_joint_method(options), joint_level(options, table.shares.size)
    limits = table.limits(level, method)
    test, no_test = tested_independence(table)
    doubts = (*joint_doubts(table, limits), no_test)
    margins = {
        "row_margins": shares_of(table.margin(0), options),
        "column_margins": shares_of(table.margin(1), options),
    }
    return _filled(table, limits, test, doubts, adjustment, options, names=names, method=method, **margins)


def empty_two_way(axes: Sequence[tuple[str, ...]], names: Sequence[str], options: Options) -> Crosstab:
    """Return a table without reports, in which every figure is None."""
    return Crosstab(
        rows=axes[0],
        columns=axes[1],
        n=0,
        level=options.level,
        method=choose_joint_method(options),
        row_margins=(),
        column_margins=(),
        names=(names[0], names[1]),
        warnings=(NO_REPORTS,),
    )


def two_way_of_cross(result: CrossResult, *, adjustment: str = "holm", options: Options = DEFAULT) -> Crosstab:
    """Return the table of two questions that were asked separately, from their joint counts."""
    rows, columns = result.table.rows, result.table.columns
    margins = {"row_margins": result.rows.cells, "column_margins": result.columns.cells}
    about: dict[str, Any] = {"names": result.names, "method": result.method, **margins}
    if not result.n:
        return Crosstab(rows=rows, columns=columns, n=0, level=result.level, warnings=result.warnings, **about)
    limits = _limits_of(result.cells, result.table.shares.shape)
    test, no_test = result.independence, ""
    if test is None:
        no_test = "There is no test of independence: some answers are too rare. Collect more reports."
    return _filled(result.joint_shares(), limits, test, (*result.warnings, no_test), adjustment, options, **about)


def two_way_of_pair(
    table: CrossTable, names: Names, *, adjustment: str = "holm", options: Options = DEFAULT
) -> Crosstab:
    """Return the table of a pair that was asked as one question."""
    result = table.result
    about: dict[str, Any] = {"names": names, "method": result.method}
    if not result.n:
        about |= {"row_margins": (), "column_margins": (), "warnings": (NO_REPORTS,)}
        return Crosstab(rows=table.rows, columns=table.columns, n=0, level=result.level, **about)
    for side, margins in (("row_margins", table.row_margins()), ("column_margins", table.column_margins())):
        about[side] = tuple(
            MarginShare(name=name, estimate=each.estimate, se=each.se, low=each.low, high=each.high)
            for name, each in margins.items()
        )
    limits = _limits_of(result.cells, (len(table.rows), len(table.columns)))
    try:
        test, no_test = table.independence(), ""
    except EstimateError as error:
        test, no_test = None, f"There is no test of independence: {error}."
    return _filled(table.joint_shares(), limits, test, (*result.warnings, no_test), adjustment, options, **about)


def choose_joint_method(options: Options) -> ShownMethod:
    """Return the method for limits of products of several questions' values."""
    method = "wilson" if options.method is None else check_method(options.method)
    if method == "exact" or options.coverage == "anytime":
        raise EstimateError(
            "exact and anytime-valid limits exist for tables of two questions with one answer each only: leave the "
            "method and the coverage out, or cross other questions"
        )
    return method


def joint_level(options: Options, figures: int) -> float:
    """Return the level of each of several figures."""
    check_level(options.level)
    return level_of_each(options.level, check_coverage(options.coverage), figures)


def joint_doubts(table: JointShares, limits: Limits) -> tuple[str, str]:
    """Return warnings about cells that no honest answers explain, and about a table that is not narrowed down."""
    names = [
        " × ".join(names) for names in np.array(np.meshgrid(*table.axes, indexing="ij")).reshape(len(table.axes), -1).T
    ]
    far = table.limits(level_of_outside(table.shares.size))
    return outside_sentence(names, far), uninformative_sentence(limits, table.n)


def tested_independence(table: JointShares) -> tuple[Independence | None, str]:
    """Return the test of independence, or why there is none."""
    try:
        return independence_of(table), ""
    except EstimateError as error:
        return None, f"There is no test of independence: {error}."


def shares_of(table: JointShares, options: Options) -> tuple[MarginShare, ...]:
    """Return the figures of a table's cells by name, for one question."""
    limits = table.limits(joint_level(options, table.shares.size))
    columns = (table.shares, table.errors, limits.low, limits.high)
    rows = zip(table.axes[0], *(each.tolist() for each in columns), strict=True)
    return tuple(MarginShare(name=name, estimate=f, se=se, low=low, high=high) for name, f, se, low, high in rows)


def _filled(
    table: JointShares,
    limits: Limits,
    test: Independence | None,
    doubts: Sequence[str],
    adjustment: str,
    options: Options,
    **about: Any,
) -> Crosstab:
    """Return the table with what follows from its shares and covariances."""
    groups = private_groups(table, overall=test, adjustment=adjustment, options=options)
    ratios, no_ratio = odds_ratios(table, options.level)
    is_small = table.shares.shape == (2, 2)
    reasons = (*doubts, no_ratio, "" if is_small else NOT_TWO_BY_TWO, *groups.warnings)
    return Crosstab(
        rows=table.axes[0],
        columns=table.axes[1],
        n=table.n,
        level=options.level,
        estimates=table.shares,
        covariances=table.covariances,
        limits=limits,
        independence=test,
        odds_ratio=ratios[0].ratio if is_small and ratios else None,
        odds_ratios=ratios,
        groups=groups,
        warnings=tuple(reason for reason in reasons if reason),
        **about,
    )


def _limits_of(cells: Sequence[Cell], shape: tuple[int, ...]) -> Limits:
    low, high = (np.array([getattr(cell, side) for cell in cells], float).reshape(shape) for side in ("low", "high"))
    return Limits(low, high)
