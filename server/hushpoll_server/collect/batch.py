"""Store one batch of reports in one transaction: the rows, their counters, and the verdict on each.

The laws here: a report is counted exactly once, because it is counted only if its row was really inserted, in the
same transaction. The order of arrival is lost, because a batch is written in the order of its random ids; sorting
also keeps two processes that write the same ids from waiting for each other in a circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cached_property

from sqlalchemy import bindparam, tuple_
from sqlmodel import Session, col, select

from hushpoll_server.collect.models import PURGED, CounterRow, ReportRow
from hushpoll_server.collect.tally import tally
from hushpoll_server.store.statements import add_to_counts, insert_new
from hushpoll_server.surveys.models import SurveyRow
from hushpoll_server.surveys.service import phase
from hushpoll_shared import strict_json
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import CLOSED, CONFLICT, NOT_OPEN, Problem
from hushpoll_shared.report import Report


class Stored(Enum):
    """What became of a report that fits its survey."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"


Verdict = Stored | Problem
_PHASES = (
    select(SurveyRow.name, SurveyRow.closed)
    .where(col(SurveyRow.name).in_(bindparam("names", expanding=True)))
    .order_by(SurveyRow.name)
    .with_for_update(read=True)
)
Key = tuple[str, bytes]


@dataclass(frozen=True)
class Entry:
    """A checked report with the manifest that it was checked against."""

    manifest: Manifest
    report: Report

    @cached_property
    def key(self) -> Key:
        """Give the primary key of the report's row."""
        return self.report.survey, bytes.fromhex(self.report.id)

    @cached_property
    def answers(self) -> str:
        """Give the draws as they are stored."""
        return strict_json.dumps(self.report.answers).decode()


def store_batch(session: Session, entries: Sequence[Entry], now: datetime) -> list[Verdict]:
    """Store what is new and tell what became of each entry, in the entries' order."""
    first = {entry.key: entry for entry in reversed(entries)}
    manifests = {entry.report.survey: entry.manifest for entry in entries}
    refused = _refusals(session, manifests, now)
    new = _insert(session, [entry for _, entry in sorted(first.items()) if entry.report.survey not in refused])
    _count(session, manifests, [first[key] for key in sorted(new)])
    known = {key: first[key].answers for key in new} | _stored(session, first.keys() - new)
    verdicts: list[Verdict] = []
    for entry in entries:
        verdicts.append(_verdict(entry, known, refused, fresh=entry.key in new))
        new.discard(entry.key)
    return verdicts


def _verdict(entry: Entry, known: Mapping[Key, str], refused: Mapping[str, Problem], *, fresh: bool) -> Verdict:
    stored = known.get(entry.key)
    # A report that was stored before the survey closed is a duplicate still: its device may never have heard of it.
    if stored is None:
        return refused[entry.report.survey]
    # Of a purged report only the id is left: that it was taken is all that can be said.
    if stored not in (entry.answers, PURGED):
        return CONFLICT
    return Stored.ACCEPTED if fresh else Stored.DUPLICATE


def _refusals(session: Session, manifests: Mapping[str, Manifest], now: datetime) -> dict[str, Problem]:
    """Tell which surveys take no reports at this time; they cannot be closed until this transaction ends."""
    rows = session.connection().execute(_PHASES, {"names": sorted(manifests)})
    phases = {name: phase(manifests[name], now, closed=closed) for name, closed in rows}
    problem = {"closed": CLOSED, "not-open": NOT_OPEN}
    return {name: problem[value] for name, value in phases.items() if value != "open"}


def _insert(session: Session, entries: Sequence[Entry]) -> set[Key]:
    rows = [{"survey": entry.key[0], "id": entry.key[1], "answers": entry.answers} for entry in entries]
    return insert_new(session, ReportRow, rows)


def _count(session: Session, manifests: Mapping[str, Manifest], entries: Sequence[Entry]) -> None:
    rows = []
    for survey in sorted({entry.report.survey for entry in entries}):
        draws = [entry.report.answers for entry in entries if entry.report.survey == survey]
        counts = tally(manifests[survey], draws)
        rows += [
            {"survey": survey, "question": q, "cell": cell, "count": counts[q, cell]} for q, cell in sorted(counts)
        ]
    add_to_counts(session, CounterRow, rows)


def _stored(session: Session, keys: Iterable[Key]) -> dict[Key, str]:
    wanted = sorted(keys)
    if not wanted:
        return {}
    key = tuple_(col(ReportRow.survey), col(ReportRow.id))
    query = select(ReportRow.survey, ReportRow.id, ReportRow.answers).where(key.in_(wanted))
    return {(survey, report_id): answers for survey, report_id, answers in session.exec(query)}
