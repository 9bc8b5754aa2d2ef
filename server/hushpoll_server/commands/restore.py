"""hushpoll restore: fill an empty instance from a backup."""

from __future__ import annotations

from pathlib import Path

import click

from hushpoll_server.commands.common import database_option, instance, json_option, print_json
from hushpoll_server.commands.progress import progress_bar
from hushpoll_server.operate.backup import restore
from hushpoll_server.operate.backup_file import count_rows
from hushpoll_server.operate.reconcile import check

DIFFERENT = 1


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@database_option
@json_option
@click.pass_context
def command(context: click.Context, file: Path, db: str | None, as_json: bool) -> None:
    """Fill an empty instance from a backup.

    The file is checked to its end before anything is written. Reports that are sent again are still recognized. Exit
    with 1 if the counters in the backup differ from its reports.
    """
    # Before the instance is opened, which would create one: a damaged file must leave nothing behind.
    rows = count_rows(file)
    with instance(db) as services:
        with progress_bar("restore", rows) as progress:
            restore(services.store, file, progress=progress)
        results = [check(services.store, services.surveys.rules(survey.name)) for survey in services.surveys.list()]
    wrong = [survey.survey for survey in results if not survey.is_right]
    if as_json:
        print_json({"rows": rows, "surveys": [survey.survey for survey in results], "different": wrong})
    else:
        reports = sum(survey.reports for survey in results)
        click.echo(f"restored {rows:,} rows (surveys: {len(results):,}, reports: {reports:,})")
        click.echo(_verdict(wrong))
    if wrong:
        context.exit(DIFFERENT)


def _verdict(wrong: list[str]) -> str:
    if wrong:
        return f"The counters differed from the reports when the backup was made: hushpoll reconcile {' '.join(wrong)}"
    return "The counters equal a recount of the reports."
