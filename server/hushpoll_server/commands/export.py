"""hushpoll export: figures with all that is needed to check them, tests, reports, a codebook, or scripts that check.

The rule here: a file appears whole or not at all, and what was asked for is checked before anything is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from hushpoll_server.analysis.comparison import compare_grouped_counts
from hushpoll_server.analysis.groups import codes_within, shown_counts
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
from hushpoll_server.export import associations, tables
from hushpoll_server.export.codebook import codebook
from hushpoll_server.export.columns import Column, Row
from hushpoll_server.export.documents import associations_document, estimates_document, write_json
from hushpoll_server.export.figures import crosstabs_of, figures_of, parts_of
from hushpoll_server.export.parquet import check_parquet, write_parquet
from hushpoll_server.export.reports import report_columns, report_lines, report_rows, with_new_ids
from hushpoll_server.export.scripts import LANGUAGES, script
from hushpoll_server.export.spreadsheet import csv_parts
from hushpoll_server.export.wide import wide_table
from hushpoll_server.store.files import replaced_file
from hushpoll_shared.report import Report

if TYPE_CHECKING:
    from hushpoll_server.services import Services
    from hushpoll_server.surveys.service import PublishedSurvey

ESTIMATES, TESTS, REPORTS, CODEBOOK, SCRIPT = "estimates", "tests", "reports", "codebook", "script"
# Which formats there are of what.
_FORMATS = {
    ESTIMATES: ("csv", "json", "parquet"),
    TESTS: ("csv", "json", "parquet"),
    REPORTS: ("ndjson", "csv", "parquet"),
    CODEBOOK: ("json",),
    SCRIPT: tuple(LANGUAGES),
}
_EVERY_FORMAT = ("csv", "json", "parquet", "ndjson", *LANGUAGES)
# What is written if nothing is asked for by name.
_BY_FORMAT = {"ndjson": REPORTS, **dict.fromkeys(LANGUAGES, SCRIPT)}

# Writes a file that is open.
Write = Callable[[IO[bytes]], None]


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is asked for."""

    what: str
    format: str
    shape: str
    by: str | None
    labels: tuple[str, ...]
    new_ids: bool
    options: Options

    def check(self) -> None:
        """Refuse what cannot be written, with what to do instead."""
        if self.format not in _FORMATS[self.what]:
            raise click.UsageError(f"--what {self.what} is written as {', '.join(_FORMATS[self.what])}.")
        if self.new_ids and self.what != REPORTS:
            raise click.UsageError("--new-ids goes with reports: --format ndjson or --what reports. No other has ids.")
        if self.shape == "wide" and (self.what != ESTIMATES or self.format == "json"):
            raise click.UsageError("--shape wide goes with estimates as csv or parquet.")
        if self.by is not None and self.what not in (ESTIMATES, TESTS):
            raise click.UsageError("--by goes with estimates and tests: a report has the labels of all its groups.")
        if self.labels and self.what in (CODEBOOK, SCRIPT):
            raise click.UsageError("--group goes with figures and reports: a script says how to choose a group.")
        if self.what == SCRIPT and (self.options.coverage != "pointwise" or self.options.method == "wald"):
            raise click.UsageError("A script has pointwise limits, by the methods wilson and exact.")
        if self.options.beta is not None and self.what != ESTIMATES:
            raise click.UsageError("--beta goes with estimates.")
        if self.format == "parquet":
            check_parquet()


@click.command()
@click.argument("survey", metavar="ID")
@click.option("--format", "format_", type=click.Choice(_EVERY_FORMAT), required=True, help="How to write it.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="Where to write it.")
@click.option(
    "--what",
    type=click.Choice(list(_FORMATS)),
    help="What to write; by default estimates, as ndjson the reports, in a language a script.",
)
@click.option(
    "--shape",
    type=click.Choice(["long", "wide"]),
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
    also how groups differ; --what reports writes a row for each report; --what codebook says what every column,
    code and draw means. r, stata and notebook write a script that computes the figures again from the reports.
    """
    order = Order(
        what=what or _BY_FORMAT.get(format_, ESTIMATES),
        format=format_,
        shape=shape,
        by=by,
        labels=read_labels(group),
        new_ids=new_ids,
        options=Options(level=level, method=method, coverage=coverage, beta=beta),
    )
    order.check()
    with instance(db) as services:
        write = _WRITERS[order.what](order, services.surveys.get(survey), services)
        with replaced_file(out) as file:
            write(file)
    click.echo(f"wrote {out}", err=True)


def _estimates(order: Order, survey: PublishedSurvey, services: Services) -> Write:
    manifest, crossed = survey.manifest, services.surveys.crossed(survey.name)
    parts = parts_of(manifest, services.collect.grouped_counts(survey.name), labels=order.labels, by=order.by)
    every = [figures_of(part, crossed, order.options) for part in parts]
    if order.format == "json":
        return _document(estimates_document(manifest, survey.key, every, by=order.by))
    if order.shape == "wide":
        return _table(order, *wide_table(every))
    return _table(order, tables.COLUMNS, tables.long_rows(every))


def _tests(order: Order, survey: PublishedSurvey, services: Services) -> Write:
    manifest, crossed = survey.manifest, services.surveys.crossed(survey.name)
    grouped = services.collect.grouped_counts(survey.name)
    parts = parts_of(manifest, grouped, labels=order.labels, by=order.by)
    every = [(part, crosstabs_of(part, crossed, order.options)) for part in parts]
    names = [] if order.by is None else [question.id for question in manifest.questions]
    comparisons = [
        compare_grouped_counts(manifest, grouped, name, order.by or "", labels=order.labels, options=order.options)
        for name in names
    ]
    if order.format == "json":
        return _document(associations_document(manifest, survey.key, every, comparisons=comparisons))
    rows = (row for part, each in every for row in associations.table_rows(part, each))
    compared = associations.comparison_rows(manifest, comparisons)
    return _table(order, associations.COLUMNS, (row for source in (rows, compared) for row in source))


def _reports(order: Order, survey: PublishedSurvey, services: Services) -> Write:
    reports: Iterable[Report] = _stored(order.labels, survey, services)
    if order.new_ids:
        reports = with_new_ids(survey.manifest, reports)
    if order.format == "ndjson":
        return lambda file: file.writelines(report_lines(reports))
    return _table(order, report_columns(survey.manifest), report_rows(survey.manifest, reports))


def _codebook(order: Order, survey: PublishedSurvey, _: Services) -> Write:
    return _document(codebook(survey.manifest, survey.key, order.options))


def _script(order: Order, survey: PublishedSurvey, _: Services) -> Write:
    content = script(survey.manifest, order.format, level=order.options.level, method=order.options.method)
    return lambda file: file.writelines([content])


def _stored(labels: Sequence[str], survey: PublishedSurvey, services: Services) -> Iterator[Report]:
    """Return the reports of everybody or of a group, with a progress bar while they are read."""
    total = services.collect.number_of_reports(survey.name)
    reports = watched(services.collect.stream(survey.name), "reports", total)
    if not labels:
        return reports
    # A group with too few reports is refused.
    shown_counts(survey.manifest, services.collect.grouped_counts(survey.name), labels)
    codes = codes_within(survey.manifest, labels)
    return (report for report in reports if report.groups in codes)


def _table(order: Order, columns: Sequence[Column], rows: Iterable[Row]) -> Write:
    if order.format == "parquet":
        return lambda file: write_parquet(file, columns, rows)
    return lambda file: file.writelines(csv_parts(columns, rows))


def _document(value: object) -> Write:
    return lambda file: file.writelines([write_json(value)])


_WRITERS: dict[str, Callable[[Order, PublishedSurvey, Services], Write]] = {
    ESTIMATES: _estimates,
    TESTS: _tests,
    REPORTS: _reports,
    CODEBOOK: _codebook,
    SCRIPT: _script,
}
