"""The figures of a survey, from one reading of its counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hushpoll_server.analysis.groups import codes_within, shown_counts
from hushpoll_server.analysis.regression import regress_survey
from hushpoll_server.analysis.results import Results
from hushpoll_server.analysis.tables import Table, counted_table, cross_table
from hushpoll_server.analysis.warnings import warnings_of
from hushpoll_server.collect.service import CollectService
from hushpoll_server.counting.tally import GroupedCounts, SurveyCounts, counts_of, number_of_reports
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.regression.results import Regression
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_server.results.cached import CachedResults, Key, Value
from hushpoll_server.surveys.service import SurveyService
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report


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

    def __init__(self, surveys: SurveyService, collect: CollectService) -> None:
        """Read the counters of these surveys."""
        self._surveys, self._collect, self._cached = surveys, collect, CachedResults()

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
        crossed = self._surveys.crossed(reading.manifest.survey)
        counted = counted_table(
            reading.manifest, reading.counts, crossed, questions, adjustment=adjustment, options=options
        )
        if counted is not None:
            return counted
        return self._of_reports(
            reading,
            ("table", tuple(questions), adjustment, options),
            lambda reports: cross_table(reading.manifest, reports, questions, adjustment=adjustment, options=options),
        )

    def regression(self, reading: Reading, outcome: str, covariates: Sequence[str], **options: Any) -> Regression:
        """Regress an answer or a number on public groups and other questions, from the reports."""
        return self._of_reports(
            reading,
            ("regression", outcome, tuple(covariates), *sorted(options.items())),
            lambda reports: regress_survey(reading.manifest, reports, outcome, covariates, **options),
        )

    def _of_reports(self, reading: Reading, key: Key, compute: Callable[[Iterator[Report]], Value]) -> Value:
        """Compute something from the reports that have the labels of a reading, once for the same counters."""

        def attempt() -> Value | EstimateError:
            # What reports do not determine takes as long to find out, and is remembered as well.
            try:
                return compute(self._reports(reading))
            except EstimateError as error:
                return error.with_traceback(None)

        found = self._cached.of_reports(reading.manifest, reading.counts, (reading.labels, *key), attempt)
        if isinstance(found, EstimateError):
            raise type(found)(str(found))
        return found

    def _reports(self, reading: Reading) -> Iterator[Report]:
        stored = self._collect.stream(reading.manifest.survey)
        if not reading.labels:
            return stored
        codes = codes_within(reading.manifest, reading.labels)
        return (report for report in stored if report.groups in codes)

    def warnings(self, reading: Reading) -> tuple[str, ...]:
        """Return warnings about the reports of a survey as a whole."""
        survey, reports = reading.manifest.survey, reading.everybody
        equal, bursts = self._collect.equal_reports(survey, reports), self._collect.bursts(survey)
        return warnings_of(reading.manifest, reports, equal, bursts)
