"""Find the whole reports that came most often, without a scan of all rows for each page.

Rows are looked through again only when there are a fiftieth more than at the last time, and of more than twenty
thousand only a random part is counted: what comes often in all of them comes often in these. Which rows is drawn by the
database and not read off the ids, which whoever invents reports can choose.
"""

from __future__ import annotations

import heapq
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from sqlalchemy import func
from sqlmodel import col, select

from hushpoll_server.collect.models import PURGED, ReportRow
from hushpoll_server.store import Store
from hushpoll_server.store.statements import by_lot

GROWTH = 1.02
LARGEST_SAMPLE = 20_000
# Whole reports that are looked at: an invented one can be less frequent than honest ones.
MOST = 10


@dataclass(frozen=True)
class Repeated:
    """A whole report, as `collect/draws.py` spells it: how often it came, and how often each of its draws did."""

    draws: str
    times: int
    parts: tuple[int, ...]


@dataclass(frozen=True)
class Repeats:
    """The most frequent whole reports among so many that were looked at."""

    most: tuple[Repeated, ...]
    reports: int

    @classmethod
    def of(cls, times: Mapping[str, int]) -> Self:
        """Find them among whole reports that came so often each."""
        # Neither draws nor the list that they stand in hold a comma inside.
        split = {draws: draws[1:-1].split(",") for draws in times}
        parts: Counter[tuple[int, str]] = Counter()
        for draws, number in times.items():
            for place in enumerate(split[draws]):
                parts[place] += number
        most = heapq.nlargest(MOST, times, key=lambda draws: times[draws])
        found = (Repeated(each, times[each], tuple(parts[place] for place in enumerate(split[each]))) for each in most)
        return cls(tuple(found), sum(times.values()))


class RepeatsFinder:
    """What was found in the surveys of one instance, remembered by each process."""

    def __init__(self, store: Store) -> None:
        """Look into this database."""
        self._store, self._lock = store, threading.Lock()
        self._found: dict[str, tuple[int, Repeats]] = {}

    def find(self, survey: str, reports: int) -> Repeats:
        """Return what repeats most in a survey that has so many reports."""
        # One scan at a time: those who wait find the answer.
        with self._lock:
            if survey not in self._found or reports > GROWTH * self._found[survey][0]:
                self._found[survey] = reports, self._scan(survey, reports)
            return self._found[survey][1]

    def _scan(self, survey: str, reports: int) -> Repeats:
        with self._store.reading() as session:
            query = (
                select(ReportRow.draws, func.count())
                .where(ReportRow.survey == survey, col(ReportRow.draws) != PURGED)
                .where(by_lot(session.connection(), one_in=1 + reports // LARGEST_SAMPLE))
                .group_by(ReportRow.draws)
            )
            return Repeats.of({draws: int(times) for draws, times in session.exec(query)})
