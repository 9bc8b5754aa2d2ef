"""Groups that are answers to a private question: shares within each, differences, ratios and tests.

Nobody is known to be in a group: its members are found out as little as any answer. What is estimated is P(column
answer | row answer), the row percentages of a cross table, as ratios of correlated estimates (row_ratios.py). The rule
here: where the share of a group could be 0 its percentages have no limits, and a warning says so; where the estimate of
that share is not positive they have no figures at all. Neither estimates nor limits are clipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.groups.row_ratios import RowDifference, RowFigure, RowRatios, SharesInRows
from hushpoll_server.estimate.intervals import level_of_each, normal_quantile
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.shares import check_coverage
from hushpoll_server.estimate.tables.crosstable import Independence
from hushpoll_server.estimate.tables.joint_shares import JointShares

# Nobody reads more, and each needs a test of its own.
MOST_DIFFERENCES = 2000

NOT_POSITIVE = (
    "The estimated share of {names} is not positive, so nothing is said of the people in it. Collect more reports."
)
COULD_BE_0 = (
    "The share of {names} could be 0, so figures within it have no limits: every value would be possible. Collect more "
    "reports, or join rare answers."
)
NO_RATIOS = "A ratio is left out where the second figure could be 0, or one has no limits: read the difference instead."
TOO_MANY = (
    "{number:,} differences of rows are more than {most:,}, so none is shown: take two rows, or join rare answers."
)
NOT_ANYTIME = "Figures within private groups have no limits that hold at every look: they are left out."


@dataclass(frozen=True, kw_only=True)
class RowPercentage:
    """The share of those who hold the column's answer among those who hold the row's."""

    row: str
    column: str
    figure: RowFigure

    def to_json(self) -> Json:
        """Return the figures by name."""
        return {"row": self.row, "column": self.column, **self.figure.to_json()}


@dataclass(frozen=True, kw_only=True)
class PrivateGroups:
    """The percentages of all rows, row by row, and the differences between rows.

    `overall` is the test that all rows have the same percentages: that of independence.
    """

    n: int
    level: float
    method: str
    adjustment: str
    percentages: tuple[RowPercentage, ...]
    differences: tuple[RowDifference, ...]
    overall: Independence | None = None
    warnings: tuple[str, ...] = ()

    def percentage(self, row: str, column: str) -> RowFigure:
        """Return the percentage of a column in a row."""
        for each in self.percentages:
            if (each.row, each.column) == (row, column):
                return each.figure
        raise EstimateError("there is no such row or column: give those of the table")

    def to_json(self) -> Json:
        """Return what a table has beside its cells."""
        return {
            "row_percentages": [each.to_json() for each in self.percentages],
            "row_percentages_method": self.method,
            "differences": [each.to_json() for each in self.differences],
            "adjustment": self.adjustment,
        }


def private_groups(
    table: JointShares,
    *,
    overall: Independence | None = None,
    adjustment: str = "holm",
    options: Options = DEFAULT,
) -> PrivateGroups:
    """Compare the rows of a table of two questions; the rows are answers that were randomized, too.

    With two columns only the first is compared: the differences of the second are the same with the other sign.
    """
    if len(table.axes) != 2:
        raise EstimateError("row percentages are those of a table of two questions: take one level of the third")
    rows, columns = table.axes
    ratios, quantile = shares_in_rows(table), quantile_of_each(options, table.shares.size)
    grid, compared = ratios.figures(quantile), columns if len(columns) > 2 else columns[:1]
    differences, warnings = compared_rows(ratios, rows, compared, quantile, adjustment)
    warnings += group_warnings(rows, [line[0] for line in grid]) if np.isfinite(quantile) else []
    warnings += [NO_RATIOS] if any(each.ratio is None for each in differences) else []
    return PrivateGroups(
        n=table.n,
        level=options.level,
        method="score",
        adjustment=adjustment,
        percentages=tuple(
            RowPercentage(row=row, column=column, figure=figure)
            for row, line in zip(rows, grid, strict=True)
            for column, figure in zip(columns, line, strict=True)
        ),
        differences=differences,
        overall=overall,
        warnings=tuple(warnings),
    )


def quantile_of_each(options: Options, figures: int) -> float:
    """Return the normal quantile of each of several figures; ∞ for limits at every look, which do not exist here."""
    check_level(options.level)
    level = level_of_each(options.level, check_coverage(options.coverage), figures)
    return np.inf if options.coverage == "anytime" else normal_quantile(level)


def compared_rows(
    ratios: RowRatios, rows: Sequence[str], columns: Sequence[str | None], quantile: float, adjustment: str
) -> tuple[tuple[RowDifference, ...], list[str]]:
    """Return the differences of all rows, or why there are none."""
    number = len(rows) * (len(rows) - 1) // 2 * len(columns)
    if not np.isfinite(quantile):
        return (), [NOT_ANYTIME]
    if number > MOST_DIFFERENCES:
        return (), [TOO_MANY.format(number=number, most=MOST_DIFFERENCES)]
    return ratios.differences(rows, columns, quantile, adjustment), []


def shares_in_rows(table: JointShares) -> SharesInRows:
    """Return the ratios of the cells of a table to their rows."""
    rows, columns = table.shares.shape
    moments = table.moments.reshape(rows, columns, rows, columns)
    bottom = np.repeat(table.shares.sum(axis=1)[:, np.newaxis], columns, axis=1)
    bottoms = np.repeat(moments.sum(axis=(1, 3))[:, :, np.newaxis], columns, axis=2)
    return SharesInRows(
        n=table.n,
        top=table.shares,
        bottom=bottom,
        tops=np.einsum("ijkj->ikj", moments),
        crossed=moments.sum(axis=3).transpose(0, 2, 1),
        bottoms=bottoms,
    )


def group_warnings(groups: Sequence[str], figures: Sequence[RowFigure]) -> list[str]:
    """Return a sentence for the groups without figures, and one for those without limits."""
    pairs = list(zip(groups, figures, strict=True))
    none = [name for name, figure in pairs if figure.estimate is None]
    unbounded = [name for name, figure in pairs if figure.estimate is not None and figure.low is None]
    sentences = ((NOT_POSITIVE, none), (COULD_BE_0, unbounded))
    return [sentence.format(names=", ".join(names)) for sentence, names in sentences if names]
