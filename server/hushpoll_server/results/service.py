"""The figures of a survey, from one reading of its counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, TypeVar, cast

from hushpoll_server.analysis.groups import codes_within, shown_counts
from hushpoll_server.analysis.regression import count_for, regression_of
from hushpoll_server.analysis.results import Results
from hushpoll_server.analysis.rows import CountedRows
from hushpoll_server.analysis.tables import Table, are_counted, counted_table, table_of
from hushpoll_server.analysis.tabulated import Tabulated, tabulate
from hushpoll_server.analysis.warnings import warnings_of
from hushpoll_server.collect.service import CollectService
from hushpoll_server.counting.combinations import Combined
from hushpoll_server.counting.tally import GroupedCounts, SurveyCounts, counts_of, number_of_reports
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.regression.results import Regression
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_server.results.cached import CachedResults, Key
from hushpoll_server.results.scans import MOST_SECONDS, Scan, Scans
from hushpoll_server.surveys.service import SurveyService
from hushpoll_shared.manifest import Manifest


class Sized(Protocol):
    """What is remembered of the reports."""

    @property
    def bytes(self) -> int:
        """Return roughly how much memory it takes."""


Read = TypeVar("Read", bound=Sized)


@dataclass(frozen=True, eq=False)
class Reading:
    """The counters of a survey at one moment: all figures of a page come from one reading."""

    manifest: Manifest
    grouped: GroupedCounts
    labels: tuple[str, ...] = ()

    @cached_property
    def counts(self) -> SurveyCounts:
        """Return the counters of the reports that have the labels; refuse a group with too few of them."""
        return shown_counts(self.manifest, self.grouped, self.labels)

    def within(self, labels: Iterable[str]) -> Reading:
        """Return a reading of the reports that have all these labels; how large their population is, is not known."""
        wanted = tuple(labels)
        return replace(self, labels=wanted, manifest=replace(self.manifest, population=None)) if wanted else self

    @property
    def everybody(self) -> int:
        """Return how many reports there are in all groups together."""
        return number_of_reports(self.manifest, counts_of(self.grouped.values()))

    @property
    def reports(self) -> int:
        """Return how many reports there are."""
        return number_of_reports(self.manifest, self.counts)


class ResultsService:
    """The results of one instance."""

    def __init__(self, surveys: SurveyService, collect: CollectService, *, most_seconds: float = MOST_SECONDS) -> None:
        """Read the counters of these surveys; what is computed from their reports takes at most this long."""
        self._surveys, self._collect, self._cached = surveys, collect, CachedResults()
        self._scans = Scans(most_seconds=most_seconds)

    def read(self, survey: str) -> Reading:
        """Read the counters of a survey."""
        return Reading(self._surveys.manifest(survey), self._collect.grouped_counts(survey))

    def results(self, reading: Reading, options: Options) -> Results:
        """Estimate every question."""
        return self._cached.results_of(reading.manifest, reading.counts, options)

    def graded_results(self, reading: Reading, levels: Iterable[float], options: Options) -> dict[float, Results]:
        """Estimate every question at each of several confidence levels."""
        return self._cached.graded_results_of(reading.manifest, reading.counts, levels, options)

    def cross_tables(self, reading: Reading, options: Options) -> tuple[CrossResult, ...]:
        """Estimate the cross tables that the survey counts."""
        crossed = self._surveys.crossed(reading.manifest.survey)
        return self._cached.cross_results_of(reading.manifest, reading.counts, crossed, options)

    def table(self, reading: Reading, questions: Sequence[str], adjustment: str, options: Options) -> Table:
        """Return a table of two or three questions: from the counters if they hold it, else from the reports."""
        manifest, crossed = reading.manifest, self._surveys.crossed(reading.manifest.survey)
        counted = counted_table(manifest, reading.counts, crossed, questions, adjustment=adjustment, options=options)
        if counted is not None:
            return counted
        with self._begin_table(reading, questions) as scan:
            return table_of(manifest, scan.result(), adjustment=adjustment, options=options)

    def begin_table(self, reading: Reading, questions: Sequence[str]) -> Scan[Tabulated] | None:
        """Begin to read the reports for a table, unless the counters hold it. Whoever begins must leave."""
        manifest = reading.manifest
        if are_counted(manifest, self._surveys.crossed(manifest.survey), questions):
            return None
        return self._begin_table(reading, questions)

    def _begin_table(self, reading: Reading, questions: Sequence[str]) -> Scan[Tabulated]:
        key = ("table", *questions)
        return self._scan(reading, key, lambda reports: tabulate(reading.manifest, reports, questions))

    def regression(self, reading: Reading, outcome: str, covariates: Sequence[str], **options: Any) -> Regression:
        """Regress an answer or a number on public groups and other questions, from the reports."""
        with self.begin_regression(reading, outcome, covariates) as scan:
            return regression_of(reading.manifest, scan.result(), **options)

    def begin_regression(self, reading: Reading, outcome: str, covariates: Sequence[str]) -> Scan[CountedRows]:
        """Begin to read the reports for a regression. Whoever begins must leave."""
        manifest = reading.manifest
        key = ("regression", outcome, *covariates)
        return self._scan(reading, key, lambda reports: count_for(manifest, reports, outcome, covariates))

    def close(self) -> None:
        """End what is still being computed."""
        self._scans.close()

    def _scan(self, reading: Reading, key: Key, read: Callable[[Combined], Read]) -> Scan[Read]:
        """Read the reports that have the labels of a reading, once for the same counters."""
        manifest, labels, memory = reading.manifest, reading.labels, self._cached.memory
        whole_key = self._cached.key_of_reports(manifest, reading.counts, (labels, *key))

        def compute(scan: Scan[Read]) -> Read:
            if (known := memory.peek(whole_key)) is not None:
                return cast(Read, known)
            codes = codes_within(manifest, labels) if labels else None
            with scan.turn():
                found = read(self._collect.scan(manifest.survey, codes, scan.advance))
            return memory.recall(whole_key, lambda: found, lambda each: each.bytes)

        return self._scans.join(whole_key, reading.reports, compute)

    def warnings(self, reading: Reading) -> tuple[str, ...]:
        """Return warnings about the reports of a survey as a whole."""
        survey, reports = reading.manifest.survey, reading.everybody
        equal, bursts = self._collect.equal_reports(survey, reports), self._collect.bursts(survey)
        return warnings_of(reading.manifest, reports, equal, bursts)
