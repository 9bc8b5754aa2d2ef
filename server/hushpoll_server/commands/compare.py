"""hushpoll compare: the shares of several groups, and how they differ, from counts or from the reports of a survey."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from hushpoll_server.analysis.comparison import compare_grouped_counts
from hushpoll_server.commands.common import (
    beta_option,
    json_option,
    level_option,
    method_option,
    print_json,
)
from hushpoll_server.commands.comparison_figures import print_question_comparison
from hushpoll_server.commands.designs import YES_NO_DESIGNS, design_options, read_yes_no, stated_parameters
from hushpoll_server.commands.figures import print_comparison
from hushpoll_server.commands.numbers import read_whole_numbers
from hushpoll_server.commands.sources import group_option, read_labels, source_options, survey_source
from hushpoll_server.estimate.groups.comparison import Comparison, Group, compare_groups
from hushpoll_server.estimate.groups.multiple_tests import Adjustment
from hushpoll_server.estimate.options import Options
from hushpoll_shared.errors import InvalidValue


@click.command()
@design_options(YES_NO_DESIGNS, required=False)
@click.option("--yes", metavar="C1,C2,…", help="Reports that say yes, in each group.")
@click.option("--n", metavar="N1,N2,…", help="All reports, in each group.")
@click.option("--groups", metavar="A,B,…", help="The names of the groups; by default 1, 2, ….")
@click.option(
    "--adjust",
    type=click.Choice(get_args(Adjustment)),
    default="holm",
    show_default=True,
    help="How p-values are adjusted for all differences together.",
)
@source_options
@click.option("--question", metavar="ID", help="Reports: the question that is compared.")
@click.option("--by", metavar="DIMENSION", help="Reports: the dimension of the survey's public groups.")
@group_option
@level_option
@method_option
@click.option(
    "--coverage",
    type=click.Choice(["pointwise", "simultaneous"]),
    default="pointwise",
    show_default=True,
    help="What the level holds for: each difference, or all of them together.",
)
@beta_option
@json_option
def command(
    design: str | None,
    yes: str | None,
    n: str | None,
    groups: str | None,
    adjust: str,
    survey: str | None,
    db: str | None,
    manifest_path: Path | None,
    reports_path: Path | None,
    question: str | None,
    by: str | None,
    group: tuple[str, ...],
    level: float,
    method: str | None,
    coverage: str,
    beta: float | None,
    as_json: bool,
    **parameters: str | None,
) -> None:
    """Compare groups of different people: the shares of yes from counts, or any question of a survey by its groups.

    Counts: all groups were asked with the same design. Each pair has its difference with an interval, the p-value of
    that test alone and the one adjusted for all pairs, and the ratio where there is one.

    Reports: --survey, or --manifest with --reports, and --question and --by. Shares are compared answer by answer,
    numbers by their means.
    """
    options = Options(level=level, method=method, coverage=coverage, beta=beta)
    if design is None:
        if question is None or by is None or yes or n or groups or stated_parameters(parameters):
            raise click.UsageError("Give --design with --yes and --n, or a survey's reports with --question and --by.")
        with survey_source(survey, db, manifest_path, reports_path) as source:
            compared = compare_grouped_counts(
                source.manifest,
                source.grouped,
                question,
                by,
                labels=read_labels(group),
                adjustment=adjust,
                options=options,
            )
        if as_json:
            print_json(compared.to_json())
        else:
            print_question_comparison(compared)
        return
    if yes is None or n is None or any((survey, db, manifest_path, reports_path, question, by, group)):
        raise click.UsageError("--design goes with --yes and --n, and with no survey.")
    _compare_counts(design, parameters, (yes, n, groups), adjust, options, as_json=as_json)


def _compare_counts(
    design: str,
    parameters: dict[str, str | None],
    counted: tuple[str, str, str | None],
    adjust: str,
    options: Options,
    *,
    as_json: bool,
) -> None:
    yes, n, groups = counted
    known = read_yes_no(design, stated_parameters(parameters))
    counts, totals = read_whole_numbers(yes, "--yes"), read_whole_numbers(n, "--n")
    names = [f"{place}" for place in range(1, len(counts) + 1)] if groups is None else groups.split(",")
    if not len(counts) == len(totals) == len(names):
        raise click.UsageError("--yes, --n and --groups need one figure for each group, with commas between them.")
    rows = zip(names, counts, totals, strict=True)
    compared = [Group(name=name.strip(), yes=count, n=total, design=known) for name, count, total in rows]
    _show(_compare(compared, adjust, options), as_json=as_json)


def _compare(groups: list[Group], adjustment: str, options: Options) -> Comparison:
    try:
        return compare_groups(groups, adjustment=adjustment, options=options)
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None


def _show(comparison: Comparison, *, as_json: bool) -> None:
    if as_json:
        print_json(comparison.to_json())
    else:
        print_comparison(comparison)
