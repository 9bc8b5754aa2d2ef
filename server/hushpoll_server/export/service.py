"""Everything that a survey is handed over in, for a command and a page alike: from an order to the bytes of a file.

It reads through the services of the instance, which are passed in. The rule here: what an order cannot have is refused
before the first byte; the bytes come part by part, and reports are read once, from one state of the database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from hushpoll_server.analysis.comparison import compare_grouped_counts
from hushpoll_server.analysis.groups import codes_within, shown_counts
from hushpoll_server.analysis.warnings import warnings_of
from hushpoll_server.counting.crossed import Crossed
from hushpoll_server.counting.days import ReportDays
from hushpoll_server.counting.equal_reports import EqualReports
from hushpoll_server.counting.tally import GroupedCounts
from hushpoll_server.export import associations, days, tables
from hushpoll_server.export.codebook import codebook
from hushpoll_server.export.columns import Column, Row
from hushpoll_server.export.documents import about_reports, associations_document, estimates_document, write_json
from hushpoll_server.export.figures import crosstabs_of, figures_of, parts_of
from hushpoll_server.export.order import CODEBOOK, DAYS, ESTIMATES, REPORTS, SCRIPT, TESTS, Order
from hushpoll_server.export.parquet import parquet_parts
from hushpoll_server.export.reports import report_columns, report_lines, report_rows, with_new_ids
from hushpoll_server.export.scripts import script
from hushpoll_server.export.spreadsheet import csv_parts
from hushpoll_server.export.wide import wide_table
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import Problem
from hushpoll_shared.report import Report

Item = TypeVar("Item")


class Published(Protocol):
    """A survey that was published."""

    @property
    def name(self) -> str:
        """Return its name."""

    @property
    def manifest(self) -> Manifest:
        """Return its manifest."""

    @property
    def key(self) -> str:
        """Return the publisher's key."""


class Surveys(Protocol):
    """Where surveys are found."""

    def get(self, name: str) -> Published:
        """Return a survey; refuse a name that no survey has."""

    def crossed(self, name: str) -> Sequence[Crossed]:
        """Return the cross tables that the survey counts."""


class Collected(Protocol):
    """Where reports and their counters are found."""

    def grouped_counts(self, survey: str) -> GroupedCounts:
        """Return the counters by the code of the groups."""

    def number_of_reports(self, survey: str) -> int:
        """Return how many reports there are."""

    def days(self, survey: str) -> Mapping[str, int]:
        """Return how many reports were counted by day."""

    def rejections(self, survey: str) -> Mapping[Problem, int]:
        """Return how many reports were refused for each reason."""

    def equal_reports(self, survey: str, reports: int) -> EqualReports:
        """Return the most frequent whole reports."""

    def bursts(self, survey: str) -> int:
        """Return how often reports came far faster than before."""

    def check_reports(self, survey: str) -> None:
        """Refuse reports whose draws were purged."""

    def stream(self, survey: str) -> Iterator[Report]:
        """Yield the stored reports."""


class Watch(Protocol):
    """Shows how much work is done."""

    def __call__(self, items: Iterable[Item], what: str, total: int, /) -> Iterable[Item]:
        """Return the items, so that taking them is seen."""


def unwatched(items: Iterable[Item], _what: str, _total: int) -> Iterable[Item]:
    """Return the items as they are, where nobody watches."""
    return items


@dataclass(frozen=True)
class _Work:
    """An order with the survey that it is for."""

    order: Order
    survey: Published
    surveys: Surveys
    collected: Collected
    watch: Watch

    @property
    def manifest(self) -> Manifest:
        return self.survey.manifest

    @property
    def crossed(self) -> Sequence[Crossed]:
        return self.surveys.crossed(self.survey.name)

    @property
    def grouped(self) -> GroupedCounts:
        return self.collected.grouped_counts(self.survey.name)


class ExportService:
    """The exports of one instance."""

    def __init__(self, surveys: Surveys, collected: Collected) -> None:
        """Export these surveys with their reports."""
        self._surveys, self._collected = surveys, collected

    def parts(self, survey: str, order: Order, *, watch: Watch = unwatched) -> Iterator[bytes]:
        """Return the bytes of a file, part by part; refuse what the survey cannot have."""
        order.check()
        work = _Work(order, self._surveys.get(survey), self._surveys, self._collected, watch)
        return _WRITERS[order.what](work)


def _estimates(work: _Work) -> Iterator[bytes]:
    manifest, order, crossed = work.manifest, work.order, work.crossed
    parts = parts_of(manifest, work.grouped, labels=order.labels, by=order.by)
    every = [figures_of(part, crossed, order.options) for part in work.watch(parts, "groups", len(parts))]
    if order.format == "json":
        return _document(estimates_document(manifest, work.survey.key, every, by=order.by, stored=_about_reports(work)))
    if order.shape == "wide":
        return _table(order, *wide_table(every))
    return _table(order, tables.COLUMNS, tables.long_rows(every))


def _about_reports(work: _Work) -> Row:
    name, collected = work.survey.name, work.collected
    reports = collected.number_of_reports(name)
    warnings = warnings_of(work.manifest, reports, collected.equal_reports(name, reports), collected.bursts(name))
    return about_reports(work.manifest, reports, collected.rejections(name), warnings)


def _tests(work: _Work) -> Iterator[bytes]:
    manifest, order, crossed, grouped = work.manifest, work.order, work.crossed, work.grouped
    parts = parts_of(manifest, grouped, labels=order.labels, by=order.by)
    every = [(part, crosstabs_of(part, crossed, order.options)) for part in work.watch(parts, "groups", len(parts))]
    names = [] if order.by is None else [question.id for question in manifest.questions]
    comparisons = [
        compare_grouped_counts(manifest, grouped, name, order.by or "", labels=order.labels, options=order.options)
        for name in work.watch(names, "questions", len(names))
    ]
    if order.format == "json":
        return _document(associations_document(manifest, work.survey.key, every, comparisons=comparisons))
    rows = (row for part, each in every for row in associations.table_rows(part, each))
    compared = associations.comparison_rows(manifest, comparisons)
    return _table(order, associations.COLUMNS, (row for source in (rows, compared) for row in source))


def _reports(work: _Work) -> Iterator[bytes]:
    reports: Iterable[Report] = _stored(work)
    if work.order.new_ids:
        reports = with_new_ids(work.manifest, reports)
    if work.order.format == "ndjson":
        return report_lines(reports)
    return _table(work.order, report_columns(work.manifest), report_rows(work.manifest, reports))


def _days(work: _Work) -> Iterator[bytes]:
    # The days first: a report that comes in between waits.
    stored = work.collected.days(work.survey.name)
    counted = ReportDays.of(stored, work.collected.number_of_reports(work.survey.name))
    if work.order.format == "json":
        return _document(days.days_document(work.manifest, work.survey.key, counted))
    return _table(work.order, days.COLUMNS, days.day_rows(work.manifest, counted))


def _codebook(work: _Work) -> Iterator[bytes]:
    return _document(codebook(work.manifest, work.survey.key, work.order.options))


def _script(work: _Work) -> Iterator[bytes]:
    options = work.order.options
    return iter([script(work.manifest, work.order.format, level=options.level, method=options.method)])


def _stored(work: _Work) -> Iterable[Report]:
    """Return the reports of everybody or of a group; those that were purged, and small groups, are refused at once."""
    name, labels = work.survey.name, work.order.labels
    work.collected.check_reports(name)
    if labels:
        shown_counts(work.manifest, work.grouped, labels)
    total = work.collected.number_of_reports(name)
    reports = work.watch(work.collected.stream(name), "reports", total)
    if not labels:
        return reports
    codes = codes_within(work.manifest, labels)
    return (report for report in reports if report.groups in codes)


def _table(order: Order, columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[bytes]:
    return parquet_parts(columns, rows) if order.format == "parquet" else csv_parts(columns, rows)


def _document(value: object) -> Iterator[bytes]:
    return iter([write_json(value)])


_WRITERS: dict[str, Callable[[_Work], Iterator[bytes]]] = {
    ESTIMATES: _estimates,
    TESTS: _tests,
    REPORTS: _reports,
    DAYS: _days,
    CODEBOOK: _codebook,
    SCRIPT: _script,
}
