"""hushpoll compare: the shares of several groups, and how they differ, from counts."""

from __future__ import annotations

from typing import get_args

import click

from hushpoll_server.commands.common import json_option, level_option, method_option, print_json
from hushpoll_server.commands.designs import YES_NO_DESIGNS, design_options, read_yes_no, stated_parameters
from hushpoll_server.commands.figures import print_comparison
from hushpoll_server.commands.numbers import read_whole_numbers
from hushpoll_server.estimate.groups.comparison import Comparison, Group, compare_groups
from hushpoll_server.estimate.groups.multiple_tests import Adjustment
from hushpoll_server.estimate.options import Options
from hushpoll_shared.errors import InvalidValue


@click.command()
@design_options(YES_NO_DESIGNS)
@click.option("--yes", metavar="C1,C2,…", required=True, help="Reports that say yes, in each group.")
@click.option("--n", metavar="N1,N2,…", required=True, help="All reports, in each group.")
@click.option("--groups", metavar="A,B,…", help="The names of the groups; by default 1, 2, ….")
@click.option(
    "--adjust",
    type=click.Choice(get_args(Adjustment)),
    default="holm",
    show_default=True,
    help="How p-values are adjusted for all differences together.",
)
@level_option
@method_option
@json_option
def command(
    design: str,
    yes: str,
    n: str,
    groups: str | None,
    adjust: str,
    level: float,
    method: str | None,
    as_json: bool,
    **parameters: str | None,
) -> None:
    """Compare the shares of yes in groups of different people.

    All groups were asked with the same design. Each pair has its difference with an interval, the p-value of that test
    alone and the one adjusted for all pairs, and the ratio where there is one.
    """
    known = read_yes_no(design, stated_parameters(parameters))
    counts, totals = read_whole_numbers(yes, "--yes"), read_whole_numbers(n, "--n")
    names = [f"{place}" for place in range(1, len(counts) + 1)] if groups is None else groups.split(",")
    if not len(counts) == len(totals) == len(names):
        raise click.UsageError("--yes, --n and --groups need one figure for each group, with commas between them.")
    rows = zip(names, counts, totals, strict=True)
    compared = [Group(name=name.strip(), yes=count, n=total, design=known) for name, count, total in rows]
    _show(_compare(compared, adjust, Options(level=level, method=method)), as_json=as_json)


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
