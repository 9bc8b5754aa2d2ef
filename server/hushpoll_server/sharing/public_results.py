"""Results that are public: stored counters that change by many reports at once.

The rule here: what everybody sees never changes by fewer than `STEP` reports, also when the survey closes, so that
somebody who looks every second sees no single report arrive. To have enough left for the last change, an open survey
shows the counters of the step before; the newest wait. A step has at least one in a hundred of the reports before, so
that a survey of any size is computed a few hundred times in all.
"""

from __future__ import annotations

import json
import secrets
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session, col, delete, select, update

from hushpoll_server.collect.service import CollectService
from hushpoll_server.counting.tally import SurveyCounts, number_of_reports
from hushpoll_server.sharing.models import PublicResultsRow
from hushpoll_server.store import Store
from hushpoll_server.store.statements import insert_new
from hushpoll_server.surveys.service import PublishedSurvey, SurveyService
from hushpoll_server.watch.metrics import STEP
from hushpoll_server.web.cache import Cache
from hushpoll_shared.errors import HushpollError

# From here on a step has this part of the reports before it.
_PART = 100
# The counters of a survey are counted for its visitors at most this often, by each process.
SECONDS_BETWEEN_COUNTS = 10
# The most bytes of stored counters: those shown and those that wait fit into one line of a backup together.
LARGEST_COUNTS = 4_000_000
# The most bytes of public pages that each process keeps.
_MOST_BYTES = 32_000_000
_NOTHING = zlib.compress(b"{}")


class TooManyCounters(HushpollError):
    """A survey whose counters are too many to keep another copy of them."""

    def __init__(self) -> None:
        """Use the fixed message."""
        super().__init__(
            "This survey has too many counters for public results: publish its report or an export instead."
        )


@dataclass(frozen=True)
class Shown:
    """What everybody sees of a survey: the number of reports, and a tag that changes with it."""

    tag: str
    reports: int
    waiting_reports: int


@dataclass(frozen=True)
class _Counted:
    reports: int
    counts: bytes


class PublicResultsService:
    """The public results of one instance."""

    def __init__(
        self, store: Store, surveys: SurveyService, collect: CollectService, clock: Callable[[], datetime]
    ) -> None:
        """Use a store, and the counters of these surveys."""
        self._store, self._surveys, self._collect, self._clock = store, surveys, collect, clock
        self._renewals = Cache(most_bytes=10_000)
        # Surveys that have outgrown public results go on showing what they showed.
        self._too_large: set[str] = set()
        self.pages = Cache(most_bytes=_MOST_BYTES)

    def is_on(self, survey: str) -> bool:
        """Return whether the results of a survey are public."""
        return self._read(survey) is not None

    def switch_on(self, survey: PublishedSurvey) -> None:
        """Make the results public, as they are now if there are enough reports; if they are already, change nothing."""
        counted = self._count(survey)
        if counted.reports < STEP:
            counted = _Counted(0, _NOTHING)
        # What is shown, and what waits.
        twice = (*[counted.reports] * 2, *[counted.counts] * 2)
        with self._store.writing() as connection:
            insert_new(connection, PublicResultsRow, [(survey.name, _new_tag(), *twice)])

    def switch_off(self, survey: PublishedSurvey) -> None:
        """End the public results, and forget what was shown."""
        with self._store.transaction() as session:
            session.exec(delete(PublicResultsRow).where(col(PublicResultsRow.survey) == survey.name))

    def look(self, survey: PublishedSurvey) -> Shown | None:
        """Return what everybody sees now; None if the results are not public."""
        moment = int(self._clock().timestamp()) // SECONDS_BETWEEN_COUNTS
        is_over = self._surveys.phase(survey) == "closed"
        renew = (survey.name, is_over, moment)
        self._renewals.recall(renew, lambda: self._renew(survey, is_over=is_over), lambda _: 100)
        return self._read(survey.name)

    def counts(self, survey: str) -> SurveyCounts:
        """Return the counters that everybody sees; none if the results are not public any more."""
        query = select(PublicResultsRow.counts).where(PublicResultsRow.survey == survey)
        with self._store.reading() as session:
            stored = session.exec(query).one_or_none()
        by_question = json.loads(zlib.decompress(stored or _NOTHING))
        return {question: Counter(counters) for question, counters in by_question.items()}

    def _read(self, survey: str) -> Shown | None:
        columns = (PublicResultsRow.tag, PublicResultsRow.reports, PublicResultsRow.waiting_reports)
        with self._store.reading() as session:
            row = session.exec(select(*columns).where(PublicResultsRow.survey == survey)).one_or_none()
        return None if row is None else Shown(*row)

    def _renew(self, survey: PublishedSurvey, *, is_over: bool) -> None:
        """Take the next step, if enough reports have arrived for one."""
        shown = self._read(survey.name)
        if shown is None or survey.name in self._too_large:
            return
        # While nothing is shown, and after the last report, nothing needs to wait.
        at_once = is_over or not shown.reports
        since = shown.reports if at_once else shown.waiting_reports
        least = STEP if at_once else max(STEP, since // _PART)
        if self._collect.number_of_reports(survey.name) - since >= least:
            try:
                self._store_step(survey, shown, self._count(survey), at_once=at_once)
            except TooManyCounters:
                self._too_large.add(survey.name)

    def _store_step(self, survey: PublishedSurvey, shown: Shown, newest: _Counted, *, at_once: bool) -> None:
        next_shown = (
            {"reports": newest.reports, "counts": newest.counts}
            if at_once
            else {"reports": PublicResultsRow.waiting_reports, "counts": PublicResultsRow.waiting_counts}
        )
        waiting = {"waiting_reports": newest.reports, "waiting_counts": newest.counts}
        # If another process has taken the step in the meantime, the tag is another one, and nothing is changed.
        unchanged = (col(PublicResultsRow.survey) == survey.name, col(PublicResultsRow.tag) == shown.tag)
        with self._store.transaction() as session:
            session.exec(update(PublicResultsRow).where(*unchanged).values(tag=_new_tag(), **next_shown, **waiting))

    def _count(self, survey: PublishedSurvey) -> _Counted:
        counts = self._collect.counts(survey.name)
        packed = zlib.compress(json.dumps(counts, separators=(",", ":")).encode())
        if len(packed) > LARGEST_COUNTS:
            raise TooManyCounters
        return _Counted(number_of_reports(survey.manifest, counts), packed)


def forget_counts(session: Session, survey: str) -> None:
    """Forget the counters that are shown, because they were wrong; the next look takes the right ones."""
    nothing = {"reports": 0, "counts": _NOTHING, "waiting_reports": 0, "waiting_counts": _NOTHING}
    of_survey = col(PublicResultsRow.survey) == survey
    session.exec(update(PublicResultsRow).where(of_survey).values(tag=_new_tag(), **nothing))


def _new_tag() -> str:
    return secrets.token_hex(16)
