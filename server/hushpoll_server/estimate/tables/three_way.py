"""The table of three questions: shares of all triples, and how the first two are related at each level of the third.

The relation within a level (row percentages, their differences, odds ratios, a test) needs shares of triples and their
covariances only: dividing them all by the share of the level would change none of it. The rule here: the levels are
answers that were randomized, too, so a rare level has few figures with limits, and a warning says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.groups.private import PrivateGroups, private_groups
from hushpoll_server.estimate.groups.row_ratios import RowFigure
from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.results import Json, ShownMethod
from hushpoll_server.estimate.tables.crosstab import MarginShare
from hushpoll_server.estimate.tables.crosstable import Independence
from hushpoll_server.estimate.tables.joint_shares import JointShares
from hushpoll_server.estimate.tables.odds_ratios import OddsRatio, odds_ratios
from hushpoll_server.estimate.tables.two_way import (
    choose_joint_method,
    joint_doubts,
    joint_level,
    shares_of,
    tested_independence,
)

# The matrix of larger tables is too long to write: the library has it.
MOST_WRITTEN_CELLS = 400
TOO_LONG = "The covariances of {cells:,} cells are too many to write: the analysis library has them."


@dataclass(frozen=True, kw_only=True)
class WithinLevel:
    """How the first two questions are related among those with one answer to the third."""

    answer: str
    groups: PrivateGroups
    independence: Independence | None
    odds_ratios: tuple[OddsRatio, ...]
    warnings: tuple[str, ...]

    def to_json(self) -> Json:
        """Return the figures by name."""
        test, ratios = self.independence, [each.to_json() for each in self.odds_ratios]
        return {
            "answer": self.answer,
            **self.groups.to_json(),
            "independence": None
            if test is None
            else {"statistic": test.statistic, "df": test.degrees, "p_value": test.p_value},
            "odds_ratios": ratios,
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, kw_only=True)
class ThreeWay:
    """The shares of all triples of answers, the questions alone, and the relation within each level of the third."""

    names: tuple[str, ...]
    axes: tuple[tuple[str, ...], ...]
    level: float
    method: ShownMethod
    table: JointShares | None = field(default=None, compare=False)
    limits: Limits | None = field(default=None, compare=False)
    margins: tuple[tuple[MarginShare, ...], ...] = ((), (), ())
    within: tuple[WithinLevel, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Return the number of reports that answer all three questions."""
        return 0 if self.table is None else self.table.n

    @property
    def cells(self) -> dict[tuple[str, ...], RowFigure]:
        """Return the figures of all triples, the last question's answer varying fastest."""
        if self.table is None or self.limits is None:
            return dict.fromkeys(product(*self.axes), RowFigure())
        columns = (self.table.shares, self.table.errors, self.limits.low, self.limits.high)
        rows = zip(product(*self.axes), *(each.ravel().tolist() for each in columns), strict=True)
        return {names: RowFigure(estimate=f, se=se, low=low, high=high) for names, f, se, low, high in rows}

    def to_json(self) -> Json:
        """Return what `hushpoll crosstab --json` prints for three questions."""
        margins = zip(self.names, self.margins, strict=True)
        is_written = self.table is not None and self.table.shares.size <= MOST_WRITTEN_CELLS
        return {
            "questions": list(self.names),
            "n": self.n,
            "level": self.level,
            "method": self.method,
            "standard_errors": "plug-in",
            "cells": [{"answers": list(names), **figure.to_json()} for names, figure in self.cells.items()],
            "margins": {name: [vars(each) for each in shares] for name, shares in margins},
            "within": [each.to_json() for each in self.within],
            "covariances": self.table.covariances.tolist() if self.table is not None and is_written else None,
            "warnings": list(self.warnings),
        }


def three_way(
    table: JointShares | None,
    axes: Sequence[tuple[str, ...]],
    names: Sequence[str],
    *,
    adjustment: str = "holm",
    options: Options = DEFAULT,
) -> ThreeWay:
    """Return the table of three questions, and the table of the first two at each level of the third.

    Without reports there is no table, and every figure is None.
    """
    if len(axes) != 3 or len(names) != 3 or (table is not None and table.axes != tuple(axes)):
        raise EstimateError("this is not a table of three questions: give three axes, and their names")
    method = choose_joint_method(options)
    empty = ThreeWay(names=tuple(names), axes=tuple(axes), level=options.level, method=method, warnings=(NO_REPORTS,))
    if table is None:
        return empty
    limits = table.limits(joint_level(options, table.shares.size), method)
    is_long = table.shares.size > MOST_WRITTEN_CELLS
    sentences = (*joint_doubts(table, limits), TOO_LONG.format(cells=table.shares.size) if is_long else "")
    return replace(
        empty,
        table=table,
        limits=limits,
        margins=tuple(shares_of(table.margin(axis), options) for axis in range(3)),
        within=tuple(_within(table, place, adjustment, options) for place in range(len(table.axes[2]))),
        warnings=tuple(sentence for sentence in sentences if sentence),
    )


def _within(table: JointShares, place: int, adjustment: str, options: Options) -> WithinLevel:
    level = table.given(2, place)
    test, no_test = tested_independence(level)
    ratios, no_ratio = odds_ratios(level, options.level)
    groups = private_groups(level, overall=test, adjustment=adjustment, options=options)
    sentences = (*groups.warnings, no_test, no_ratio)
    return WithinLevel(
        answer=table.axes[2][place],
        groups=groups,
        independence=test,
        odds_ratios=ratios,
        warnings=tuple(sentence for sentence in sentences if sentence),
    )
