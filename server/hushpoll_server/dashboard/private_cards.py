"""One answer, or a mean, in groups that are the answers to a private question: the same cards as for public groups.

The figures are the row percentages of a cross table, or the means by groups. The rule here: nobody is known to be in a
group, so a group has no number of reports, and where its share could be 0 a figure has no limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hushpoll_server.analysis.variables import Variable
from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.axis import SHARES, Axis, range_axis
from hushpoll_server.dashboard.chart import ChartRow
from hushpoll_server.dashboard.choices import title_of, words_of
from hushpoll_server.dashboard.comparison_cards import (
    MOST_ANSWERS,
    Card,
    GroupChart,
    GroupRow,
    chart_of_groups,
    equal_words,
)
from hushpoll_server.dashboard.difference_rows import private_differences
from hushpoll_server.dashboard.formatting import Unit
from hushpoll_server.dashboard.panel import TOO_EARLY_BELOW, estimate_row, graded_intervals
from hushpoll_server.estimate.groups.group_means import GroupMeans
from hushpoll_server.estimate.groups.private import PrivateGroups, quantile_of_each, shares_in_rows
from hushpoll_server.estimate.groups.row_ratios import RowFigure
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.tables.crosstab import Crosstab
from hushpoll_server.estimate.tables.joint_shares import JointShares

OTHER_SIGN = "The differences of this answer are those of “{other}” with the other sign."


@dataclass(frozen=True, kw_only=True)
class _Groups:
    """One figure in each group, with its limits at all levels that are drawn."""

    names: tuple[str, ...]
    figures: tuple[RowFigure, ...]
    by_level: tuple[tuple[RowFigure, ...], ...]
    n: int
    level: float
    unit: Unit = formatting.SHARE
    axis: Axis = SHARES

    @property
    def rows(self) -> tuple[GroupRow, ...]:
        """Return the rows of the table."""
        return tuple(GroupRow(name=name, figure=each) for name, each in zip(self.names, self.figures, strict=True))

    def chart(self, prefix: str, title: str) -> GroupChart | None:
        """Return the chart of the groups, if there are enough reports."""
        if self.n < TOO_EARLY_BELOW:
            return None
        marks = map(self._marks, self.names, self.figures, self.by_level)
        return chart_of_groups(tuple(marks), self.axis, prefix, title)

    def _marks(self, name: str, figure: RowFigure, by_level: Sequence[RowFigure]) -> ChartRow:
        if figure.estimate is None:
            return ChartRow(label=name, value="no figure", spoken=f"{name}: no figure.")
        row = estimate_row(figure, self.unit, n=self.n, name=name, level=self.level)
        return replace(row, intervals=graded_intervals(by_level))


def private_cards(
    table: Crosstab, variables: Sequence[Variable], options: Options, levels: Sequence[float]
) -> tuple[Card, ...]:
    """Return a card for each answer to the second question, by the answers to the first; none without reports."""
    groups, asked = variables
    if table.groups is None:
        return ()
    grids = _grids(table, options, levels)
    names, answers = dict(zip(groups.answers, words_of(groups), strict=True)), words_of(asked)
    columns = [
        _column(table, table.groups, grids, tuple(names.values()), place)
        for place in range(min(MOST_ANSWERS, len(table.columns)))
    ]
    return tuple(
        _card(place, column, table.groups, names, answers, title_of(asked)) for place, column in enumerate(columns)
    )


def _grids(table: Crosstab, options: Options, levels: Sequence[float]) -> list[list[list[RowFigure]]]:
    """Return the row percentages at each level, from the shares and their covariances."""
    assert table.estimates is not None, "a table with groups has shares"
    assert table.covariances is not None, "a table with groups has covariances"
    shares = JointShares.of_covariances((table.rows, table.columns), table.n, table.estimates, table.covariances)
    ratios = shares_in_rows(shares)
    quantiles = [quantile_of_each(replace(options, level=level), shares.shares.size) for level in levels]
    return [ratios.figures(quantile) for quantile in quantiles]


def _column(
    table: Crosstab, groups: PrivateGroups, grids: list[list[list[RowFigure]]], names: tuple[str, ...], place: int
) -> _Groups:
    return _Groups(
        names=names,
        figures=tuple(groups.percentage(row, table.columns[place]) for row in table.rows),
        by_level=tuple(tuple(grid[row][place] for grid in grids) for row in range(len(table.rows))),
        n=table.n,
        level=table.level,
    )


def _card(
    place: int, column: _Groups, groups: PrivateGroups, names: Mapping[str, str], answers: Sequence[str], title: str
) -> Card:
    # With two answers the analysis compares the first only.
    name = groups.percentages[place].column
    compared = [each for each in groups.differences if each.column == name]
    is_other = bool(groups.differences) and not compared
    return Card(
        title=answers[place],
        chart=column.chart(f"chart-{place}", f"Estimated shares by group: {title} {answers[place]}"),
        rows=column.rows,
        differences=private_differences(compared, names),
        sentences=(OTHER_SIGN.format(other=answers[0]),) if is_other else (),
    )


def mean_cards(
    table: GroupMeans, graded: Sequence[GroupMeans], names: Sequence[str], number: Variable
) -> tuple[Card, ...]:
    """Return the card of a mean in groups that are answers; none without reports."""
    if not table.n:
        return ()
    low, high = number.question.type.range
    groups = _Groups(
        names=tuple(names),
        figures=tuple(group.mean for group in table.groups),
        by_level=tuple(tuple(each.groups[place].mean for each in graded) for place in range(len(table.groups))),
        n=table.n,
        level=table.level,
        unit=formatting.OWN,
        axis=range_axis(float(low), float(high)),
    )
    words = dict(zip([group.group for group in table.groups], names, strict=True))
    card = Card(
        title="Mean",
        chart=groups.chart("chart-mean", f"Estimated means by group: {title_of(number)}"),
        rows=groups.rows,
        differences=private_differences(table.differences, words, unit=formatting.OWN),
        sentences=equal_words(table.overall, "means") if table.n >= TOO_EARLY_BELOW else (),
        unit=formatting.OWN,
    )
    return (card,)
