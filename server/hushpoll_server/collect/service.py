"""Accept reports: strict reading, the check against the manifest, then the writer.

Single reports and NDJSON batches are handled alike: a batch is many single reports, each judged on its own. A batch is
read commit by commit, so that it takes no more memory than one commit needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session, col, select

from hushpoll_server.collect.arrivals import Arrivals
from hushpoll_server.collect.batch import CheckedReport, Stored, Verdict
from hushpoll_server.collect.body import lines_of
from hushpoll_server.collect.counters import (
    read_bursts,
    read_counts,
    read_grouped_counts,
    read_rejections,
    read_totals,
)
from hushpoll_server.collect.days import read_days
from hushpoll_server.collect.equal_reports import EqualReportsFinder
from hushpoll_server.collect.models import PurgeRow, ReportRow
from hushpoll_server.collect.reader import Reader
from hushpoll_server.collect.scan import Progress, ReportsPurged, StoredReports
from hushpoll_server.collect.writer import LARGEST_COMMIT, Writer
from hushpoll_server.counting.equal_reports import EqualReports
from hushpoll_server.counting.stored_draws import read_draws
from hushpoll_server.counting.tally import GroupedCounts, SurveyCounts, number_of_reports
from hushpoll_server.store import Store
from hushpoll_server.surveys.service import SurveyService
from hushpoll_server.watch.metrics import Metrics
from hushpoll_shared import report
from hushpoll_shared.problems import ALL, NOT_A_BATCH, TRY_LATER, Problem, ProblemError

# If there is no report among this many first lines, the body is not a batch, and the rest of it is not read.
PROBED_LINES = 100
# The most refused lines that the response names; the others are only counted.
NAMED_LINES = 100
# The most rows that are held in memory when all are read.
ROWS_AT_A_TIME = 5_000


@dataclass
class BatchOutcome:
    """What became of the lines of a batch."""

    stored: Counter[Stored] = field(default_factory=Counter)
    refused: Counter[Problem] = field(default_factory=Counter)
    named: list[tuple[int, Problem]] = field(default_factory=list)

    def add(self, number: int, verdict: Verdict) -> None:
        """Count the verdict on a line."""
        if isinstance(verdict, Stored):
            self.stored[verdict] += 1
            return
        self.refused[verdict] += 1
        if len(self.named) < NAMED_LINES:
            self.named.append((number, verdict))


class CollectService:
    """The reports of one instance."""

    def __init__(self, store: Store, surveys: SurveyService, writer: Writer, metrics: Metrics) -> None:
        """Work on this database through this writer."""
        self._store, self._surveys, self._writer, self._metrics = store, surveys, writer, metrics
        self._arrivals, self._equal_reports = Arrivals(), EqualReportsFinder(store)
        # These never become outdated: what a survey's reports must look like never changes.
        self._readers: dict[str, Reader] = {}

    def take(self, survey: str, bodies: Sequence[bytes]) -> list[Verdict]:
        """Store reports durably and return what became of each body, in the order of the bodies."""
        reader = self._reader(survey)
        return self._write([reader.read(body) for body in bodies])

    def take_one(self, survey: str, body: bytes) -> Verdict:
        """Store the report of a request durably and return what became of it."""
        [verdict] = self.take(survey, [body])
        self._note_arrival(survey, verdict)
        return verdict

    def take_many(self, survey: str, body: bytes) -> BatchOutcome:
        """Store the reports of a batch durably, one per line, and return what became of them."""
        reader, outcome = self._reader(survey), BatchOutcome()
        read = ((number, reader.read(line)) for number, line in lines_of(body, reader.report_length))
        first = list(islice(read, PROBED_LINES))
        if len(first) == PROBED_LINES and not any(isinstance(entry, CheckedReport) for _, entry in first):
            raise ProblemError(NOT_A_BATCH)
        lines = chain(first, read)
        while part := list(islice(lines, LARGEST_COMMIT)):
            verdicts = self._write([entry for _, entry in part])
            for (number, _), verdict in zip(part, verdicts, strict=True):
                outcome.add(number, verdict)
        return outcome

    def report_length(self, survey: str) -> int:
        """Return the length in bytes of every report to a survey."""
        return self._reader(survey).report_length

    async def take_soon(self, survey: str, body: bytes) -> Verdict | None:
        """Store one report without blocking a thread; return None if the survey must be looked up first."""
        reader = self._readers.get(survey)
        if reader is None:
            return None
        entry = reader.read(body)
        if not isinstance(entry, CheckedReport):
            return entry
        [verdict] = await self._writer.write_soon([entry])
        self._note_arrival(survey, verdict)
        return verdict

    def origins(self, survey: str) -> frozenset[str]:
        """Return the origins whose pages may send reports to a survey; none for a survey that does not exist."""
        try:
            return self._reader(survey).origins
        except (ProblemError, SQLAlchemyError):
            return frozenset()

    def origins_soon(self, survey: str) -> frozenset[str]:
        """Return the same without reading the database: none for a survey that must be looked up first."""
        reader = self._readers.get(survey)
        return reader.origins if reader else frozenset()

    @property
    def has_failed(self) -> bool:
        """Return whether this process can store no more reports because the disk has failed."""
        return self._writer.has_failed

    def is_ready(self) -> bool:
        """Return whether reports can be stored: the disk has not failed, and the database responds."""
        if self.has_failed:
            return False
        try:
            with self._store.reading() as session:
                session.connection().execute(text("SELECT 1"))
        except SQLAlchemyError:
            return False
        return True

    def reject(self, survey: str, problems: Iterable[Problem]) -> None:
        """Count refused reports: at once for the operator, and soon in the database for the researcher."""
        reasons = Counter(problems)
        self._metrics.rejected(reasons)
        # A report that may be sent again later is not refused.
        reasons.pop(TRY_LATER, None)
        if reasons and self._is_known(survey):
            self._writer.count_rejected(
                Counter({(survey, problem.name): number for problem, number in reasons.items()})
            )

    def rejections(self, survey: str) -> dict[Problem, int]:
        """Return how many reports were refused for each reason, the most frequent first."""
        with self._store.reading() as session:
            counts = read_rejections(session, survey)
        reasons = [problem for problem in ALL if problem.name in counts]
        return {each: counts[each.name] for each in sorted(reasons, key=lambda problem: -counts[problem.name])}

    def counts(self, survey: str) -> SurveyCounts:
        """Return the counters of a survey, of all groups together."""
        with self._store.reading() as session:
            return read_counts(session, survey)

    def grouped_counts(self, survey: str) -> GroupedCounts:
        """Return the counters of a survey by the code of the groups."""
        with self._store.reading() as session:
            return read_grouped_counts(session, survey)

    def number_of_reports(self, survey: str) -> int:
        """Return how many reports were accepted."""
        manifest = self._surveys.manifest(survey)
        with self._store.reading() as session:
            return number_of_reports(manifest, read_totals(session, manifest))

    def reports(self, survey: str) -> list[report.Report]:
        """Return all stored reports as they were received, in the order of their random ids.

        Raise `ReportsPurged` if some of them were purged.
        """
        return list(self.stream(survey))

    def check_reports(self, survey: str) -> None:
        """Raise `ReportsPurged` if `stream` would, before anything is sent."""
        with self._store.reading() as session:
            _check_reports(session, survey)

    def stream(self, survey: str) -> Iterator[report.Report]:
        """Yield what `reports` returns, one by one and from one state of the database."""
        manifest = self._surveys.manifest(survey)
        columns = select(ReportRow.id, ReportRow.draws, ReportRow.groups)
        query = columns.where(ReportRow.survey == survey).order_by(col(ReportRow.id))
        with self._store.reading() as session:
            _check_reports(session, survey)
            for report_id, draws, groups in session.exec(query.execution_options(yield_per=ROWS_AT_A_TIME)):
                yield report.Report(survey, manifest.id, report_id.hex(), read_draws(draws, manifest), groups)

    def scan(
        self, survey: str, codes: frozenset[str] | None = None, progress: Progress = lambda _: None
    ) -> StoredReports:
        """Return the stored reports, or those with these codes of groups, to be read by a few of their draws."""
        return StoredReports(self._store, self._surveys.manifest(survey), codes, progress)

    def equal_reports(self, survey: str, reports: int) -> EqualReports:
        """Return the most frequent whole reports to a survey, given how many reports it has."""
        return self._equal_reports.find(survey, reports)

    def bursts(self, survey: str) -> int:
        """Return how often reports to a survey came far faster than before."""
        with self._store.reading() as session:
            return read_bursts(session, survey)

    def days(self, survey: str) -> dict[str, int]:
        """Return how many reports were counted by day; read before the counters, it has none that they lack."""
        with self._store.reading() as session:
            return read_days(session, survey)

    def _note_arrival(self, survey: str, verdict: Verdict) -> None:
        if verdict is Stored.ACCEPTED and self._arrivals.note(survey):
            self._writer.count_rejected(Counter({(survey,): 1}))

    def _reader(self, survey: str) -> Reader:
        if survey not in self._readers:
            self._readers[survey] = Reader(self._surveys.rules(survey))
        return self._readers[survey]

    def _is_known(self, survey: str) -> bool:
        try:
            self._surveys.manifest(survey)
        except (ProblemError, SQLAlchemyError):
            return False
        return True

    def _write(self, read: Sequence[CheckedReport | Problem]) -> list[Verdict]:
        """Store the entries that are reports and return all verdicts; a problem is its own verdict."""
        entries = [entry for entry in read if isinstance(entry, CheckedReport)]
        verdicts = iter(self._writer.write(entries) if entries else ())
        return [next(verdicts) if isinstance(entry, CheckedReport) else entry for entry in read]


def _check_reports(session: Session, survey: str) -> None:
    if (purge := session.get(PurgeRow, survey)) is not None:
        raise ReportsPurged.of(purge, "The estimates are still there: choose csv, json or parquet")
