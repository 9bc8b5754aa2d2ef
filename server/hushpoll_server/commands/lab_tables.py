"""The options and the printing that the commands of the lab share."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import click

from hushpoll_server.commands.numbers import COUNT, WHOLE
from hushpoll_server.lab.result import Table
from hushpoll_server.lab.stream import DEFAULT_SEED
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_shared.errors import InvalidValue

seed_option = click.option(
    "--seed", type=WHOLE, default=DEFAULT_SEED, show_default=True, help="The same seed gives the same figures."
)
size_option = click.option("--n", metavar="N", type=COUNT, help="How many people.")


def read_epsilon(_: click.Context, __: click.Parameter, value: str | None) -> Bound | None:
    """Return the bound of an epsilon; one that is none is a usage error."""
    try:
        return None if value is None else Bound.of_epsilon(value)
    except InvalidValue as error:
        raise click.BadParameter(str(error)) from None


epsilon_option = click.option(
    "--epsilon", metavar="E", callback=read_epsilon, help="The epsilon of each person, in all."
)


def print_table(table: Table) -> None:
    """Print the caption and the rows, texts to the left and figures to the right."""
    heads = [column.heading for column in table.columns]
    widths = [max(map(len, cells)) for cells in zip(heads, *table.written(), strict=True)]
    click.echo(table.caption)
    for row in (heads, *table.written()):
        aligned = (
            cell.ljust(width) if column.kind == "text" else cell.rjust(width)
            for cell, width, column in zip(row, widths, table.columns, strict=True)
        )
        click.echo(f"  {'  '.join(aligned).rstrip()}")


def write_csv(tables: Iterable[tuple[str, Table]], path: Path) -> None:
    """Write the cells of all tables: one line for each cell, with full precision."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("run", "table", "row", "column", "value"))
        for run, table in tables:
            for place, row in enumerate(table.rows):
                for column, value in zip(table.columns, row, strict=True):
                    writer.writerow((run, table.name, place, column.name, "" if value is None else value))
