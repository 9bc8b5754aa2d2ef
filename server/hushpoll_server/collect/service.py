"""Take reports: strict reading, the check against the manifest, then the writer.

Single reports and NDJSON batches go the same way; a batch is many single reports, each judged alone. A batch is read
commit by commit, so that it takes no more memory than one commit needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col, select

from hushpoll_server.collect.arrivals import Arrivals
from hushpoll_server.collect.batch import Entry, Stored, Verdict
from hushpoll_server.collect.body import lines_of
from hushpoll_server.collect.counters import read_bursts, read_counts, read_rejections
from hushpoll_server.collect.draws import read_draws
from hushpoll_server.collect.models import PurgeRow, ReportRow
from hushpoll_server.collect.reader import Reader
from hushpoll_server.collect.repeats import Repeats, RepeatsFinder
from hushpoll_server.collect.tally import Counts, number_of_reports, tally
from hushpoll_server.collect.writer import LARGEST_COMMIT, Writer
from hushpoll_server.store import Store
from hushpoll_server.surveys.service import SurveyService
from hushpoll_server.watch.metrics import Metrics
from hushpoll_shared import report
from hushpoll_shared.errors import HushpollError
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import ALL, NOT_A_BATCH, TRY_LATER, Problem, ProblemError

# A batch with no report among so many lines is none, and the rest of it is not read.
PROBED_LINES = 100
# Refused lines that are named in the answer; the others are counted.
NAMED_LINES = 100


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


class ReportsPurged(HushpollError):
    """Say that a survey's reports cannot be given any more, and what can."""


class CollectService:
    """The reports of one instance."""

    def __init__(self, store: Store, surveys: SurveyService, writer: Writer, metrics: Metrics) -> None:
        """Work on this database through this writer."""
        self._store, self._surveys, self._writer, self._metrics = store, surveys, writer, metrics
        self._arrivals, self._repeats = Arrivals(), RepeatsFinder(store)
        # What a survey's reports must look like never changes.
        self._readers: dict[str, Reader] = {}

    def take(self, survey: str, bodies: Sequence[bytes]) -> list[Verdict]:
        """Store reports durably and tell what became of each body, in the bodies' order."""
        reader = self._reader(survey)
        return self._write([reader.read(body) for body in bodies])

    def take_one(self, survey: str, body: bytes) -> Verdict:
        """Store the report that a request brings, durably, and tell what became of it."""
        [verdict] = self.take(survey, [body])
        self._note_arrival(survey, verdict)
        return verdict

    def take_many(self, survey: str, body: bytes) -> BatchOutcome:
        """Store the reports of a batch durably, one a line, and tell what became of them."""
        reader, outcome = self._reader(survey), BatchOutcome()
        read = ((number, reader.read(line)) for number, line in lines_of(body, reader.report_length))
        first = list(islice(read, PROBED_LINES))
        if len(first) == PROBED_LINES and not any(isinstance(entry, Entry) for _, entry in first):
            raise ProblemError(NOT_A_BATCH)
        lines = chain(first, read)
        while part := list(islice(lines, LARGEST_COMMIT)):
            verdicts = self._write([entry for _, entry in part])
            for (number, _), verdict in zip(part, verdicts, strict=True):
                outcome.add(number, verdict)
        return outcome

    def report_length(self, survey: str) -> int:
        """Return the number of bytes of every report to a survey."""
        return self._reader(survey).report_length

    async def take_soon(self, survey: str, body: bytes) -> Verdict | None:
        """Store one report without a thread that waits; give nothing if the survey must be looked up first."""
        reader = self._readers.get(survey)
        if reader is None:
            return None
        entry = reader.read(body)
        if not isinstance(entry, Entry):
            return entry
        [verdict] = await self._writer.write_soon([entry])
        self._note_arrival(survey, verdict)
        return verdict

    def origins(self, survey: str) -> frozenset[str]:
        """Return the origins whose pages a survey lets call; none for a survey that is not there."""
        try:
            return self._reader(survey).origins
        except (ProblemError, SQLAlchemyError):
            return frozenset()

    def origins_soon(self, survey: str) -> frozenset[str]:
        """Return the same without a look into the database: none for a survey that must be looked up first."""
        reader = self._readers.get(survey)
        return reader.origins if reader else frozenset()

    @property
    def has_failed(self) -> bool:
        """Tell whether this process can take no more reports, because the disk has failed."""
        return self._writer.has_failed

    def reject(self, survey: str, problems: Iterable[Problem]) -> None:
        """Count reports that were refused: at once for the operator, and soon in the database for the researcher."""
        reasons = Counter(problems)
        self._metrics.rejected(reasons)
        # Whoever is told to try later is not refused.
        reasons.pop(TRY_LATER, None)
        if reasons and self._is_known(survey):
            self._writer.count_rejected(
                Counter({(survey, problem.name): number for problem, number in reasons.items()})
            )

    def rejections(self, survey: str) -> dict[Problem, int]:
        """Tell how many reports were refused for each reason, the most frequent first."""
        with self._store.reading() as session:
            counts = read_rejections(session, survey)
        found = [problem for problem in ALL if problem.name in counts]
        return {each: counts[each.name] for each in sorted(found, key=lambda problem: -counts[problem.name])}

    def counts(self, survey: str) -> Counts:
        """Give the counters of a survey."""
        with self._store.reading() as session:
            return read_counts(session, survey)

    def number_of_reports(self, survey: str) -> int:
        """Tell how many reports were taken."""
        return number_of_reports(self._surveys.manifest(survey), self.counts(survey))

    def recount(self, survey: str) -> Counts:
        """Count the stored reports anew: the counters must equal this."""
        rules = self._surveys.rules(survey)
        return tally(rules.manifest, (stored.answers for stored in self.reports(survey)), rules.crossed)

    def reports(self, survey: str) -> list[report.Report]:
        """Give the stored reports as they were received, in the order of their random ids; all of them, or none."""
        manifest = self._surveys.manifest(survey)
        query = select(ReportRow).where(ReportRow.survey == survey).order_by(col(ReportRow.id))
        with self._store.reading() as session:
            if (purge := session.get(PurgeRow, survey)) is not None:
                raise ReportsPurged(
                    f"the draws of {purge.reports:,} reports to {survey} were purged: what is left would give other "
                    "figures than the dashboard. The estimates are still there: choose csv, json or parquet"
                )
            return [_restore(row, manifest) for row in session.exec(query)]

    def repeats(self, survey: str, reports: int) -> Repeats:
        """Find the whole reports that came most often to a survey with so many reports."""
        return self._repeats.find(survey, reports)

    def bursts(self, survey: str) -> int:
        """Tell how often reports to a survey came far faster than before."""
        with self._store.reading() as session:
            return read_bursts(session, survey)

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

    def _write(self, read: Sequence[Entry | Problem]) -> list[Verdict]:
        """Store what was read as a report; a problem stays one."""
        entries = [entry for entry in read if isinstance(entry, Entry)]
        verdicts = iter(self._writer.write(entries) if entries else ())
        return [next(verdicts) if isinstance(entry, Entry) else entry for entry in read]


def _restore(row: ReportRow, manifest: Manifest) -> report.Report:
    return report.Report(manifest.survey, manifest.id, row.id.hex(), read_draws(row.draws, manifest))
