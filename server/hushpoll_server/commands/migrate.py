"""hushpoll migrate: bring the database's schema up to date, or check whether it is."""

from __future__ import annotations

import click

from hushpoll_server.commands.common import database_option, json_option, print_json
from hushpoll_server.settings import load_settings
from hushpoll_server.store import Store, missing_steps
from hushpoll_server.store.migrate import Step, head

BEHIND = 1


@click.command()
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if steps are missing.")
@database_option
@json_option
@click.pass_context
def command(context: click.Context, check: bool, db: str | None, as_json: bool) -> None:
    """Bring the database's schema up to date.

    Every command that opens an instance does the same. A schema that this version does not know is refused and left
    alone.
    """
    url = load_settings(db=db).database_url
    steps = missing_steps(url) if check else _migrate(url)
    if as_json:
        named = [{"revision": step.revision, "summary": step.summary} for step in steps]
        print_json({"schema": head(), "missing" if check else "done": named})
    else:
        for step in steps:
            click.echo(f"{'missing' if check else 'done'}  {step.revision}  {step.summary}")
        click.echo(_sentence(len(steps) if check else 0))
    if check and steps:
        context.exit(BEHIND)


def _migrate(url: str) -> list[Step]:
    store = Store(url)
    store.close()
    return store.steps


def _sentence(missing: int) -> str:
    if missing:
        return "The schema is not up to date: run hushpoll migrate."
    return f"The schema is up to date: {head()}."
