"""Delete a survey's reports: their draws at any time, their ids when the survey is over.

The rules here: counters stay as they are. As long as a survey accepts reports, every id stays, because otherwise a
report that is sent again would be counted twice; so ids are deleted only once the survey is closed for good, under the
lock that batches respect.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_
from sqlmodel import Session, col, delete, func, select, update

from hushpoll_server.collect.models import PURGED, PurgeRow, ReportRow
from hushpoll_server.store import Store
from hushpoll_server.surveys.models import SurveyRow
from hushpoll_server.surveys.service import phase
from hushpoll_shared.manifest import Manifest

# The most rows in one transaction: few enough that the server's batches do not wait long.
PART_ROWS = 20_000

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Purged:
    """How many reports lost their draws, and how many ids were deleted."""

    reports: int
    ids: int

    def __add__(self, other: Purged) -> Purged:
        """Add what another transaction did."""
        return Purged(self.reports + other.reports, self.ids + other.ids)


def purge(store: Store, manifest: Manifest, now: datetime, *, ended: bool, progress: Progress) -> Purged:
    """Delete the draws, and also the ids if the survey is closed or, with `ended`, is closed now."""
    is_over = _end(store, manifest, now, ended=ended)
    total, after = Purged(0, 0), b""
    while last := _last_of_part(store, manifest.survey, after):
        with store.transaction() as session:
            total += _purge_part(session, manifest.survey, (after, last), ids=is_over)
        progress(PART_ROWS)
        after = last
    return total


def _end(store: Store, manifest: Manifest, now: datetime, *, ended: bool) -> bool:
    """Return whether the survey is over; if so, mark it as closed, because the clocks of several nodes may differ."""
    with store.transaction() as session:
        row = session.get_one(SurveyRow, manifest.survey, with_for_update=True)
        row.closed = ended or phase(manifest, now, closed=row.closed) == "closed"
        return row.closed


def _last_of_part(store: Store, survey: str, after: bytes) -> bytes | None:
    part = (
        select(ReportRow.id)
        .where(ReportRow.survey == survey, ReportRow.id > after)
        .order_by(col(ReportRow.id))
        .limit(PART_ROWS)
        .subquery()
    )
    with store.reading() as session:
        return session.exec(select(part.c.id).order_by(part.c.id.desc()).limit(1)).first()


def _purge_part(session: Session, survey: str, between: tuple[bytes, bytes], *, ids: bool) -> Purged:
    # The rows with which a current batch is compared must not disappear.
    session.get_one(SurveyRow, survey, with_for_update=True)
    part = and_(col(ReportRow.survey) == survey, col(ReportRow.id) > between[0], col(ReportRow.id) <= between[1])
    done = _delete_rows(session, part) if ids else _delete_draws(session, part)
    if done != Purged(0, 0):
        row = session.get(PurgeRow, survey) or PurgeRow(survey=survey, reports=0, ids=0)
        row.reports, row.ids = row.reports + done.reports, row.ids + done.ids
        session.add(row)
    return done


def _delete_draws(session: Session, part: ColumnElement[bool]) -> Purged:
    with_draws = and_(part, col(ReportRow.draws) != PURGED)
    return Purged(session.exec(update(ReportRow).where(with_draws).values(draws=PURGED, groups="")).rowcount, 0)


def _delete_rows(session: Session, part: ColumnElement[bool]) -> Purged:
    with_draws = select(func.count()).where(part, col(ReportRow.draws) != PURGED)
    reports = session.exec(with_draws).one()
    return Purged(reports, session.exec(delete(ReportRow).where(part)).rowcount)
