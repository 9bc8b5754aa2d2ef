"""hushpoll lab attack: run one attack, or all of them, against every defence."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from hushpoll_server.commands.common import json_option, print_json
from hushpoll_server.commands.lab_tables import (
    epsilon_option,
    print_table,
    seed_option,
    size_option,
    write_csv,
)
from hushpoll_server.commands.progress import watched
from hushpoll_server.lab.attacks import ATTACKS
from hushpoll_server.lab.attacks.attack import Setting
from hushpoll_server.lab.pictures import draw_picture
from hushpoll_server.lab.result import AttackResult
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_shared.errors import InvalidValue

_ALL = "all"
_COLUMNS = 100


@click.command(short_help="Run an attack against every defence.")
@click.argument("name", type=click.Choice([*ATTACKS, _ALL]))
@epsilon_option
@size_option
@seed_option
@json_option
@click.option("--csv", "csv_path", type=click.Path(dir_okay=False, path_type=Path), help="Also write all figures here.")
@click.option("--svg", "svg_path", type=click.Path(dir_okay=False, path_type=Path), help="Also write the picture here.")
def attack(
    name: str,
    epsilon: Bound | None,
    n: int | None,
    seed: int,
    as_json: bool,
    csv_path: Path | None,
    svg_path: Path | None,
) -> None:
    """Run an attack on invented people, or all attacks, against every defence.

    Each attack has its own number of people and its own epsilon, unless --n and --epsilon say otherwise.
    """
    if name == _ALL and (n is not None or svg_path is not None):
        raise click.UsageError("--n and --svg are for one attack: what n counts differs, and each has its own picture.")
    chosen = list(ATTACKS) if name == _ALL else [name]
    setting = Setting(seed=seed, bound=epsilon, n=n)
    try:
        results = [ATTACKS[each].run(setting) for each in watched(chosen, "attacks", len(chosen))]
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None
    if csv_path is not None:
        write_csv(((result.name, table) for result in results for table in result.tables), csv_path)
    if svg_path is not None:
        svg_path.write_text(draw_picture(results[0].picture, prefix=name, file=True), encoding="utf-8")
    if as_json:
        print_json([result.to_json() for result in results] if name == _ALL else results[0].to_json())
        return
    for place, result in enumerate(results):
        click.echo("\n" * bool(place), nl=False)
        _print(result)


def _print(result: AttackResult) -> None:
    click.echo(f"{result.title}\n\n{_wrap(result.statement)}\n")
    for step in result.steps:
        click.echo(step)
    if result.steps:
        click.echo()
    for table in result.tables:
        print_table(table)
        click.echo()
    for verdict in result.verdicts:
        click.echo(_wrap(f"{verdict.defence}: {'holds' if verdict.holds else 'fails'}. {verdict.sentence}", "  "))


def _wrap(text: str, indent: str = "") -> str:
    return textwrap.fill(text, _COLUMNS, subsequent_indent=indent)
