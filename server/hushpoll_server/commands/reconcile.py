"""hushpoll reconcile: compare the counters with the stored reports."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from hushpoll_server.commands.common import database_option, instance, json_option, print_json
from hushpoll_server.operate.reconcile import Checked, check, repair
from hushpoll_server.services import Services

DIFFERENT = 1
PURGED = (
    "  The draws of {purged:,} reports were purged. What can still be checked, and was: that as many ids are stored or "
    "deleted as reports were counted, and that no counter is out of the range that the remaining reports leave."
)
UNREADABLE = (
    "  {unreadable:,} stored reports cannot be read: somebody or something else has written to the database. "
    "Restore a backup."
)
NOT_REPAIRED = "  Not repaired: a recount does not see every report. Restore a backup."


@click.command()
@click.argument("surveys", metavar="[ID]...", nargs=-1)
@click.option("--repair", "repairing", is_flag=True, help="Set the counters to the recount and print every change.")
@database_option
@json_option
@click.pass_context
def command(context: click.Context, surveys: tuple[str, ...], repairing: bool, db: str | None, as_json: bool) -> None:
    """Compare the counters of surveys with a recount of their stored reports.

    Without an ID all surveys are checked. Nothing is changed without --repair. Exit with 1 if something differs and was
    not repaired.
    """
    with instance(db) as services:
        names = surveys or [survey.name for survey in services.surveys.list()]
        results = [_run(services, name, repairing=repairing) for name in names]
    repaired = [repairing and not checked.is_right and checked.can_be_repaired for checked in results]
    if as_json:
        print_json({"surveys": [_to_json(*each) for each in zip(results, repaired, strict=True)]})
    else:
        for checked, done in zip(results, repaired, strict=True):
            _print(checked, repaired=done, refused=repairing and not done)
    if not all(checked.is_right or done for checked, done in zip(results, repaired, strict=True)):
        context.exit(DIFFERENT)


def _run(services: Services, name: str, *, repairing: bool) -> Checked:
    rules = services.surveys.rules(name)
    checked = check(services.store, rules)
    # A repair makes reports wait, so a survey that is right is left alone.
    return repair(services.store, rules) if repairing and not checked.is_right else checked


def _to_json(checked: Checked, repaired: bool) -> dict[str, Any]:
    differences = [each.to_json() for each in checked.differences]
    verdict = {"right": checked.is_right, "repaired": repaired}
    return {**dataclasses.asdict(checked), "differences": differences, **verdict}


def _print(checked: Checked, *, repaired: bool, refused: bool) -> None:
    verdict = "right" if checked.is_right else "REPAIRED" if repaired else "DIFFERENT"
    click.echo(f"{checked.survey}  {checked.reports:,} reports  {verdict}")
    for each in checked.differences:
        was = f"stored {each.stored:,}, recounted {each.recounted:,}"
        changed = f"{each.stored:,} → {each.recounted:,}"
        click.echo(f"  question {each.question}, counter {each.counter}: {changed if repaired else was}")
    if checked.purged:
        click.echo(PURGED.format(purged=checked.purged))
    if checked.unreadable:
        click.echo(UNREADABLE.format(unreadable=checked.unreadable))
    if refused and not checked.is_right:
        click.echo(NOT_REPAIRED)
