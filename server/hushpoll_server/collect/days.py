"""Count reports by the day on which they came, in steps that are no single report's day.

A report carries no time, and the transaction that stores it notes none. Now and then, in a transaction of its own, the
writer looks how many reports have no day yet, and adds whole steps of them to the current day, UTC. How many have none
is not stored: it is what the counters have more than the days, so every report is in the sum exactly once.

The rules here: a day has only whole steps. A step is counted late, by a number of reports that is drawn anew for each,
so that whoever knows the order of the reports still cannot say which one completed it. And PostgreSQL stamps rows with
their transactions, whose order would date reports: so all days get new stamps when a new day begins.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Final

from sqlmodel import Session, col, delete, func, select, update

from hushpoll_server.collect.batch import CheckedReport
from hushpoll_server.collect.counters import read_totals
from hushpoll_server.collect.models import DayRow
from hushpoll_server.counting.days import UNKNOWN, is_date
from hushpoll_server.counting.tally import number_of_reports
from hushpoll_server.store import Store
from hushpoll_server.store.statements import add_to_counts
from hushpoll_server.surveys.models import SurveyRow
from hushpoll_server.watch.metrics import STEP
from hushpoll_shared.manifest import Manifest

# How long after a new report a process looks for steps. One of the last seconds of a day may count on the next.
SECONDS: Final = 10.0


class DayCounting:
    """The surveys whose new reports this process has not counted by day yet."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], datetime],
        *,
        delay: Callable[[], int] = lambda: secrets.randbelow(STEP),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Count in this database by this clock, each step late by a number of reports that `delay` draws."""
        self._store, self._clock, self._monotonic = store, clock, monotonic
        self._due = 0.0
        self._pending: dict[str, Manifest] = {}
        self._delays = defaultdict[str, int](delay)
        self._stamped_on = ""

    def note(self, entries: Iterable[CheckedReport]) -> None:
        """Remember the surveys for which reports were stored."""
        if not self._pending:
            self._due = self._monotonic() + SECONDS
        self._pending.update((entry.key[0], entry.rules.manifest) for entry in entries)

    @property
    def is_due(self) -> bool:
        """Return whether it is time to look for steps."""
        return bool(self._pending) and self._monotonic() >= self._due

    def count(self) -> None:
        """Add the whole steps of each survey to the current day."""
        self._due = self._monotonic() + SECONDS
        today = self._clock().date().isoformat()
        # One transaction for each survey: with two, processes could wait for each other.
        counted = [self._count(manifest, today) for manifest in list(self._pending.values())]
        if any(counted) and today != self._stamped_on:
            self._stamp_again()
            self._stamped_on = today

    def _count(self, manifest: Manifest, today: str) -> bool:
        survey = manifest.survey
        with self._store.transaction() as session:
            steps = self._steps(session, manifest)
            if steps:
                add_to_counts(session.connection(), DayRow, [(survey, today, steps)])
        del self._pending[survey]
        if steps:
            del self._delays[survey]
        return steps > 0

    def _steps(self, session: Session, manifest: Manifest) -> int:
        """Return how many reports make whole steps, if enough wait; no other process can count them meanwhile."""
        session.exec(select(SurveyRow.name).where(SurveyRow.name == manifest.survey).with_for_update()).all()
        reports = number_of_reports(manifest, read_totals(session, manifest))
        counted = session.exec(select(func.sum(DayRow.count)).where(DayRow.survey == manifest.survey)).one()
        waiting = reports - int(counted or 0)
        return waiting // STEP * STEP if waiting >= STEP + self._delays[manifest.survey] else 0

    def _stamp_again(self) -> None:
        if self._store.stamps_rows:
            with self._store.transaction() as session:
                session.exec(update(DayRow).values(count=DayRow.count))


def read_days(session: Session, survey: str) -> dict[str, int]:
    """Return the stored counts of a survey by day."""
    query = select(DayRow.day, DayRow.count).where(DayRow.survey == survey)
    return dict(session.exec(query).all())


def possible_sum(stored: Mapping[str, int], reports: int) -> int:
    """Return the sum of the stored counts if each were right: whole steps of days, and not more than all reports."""
    unknown = max(0, stored.get(UNKNOWN, 0))
    steps = sum(max(0, count // STEP) for day, count in stored.items() if is_date(day))
    return min(reports, unknown + steps * STEP)


def forget_days(session: Session, survey: str, reports: int) -> None:
    """Replace the counts of all days by this many reports of unknown days."""
    session.exec(delete(DayRow).where(col(DayRow.survey) == survey))
    if reports:
        session.add(DayRow(survey=survey, day=UNKNOWN, count=reports))
