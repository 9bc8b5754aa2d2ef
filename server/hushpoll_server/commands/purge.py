"""hushpoll purge: delete the stored reports of a survey and keep its counters."""

from __future__ import annotations

import dataclasses

import click

from hushpoll_server.commands.common import database_option, instance, json_option, print_json
from hushpoll_server.commands.progress import progress_bar
from hushpoll_server.operate.purge import purge

LOST = """\
This deletes the stored reports of {survey} ({reports:,} were counted). It cannot be undone.
Lost: the export of reports (ndjson), any new way of counting them, and the recount that checks the counters.
Kept: the counters, and with them dashboard, estimates and the exports csv, json and parquet.
{ids}"""
IDS_STAY = "Kept until the survey ends: the reports' random ids, so that none is counted twice."
IDS_GO = "Lost, too: the reports' random ids. The survey is over and stays closed: nothing can be counted twice."
STILL_IN_LOG = "The write-ahead log of the database was in use and still holds them: run this again when it is quieter."


@click.command()
@click.argument("survey", metavar="ID")
@click.option("--ended", is_flag=True, help="The survey has ended: close it for good, and delete the ids as well.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@database_option
@json_option
def command(survey: str, ended: bool, yes: bool, db: str | None, as_json: bool) -> None:
    """Delete the stored reports of a survey; its counters stay.

    While the survey takes reports, their random ids stay, too. For a closed survey the ids are deleted as well.
    """
    with instance(db) as services:
        published, now = services.surveys.get(survey), services.clock()
        reports = services.collect.number_of_reports(survey)
        ids = IDS_GO if ended or services.surveys.phase(published) == "closed" else IDS_STAY
        click.echo(LOST.format(survey=survey, reports=reports, ids=ids), err=True)
        if not yes:
            click.confirm("Delete them?", abort=True, err=True)
        with progress_bar("purge", reports) as progress:
            done = purge(services.store, published.manifest, now, ended=ended, progress=progress)
        cleaned = services.store.clean_up()
    if as_json:
        print_json({"survey": survey, **dataclasses.asdict(done), "cleaned": cleaned})
        return
    click.echo(f"deleted the draws of {done.reports:,} reports and {done.ids:,} ids")
    if not cleaned:
        click.echo(STILL_IN_LOG, err=True)
