"""The figures of a survey, from one reading of its counters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from hushpoll_server.analysis.groups import shown_counts
from hushpoll_server.analysis.results import Results
from hushpoll_server.analysis.warnings import warnings_of
from hushpoll_server.collect.service import CollectService
from hushpoll_server.counting.tally import GroupedCounts, SurveyCounts, number_of_reports
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.tables.cross_results import CrossResult
from hushpoll_server.results.cached import CachedResults
from hushpoll_server.surveys.service import SurveyService
from hushpoll_shared.manifest import Manifest


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
        """Return a reading of the reports that have all these labels."""
        return replace(self, labels=tuple(labels))

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

    def warnings(self, reading: Reading) -> tuple[str, ...]:
        """Return warnings about the reports of a survey as a whole."""
        survey, reports = reading.manifest.survey, reading.reports
        equal, bursts = self._collect.equal_reports(survey, reports), self._collect.bursts(survey)
        return warnings_of(reading.manifest, reports, equal, bursts)
