"""Store one batch of reports in one transaction: the rows, their counters, and the verdict on each.

The laws here: a report is counted exactly once, because it is counted only if its row was really inserted, in the
same transaction. The order of arrival is lost, because a batch is written in the order of its random ids; sorting
also keeps two processes that write the same ids from waiting for each other in a circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import NamedTuple

from sqlalchemy import Connection, tuple_
from sqlmodel import col, select

from hushpoll_server.collect.counters import add_counts
from hushpoll_server.collect.models import PURGED, ReportRow
from hushpoll_server.collect.tally import tally
from hushpoll_server.store.statements import insert_new, read_and_hold
from hushpoll_server.surveys.models import SurveyRow
from hushpoll_server.surveys.service import Rules, phase
from hushpoll_shared.designs import Draw
from hushpoll_shared.problems import CLOSED, CONFLICT, NOT_OPEN, Problem


class Stored(Enum):
    """What became of a report that fits its survey."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"


Verdict = Stored | Problem
Key = tuple[str, bytes]


class Entry(NamedTuple):
    """A checked report, ready to be stored: its key, its draws as they are spelled, and the rules of its survey."""

    key: Key
    draws: str
    answers: Mapping[str, Draw]
    rules: Rules


def store_batch(connection: Connection, entries: Sequence[Entry], now: datetime, slot: int = 0) -> list[Verdict]:
    """Store what is new and tell what became of each entry, in the entries' order."""
    first = {entry.key: entry for entry in reversed(entries)}
    surveys = {entry.key[0]: entry.rules for entry in entries}
    refused = _refusals(connection, surveys, now)
    new = _insert(connection, [first[key] for key in sorted(first) if key[0] not in refused])
    _count(connection, surveys, [first[key] for key in new], slot)
    # Nearly always all are new, and there is nothing to compare.
    if len(new) == len(entries):
        return [Stored.ACCEPTED] * len(entries)
    known = {key: first[key].draws for key in new} | _stored(connection, first.keys() - new)
    verdicts: list[Verdict] = []
    for entry in entries:
        verdicts.append(_verdict(entry, known, refused, fresh=entry.key in new))
        new.discard(entry.key)
    return verdicts


def _verdict(entry: Entry, known: Mapping[Key, str], refused: Mapping[str, Problem], *, fresh: bool) -> Verdict:
    stored = known.get(entry.key)
    # A report that was stored before the survey closed is a duplicate still: its device may never have heard of it.
    if stored is None:
        return refused[entry.key[0]]
    # Of a purged report only the id is left: that it was taken is all that can be said.
    if stored not in (entry.draws, PURGED):
        return CONFLICT
    return Stored.ACCEPTED if fresh else Stored.DUPLICATE


def _refusals(connection: Connection, surveys: Mapping[str, Rules], now: datetime) -> dict[str, Problem]:
    """Tell which surveys take no reports at this time; they cannot be closed until this transaction ends."""
    rows = read_and_hold(connection, SurveyRow, sorted(surveys), "name", "closed")
    phases = {name: phase(surveys[name].manifest, now, closed=closed) for name, closed in rows}
    problem = {"closed": CLOSED, "not-open": NOT_OPEN}
    return {name: problem[value] for name, value in phases.items() if value != "open"}


def _insert(connection: Connection, entries: Sequence[Entry]) -> set[Key]:
    return insert_new(connection, ReportRow, [(*entry.key, entry.draws) for entry in entries])


def _count(connection: Connection, surveys: Mapping[str, Rules], entries: Sequence[Entry], slot: int) -> None:
    counts = {
        survey: tally(rules.manifest, [entry.answers for entry in entries if entry.key[0] == survey], rules.crossed)
        for survey, rules in surveys.items()
    }
    add_counts(connection, counts, slot)


def _stored(connection: Connection, keys: Iterable[Key]) -> dict[Key, str]:
    wanted = sorted(keys)
    if not wanted:
        return {}
    key = tuple_(col(ReportRow.survey), col(ReportRow.id))
    query = select(ReportRow.survey, ReportRow.id, ReportRow.draws).where(key.in_(wanted))
    return {(survey, report_id): draws for survey, report_id, draws in connection.execute(query)}
