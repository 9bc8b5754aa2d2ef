"""hushpoll crosstab: the table of two or three questions, from reports, or of two questions from counts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import click

from hushpoll_server.analysis.tables import Table, cross_table
from hushpoll_server.commands.common import (
    coverage_option,
    json_option,
    level_option,
    method_option,
    print_json,
)
from hushpoll_server.commands.designs import YES_NO_DESIGNS, check_grr, design_options, read_yes_no, stated_parameters
from hushpoll_server.commands.numbers import LARGEST_COUNT, read_whole_numbers
from hushpoll_server.commands.sources import group_option, read_labels, source_options, survey_source
from hushpoll_server.commands.table_figures import print_table_result
from hushpoll_server.estimate.groups.multiple_tests import Adjustment
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.estimate.tables.crosstab import Crosstab, estimate_crosstab
from hushpoll_server.estimate.tables.sides import Side
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.errors import InvalidValue

# The matrix of all pairs is inverted: with more cells it takes seconds.
MOST_CELLS = 400


@click.command()
@source_options
@group_option
@click.option(
    "--questions",
    metavar="A,B[,C]",
    help="With reports: two or three questions, parts of pairs, or options such as channels:phone.",
)
@design_options((*YES_NO_DESIGNS, "grr"), required=False)
@click.option("--counts", metavar='"A,B;C,D"', help="Reports of each pair of answers, row by row.")
@click.option(
    "--adjust",
    type=click.Choice(get_args(Adjustment)),
    default="holm",
    show_default=True,
    help="How p-values are adjusted for all differences of rows together.",
)
@level_option
@method_option
@coverage_option
@json_option
def command(
    survey: str | None,
    db: str | None,
    manifest_path: Path | None,
    reports_path: Path | None,
    group: tuple[str, ...],
    questions: str | None,
    design: str | None,
    counts: str | None,
    adjust: str,
    level: float,
    method: str | None,
    coverage: str,
    as_json: bool,
    **parameters: str | None,
) -> None:
    """Cross two or three questions: shares, row percentages, differences of rows, tests and odds ratios.

    Either --questions with --survey, or with --manifest and --reports; or --design with its parameters and --counts,
    the reports that name each pair of answers to two questions that were randomized separately, with the same design:
    commas between columns, semicolons between rows. With a yes/no design the first row and the first column are yes.
    With grr there may be any number of answers.

    The first question makes the rows, the second the columns; within each answer to a third these are compared again.
    With a number, the table has its mean in each group that the other questions make up.
    """
    stated, options = stated_parameters(parameters), Options(level=level, method=method, coverage=coverage)
    table: Table
    if questions and not (design or counts or stated):
        names, labels = [name.strip() for name in questions.split(",")], read_labels(group)
        with survey_source(survey, db, manifest_path, reports_path) as source:
            manifest, reports = source.within(labels)
            table = cross_table(manifest, reports, names, adjustment=adjust, options=options)
    elif design and counts and not (survey or db or manifest_path or reports_path or questions or group):
        table = _from_counts(design, stated, counts, adjust, options)
    else:
        raise click.UsageError(
            "Give a survey's reports with --questions, or --design with its parameters and --counts."
        )
    if as_json:
        print_json(table.to_json())
    else:
        print_table_result(table)


def _from_counts(design: str, stated: Mapping[str, str], counts: str, adjust: str, options: Options) -> Crosstab:
    table = _read_table(counts)
    try:
        return _estimate(design, stated, table, adjust, options)
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None


def _estimate(
    design: str, stated: Mapping[str, str], table: list[list[int]], adjust: str, options: Options
) -> Crosstab:
    if design == "grr":
        check_grr(stated)
        first, second = (_names_one(stated, size) for size in (len(table), len(table[0])))
        return estimate_crosstab(table, first, second, adjustment=adjust, options=options)
    side = Side.yes_no(read_yes_no(design, stated))
    if (len(table), len(table[0])) != (2, 2):
        raise click.UsageError(
            f'--design {design} needs two rows and two columns, yes first: --counts "300,200;200,300".'
        )
    return estimate_crosstab(table, side, side, adjustment=adjust, options=options)


def _names_one(stated: Mapping[str, str], size: int) -> Side:
    design = SubsetMechanism.of(Bound.read(stated), size, picks=1)
    return Side.names_one(size, SupportDesign(design.p, design.q))


def _read_table(text: str) -> list[list[int]]:
    table = [read_whole_numbers(row, "--counts") for row in text.split(";")]
    if len({len(row) for row in table}) > 1 or min(len(table), len(table[0])) < 2:
        raise click.UsageError('--counts needs two or more rows of the same length: --counts "300,200;200,300".')
    if len(table) * len(table[0]) > MOST_CELLS:
        raise click.UsageError(f"--counts has more than {MOST_CELLS} cells: join rare answers.")
    if sum(abs(count) for row in table for count in row) > LARGEST_COUNT:
        raise click.UsageError(f"--counts add up to more than {LARGEST_COUNT}: give the reports of one survey.")
    return table
