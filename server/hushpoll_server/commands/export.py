"""hushpoll export: figures with all that is needed to check them, tests, reports, days, a codebook, or scripts.

The rule here: a file appears whole or not at all, and what was asked for is checked before anything is read.
"""

from __future__ import annotations

from pathlib import Path

import click

from hushpoll_server.commands.common import (
    beta_option,
    coverage_option,
    database_option,
    instance,
    level_option,
    method_option,
)
from hushpoll_server.commands.progress import watched
from hushpoll_server.commands.sources import group_option, read_labels
from hushpoll_server.estimate.options import Options
from hushpoll_server.export.order import EVERY_FORMAT, FORMATS, SHAPES, Order, OrderRefused, usual_content
from hushpoll_server.store.files import replaced_file


@click.command()
@click.argument("survey", metavar="ID")
@click.option("--format", "format_", type=click.Choice(EVERY_FORMAT), required=True, help="How to write it.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Where to write it.")
@click.option(
    "--what",
    type=click.Choice(list(FORMATS)),
    help="What to write; by default estimates, as ndjson the reports, in a language a script.",
)
@click.option(
    "--shape",
    type=click.Choice(SHAPES),
    default="long",
    show_default=True,
    help="Estimates with a row for each figure, or for each question.",
)
@click.option("--by", metavar="DIMENSION", help="Figures of each group of this public dimension.")
@group_option
@click.option("--new-ids", is_flag=True, help="Replace the reports' ids by new random ones (reports).")
@database_option
@level_option
@method_option
@coverage_option
@beta_option
def command(
    survey: str,
    format_: str,
    out: Path,
    what: str | None,
    shape: str,
    by: str | None,
    group: tuple[str, ...],
    new_ids: bool,
    db: str | None,
    level: float,
    method: str | None,
    coverage: str,
    beta: float | None,
) -> None:
    """Export a survey.

    csv, json and parquet hold the estimates with design, n, level, method and manifest; ndjson holds the stored reports
    in random order, from which hushpoll estimate gives the same figures.

    --what tests writes margins, tests, odds ratios and covariances of the survey's cross tables and pairs, with --by
    also how groups differ; --what reports writes a row for each report; --what days how many came on which day, in
    steps of twenty; --what codebook says what every column, code and draw means. r, stata and notebook write a script
    that computes the figures again from the reports.
    """
    order = Order(
        what=what or usual_content(format_),
        format=format_,
        shape=shape,
        by=by,
        labels=read_labels(group),
        new_ids=new_ids,
        options=Options(level=level, method=method, coverage=coverage, beta=beta),
    )
    try:
        order.check()
    except OrderRefused as error:
        raise click.UsageError(str(error)) from None
    with instance(db) as services:
        parts = services.exports.parts(survey, order, watch=watched)
        with replaced_file(out) as file:
            file.writelines(parts)
    click.echo(f"wrote {out}", err=True)
