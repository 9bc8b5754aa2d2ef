"""The figures of tables, printed for people: cells, row percentages, differences, tests, odds ratios, means in groups.

The rule here is that of figures.py: every figure that a reader or a warning asks for is printed, one in each line.
"""

from __future__ import annotations

from collections.abc import Iterable

import click

from hushpoll_server.commands.figures import Figure, plain, print_figures, shown_level
from hushpoll_server.estimate.groups.group_means import GroupMeans
from hushpoll_server.estimate.groups.private import PrivateGroups
from hushpoll_server.estimate.groups.row_ratios import RowDifference
from hushpoll_server.estimate.tables.crosstab import Crosstab
from hushpoll_server.estimate.tables.crosstable import Independence
from hushpoll_server.estimate.tables.odds_ratios import OddsRatio
from hushpoll_server.estimate.tables.three_way import ThreeWay


def print_table_result(table: Crosstab | ThreeWay | GroupMeans) -> None:
    """Print a table of two or three questions."""
    if isinstance(table, Crosstab):
        print_crosstab(table)
    elif isinstance(table, ThreeWay):
        _print_three_way(table)
    else:
        _print_means(table)


def print_crosstab(crosstab: Crosstab) -> None:
    """Print the pairs of answers, the row percentages, the test of independence and the odds ratios."""
    method = f"{shown_level(crosstab.level)} {crosstab.method}"
    for cell in crosstab.cells:
        label = f"{cell.row} × {cell.column}"
        print_figures("crosstab", [Figure(label=label, figures=cell, method=method, n=f"{crosstab.n}")])
    if crosstab.groups is not None:
        _print_groups(crosstab.groups)
    _print_test("independence", crosstab.independence)
    _print_odds_ratios(crosstab.odds_ratios, crosstab.level)
    _print_warnings(crosstab.warnings)


def _print_three_way(table: ThreeWay) -> None:
    method = f"{shown_level(table.level)} {table.method}"
    for names, figure in table.cells.items():
        label = " × ".join(names)
        print_figures("crosstab", [Figure(label=label, figures=figure, method=method, n=f"{table.n}")])
    for each in table.within:
        click.echo(f"within {table.names[2]} = {each.answer}")
        _print_groups(each.groups)
        _print_test("independence", each.independence)
        _print_odds_ratios(each.odds_ratios, table.level)
        _print_warnings(each.warnings)
    _print_warnings(table.warnings)


def _print_means(table: GroupMeans) -> None:
    method = f"{shown_level(table.level)} {table.method}"
    for each in table.groups:
        print_figures("mean", [Figure(label=each.group, figures=each.mean, method=method, write=plain)])
        shares = Figure(
            label=each.group, figures=each.share, method=f"{shown_level(table.level)} wilson", n=f"{table.n}"
        )
        print_figures("share", [shares])
    for gap in table.differences:
        label = f"{gap.first} − {gap.second}"
        figure = Figure(label=label, figures=gap.difference, method=f"{shown_level(table.level)} mover", write=plain)
        print_figures("difference", [_tested(figure, gap)])
    _print_test("all equal", table.overall)
    _print_warnings(table.warnings)


def _print_groups(groups: PrivateGroups) -> None:
    level = shown_level(groups.level)
    for each in groups.percentages:
        label = f"{each.column} among {each.row}"
        print_figures("row", [Figure(label=label, figures=each.figure, method=f"{level} {groups.method}")])
    for gap in groups.differences:
        about = f"{gap.column} among {gap.first}", f"among {gap.second}"
        figure = Figure(label=" − ".join(about), figures=gap.difference, method=f"{level} mover")
        print_figures("difference", [_tested(figure, gap)])
        if gap.ratio is not None:
            label = " / ".join(about)
            print_figures("ratio", [Figure(label=label, figures=gap.ratio, method=f"{level} mover", write=plain)])


def _tested(figure: Figure, gap: RowDifference) -> Figure:
    if gap.p_value is None or gap.adjusted_p_value is None:
        return figure
    more = f"p = {gap.p_value:.3g}  adjusted p = {gap.adjusted_p_value:.3g}"
    return Figure(**{**vars(figure), "more": more})


def _print_test(name: str, test: Independence | None) -> None:
    if test is not None:
        click.echo(f"{name}  χ² = {test.statistic:.4g}, df = {test.degrees}, p = {test.p_value:.3g}")


def _print_odds_ratios(ratios: Iterable[OddsRatio], level: float) -> None:
    for each in ratios:
        method = f"{shown_level(level)} {each.ratio.method}"
        print_figures("odds ratio", [Figure(label=each.compares, figures=each.ratio, method=method, write=plain)])


def _print_warnings(warnings: Iterable[str]) -> None:
    for warning in warnings:
        click.echo(f"warning: {warning}")
