"""hushpoll lab compare: the error of a question with no privacy, a trusted server, a shuffler, or nobody to trust."""

from __future__ import annotations

from pathlib import Path

import click

from hushpoll_server.commands.common import json_option, print_json
from hushpoll_server.commands.lab_tables import epsilon_option, print_table, seed_option, size_option, write_csv
from hushpoll_server.commands.numbers import Finite
from hushpoll_server.commands.progress import progress_bar
from hushpoll_server.lab.comparison import DEFAULT_DELTA, Comparison
from hushpoll_server.lab.comparison import compare as run
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_shared.errors import InvalidValue

DEFAULT_N = 1_000


@click.command(short_help="Compare the error of local, shuffled and central noise.")
@epsilon_option
@size_option
@click.option(
    "--delta",
    metavar="D",
    type=Finite(0, 1, min_open=True, max_open=True),
    default=DEFAULT_DELTA,
    show_default=True,
    help="The chance that the bound on shuffled reports does not hold.",
)
@seed_option
@json_option
@click.option("--csv", "csv_path", type=click.Path(dir_okay=False, path_type=Path), help="Also write all figures here.")
def compare(
    epsilon: Bound | None, n: int | None, delta: float, seed: int, as_json: bool, csv_path: Path | None
) -> None:
    """Compare the error of one yes/no question, and who must be trusted: measured, beside the theory.

    By default epsilon is 1 and there are 1,000 invented people.
    """
    bound = epsilon or Bound.of_epsilon("1")
    try:
        with progress_bar("drawing"):
            found = run(bound=bound, n=DEFAULT_N if n is None else n, delta=delta, seed=seed)
    except InvalidValue as error:
        raise click.UsageError(str(error)) from None
    if csv_path is not None:
        write_csv((("compare", table) for table in (found.table, found.amplification)), csv_path)
    if as_json:
        print_json(found.to_json())
        return
    _print(found)


def _print(found: Comparison) -> None:
    print_table(found.table)
    click.echo()
    print_table(found.amplification)
    click.echo(
        f"\n{found.repeated:,} repetitions, seed {found.seed}. Sampling n people adds a standard error of "
        f"{found.sampling:.4g} to each. In one shuffle {found.linked:,} of {found.n:,} reports kept their place."
    )
