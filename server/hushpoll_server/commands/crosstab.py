"""hushpoll crosstab: the cross table of two questions that were randomized separately, from counts."""

from __future__ import annotations

from collections.abc import Mapping

import click

from hushpoll_server.commands.common import coverage_option, json_option, level_option, method_option, print_json
from hushpoll_server.commands.designs import YES_NO_DESIGNS, check_grr, design_options, read_yes_no, stated_parameters
from hushpoll_server.commands.figures import print_crosstab
from hushpoll_server.commands.numbers import LARGEST_COUNT, read_whole_numbers
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
@design_options((*YES_NO_DESIGNS, "grr"))
@click.option("--counts", metavar='"A,B;C,D"', required=True, help="Reports of each pair of answers, row by row.")
@level_option
@method_option
@coverage_option
@json_option
def command(
    design: str,
    counts: str,
    level: float,
    method: str | None,
    coverage: str,
    as_json: bool,
    **parameters: str | None,
) -> None:
    """Cross two questions that were randomized separately, with the same design.

    --counts has the reports that name each pair of answers: commas between columns, semicolons between rows. With a
    yes/no design the first row and the first column are yes. With grr there may be any number of answers.
    """
    table, stated = _read_table(counts), stated_parameters(parameters)
    options = Options(level=level, method=method, coverage=coverage)
    try:
        crosstab = _estimate(design, stated, table, options)
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None
    if as_json:
        print_json(crosstab.to_json())
    else:
        print_crosstab(crosstab)


def _estimate(design: str, stated: Mapping[str, str], table: list[list[int]], options: Options) -> Crosstab:
    if design == "grr":
        check_grr(stated)
        first, second = (_names_one(stated, size) for size in (len(table), len(table[0])))
        return estimate_crosstab(table, first, second, options=options)
    side = Side.yes_no(read_yes_no(design, stated))
    if (len(table), len(table[0])) != (2, 2):
        raise click.UsageError(
            f'--design {design} needs two rows and two columns, yes first: --counts "300,200;200,300".'
        )
    return estimate_crosstab(table, side, side, options=options)


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
