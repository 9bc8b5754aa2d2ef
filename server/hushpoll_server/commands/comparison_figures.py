"""A question compared between public groups, printed for people."""

from __future__ import annotations

from dataclasses import replace

import click

from hushpoll_server.analysis.comparison import MEAN, GroupDifference, QuestionComparison
from hushpoll_server.commands.figures import Figure, plain, print_figures, print_result, shown_level


def print_question_comparison(comparison: QuestionComparison) -> None:
    """Print the figures of all groups, their differences with the adjusted p-values, and the overall tests."""
    for group in comparison.groups:
        if group.result is not None:
            print_result(group.name, group.result)
    for difference in comparison.differences:
        gap, *ratio = _figures(difference, shown_level(comparison.level))
        print_figures(f"difference  {difference.cell}", [gap])
        print_figures(f"ratio  {difference.cell}", ratio)
    for cell, test in comparison.overall.items():
        if test is not None:
            click.echo(f"all equal  {cell}: χ² = {test.statistic:.4g}, df = {test.degrees}, p = {test.p_value:.3g}")
    for warning in comparison.warnings:
        click.echo(f"warning: {warning}")


def _figures(each: GroupDifference, level: str) -> list[Figure]:
    gap, ratio = each.difference, each.ratio
    more = f"p = {gap.p_value:.3g}  adjusted p = {each.adjusted_p_value:.3g}"
    label, method = f"{each.first} − {each.second}", f"{level} {gap.method}"
    figure = Figure(label=label, figures=gap, method=method, more=more, band=each.band)
    figures = [replace(figure, write=plain) if each.cell == MEAN else figure]
    if ratio is not None:
        label, method = f"{each.first} / {each.second}", f"{level} {ratio.method}"
        figures.append(Figure(label=label, figures=ratio, method=method, write=plain))
    return figures
