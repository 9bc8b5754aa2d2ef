"""Find the whole reports that came most often, without a scan of all rows for each page.

Rows are scanned again only when there are 2% more than last time, and of more than twenty thousand only a random sample
is counted: what is frequent among all of them is frequent in the sample. The database draws the sample; it does not
depend on the ids, because whoever invents reports can choose those.
"""

from __future__ import annotations

import threading

from sqlalchemy import func
from sqlmodel import col, select

from hushpoll_server.collect.models import PURGED, ReportRow
from hushpoll_server.counting.equal_reports import EqualReports
from hushpoll_server.store import Store
from hushpoll_server.store.statements import by_lot

GROWTH = 1.02
LARGEST_SAMPLE = 20_000


class EqualReportsFinder:
    """The most frequent whole reports of each survey, remembered by each process."""

    def __init__(self, store: Store) -> None:
        """Search in this database."""
        self._store, self._lock = store, threading.Lock()
        self._last: dict[str, tuple[int, EqualReports]] = {}

    def find(self, survey: str, reports: int) -> EqualReports:
        """Return the most frequent whole reports of a survey, given how many reports it has."""
        # One scan at a time: callers that wait find its result.
        with self._lock:
            if survey not in self._last or reports > GROWTH * self._last[survey][0]:
                self._last[survey] = reports, self._scan(survey, reports)
            return self._last[survey][1]

    def _scan(self, survey: str, reports: int) -> EqualReports:
        with self._store.reading() as session:
            query = (
                select(ReportRow.draws, func.count())
                .where(ReportRow.survey == survey, col(ReportRow.draws) != PURGED)
                .where(by_lot(session.connection(), one_in=1 + reports // LARGEST_SAMPLE))
                .group_by(ReportRow.draws)
            )
            return EqualReports.of({draws: int(times) for draws, times in session.exec(query)})
