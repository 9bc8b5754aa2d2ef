"""Store one batch of reports in one transaction: the rows, their counters, and the verdict on each.

The rules here: a report is counted exactly once, because it is counted only if its row was really inserted, in the
same transaction. The order of arrival is lost, because a batch is written in the order of its random ids; sorting
also prevents a deadlock between two processes that write the same ids.
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
from hushpoll_server.counting.tally import tally_groups
from hushpoll_server.store.statements import insert_new, read_and_hold
from hushpoll_server.surveys.models import SurveyRow
from hushpoll_server.surveys.service import Rules, phase
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.problems import CLOSED, CONFLICT, NOT_OPEN, Problem


class Stored(Enum):
    """What became of a report that fits its survey."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"


Verdict = Stored | Problem
Key = tuple[str, bytes]
# The draws of a row, and the code of its groups.
Content = tuple[str, str]


class CheckedReport(NamedTuple):
    """A checked report, ready to be stored: its key, draws (as a row, and by question), groups, and rules."""

    key: Key
    stored_draws: str
    draws: Mapping[str, Draw]
    groups: str
    rules: Rules

    @property
    def stored(self) -> Content:
        """Return what its row holds besides the key."""
        return self.stored_draws, self.groups


def store_batch(
    connection: Connection, entries: Sequence[CheckedReport], now: datetime, shard: int = 0
) -> list[Verdict]:
    """Store what is new and return what became of each entry, in the order of the entries."""
    first = {entry.key: entry for entry in reversed(entries)}
    surveys = {entry.key[0]: entry.rules for entry in entries}
    refused = _refusals(connection, surveys, now)
    new = _insert(connection, [first[key] for key in sorted(first) if key[0] not in refused])
    _count(connection, surveys, [first[key] for key in new], shard)
    # Nearly always, all are new and there is nothing to compare.
    if len(new) == len(entries):
        return [Stored.ACCEPTED] * len(entries)
    known = {key: first[key].stored for key in new} | _stored(connection, first.keys() - new)
    verdicts: list[Verdict] = []
    for entry in entries:
        verdicts.append(_verdict(entry, known, refused, is_new=entry.key in new))
        new.discard(entry.key)
    return verdicts


def _verdict(
    entry: CheckedReport, known: Mapping[Key, Content], refused: Mapping[str, Problem], *, is_new: bool
) -> Verdict:
    stored = known.get(entry.key)
    # A report that was stored before the survey closed is still a duplicate: its device may not have got the reply.
    if stored is None:
        return refused[entry.key[0]]
    # Only the id of a purged report is left: it was accepted, and no more can be said.
    if stored not in (entry.stored, (PURGED, "")):
        return CONFLICT
    return Stored.ACCEPTED if is_new else Stored.DUPLICATE


def _refusals(connection: Connection, surveys: Mapping[str, Rules], now: datetime) -> dict[str, Problem]:
    """Return the problems of surveys that accept no reports now; none can be closed until this transaction ends."""
    rows = read_and_hold(connection, SurveyRow, sorted(surveys), "name", "closed")
    phases = {name: phase(surveys[name].manifest, now, closed=closed) for name, closed in rows}
    problem = {"closed": CLOSED, "not-open": NOT_OPEN}
    return {name: problem[value] for name, value in phases.items() if value != "open"}


def _insert(connection: Connection, entries: Sequence[CheckedReport]) -> set[Key]:
    return insert_new(connection, ReportRow, [(*entry.key, *entry.stored) for entry in entries])


def _count(connection: Connection, surveys: Mapping[str, Rules], entries: Sequence[CheckedReport], shard: int) -> None:
    counts = {
        survey: tally_groups(rules.manifest, (entry for entry in entries if entry.key[0] == survey), rules.crossed)
        for survey, rules in surveys.items()
    }
    add_counts(connection, counts, shard)


def _stored(connection: Connection, keys: Iterable[Key]) -> dict[Key, Content]:
    sorted_keys = sorted(keys)
    if not sorted_keys:
        return {}
    key = tuple_(col(ReportRow.survey), col(ReportRow.id))
    query = select(ReportRow.survey, ReportRow.id, ReportRow.draws, ReportRow.groups).where(key.in_(sorted_keys))
    rows = connection.execute(query)
    return {(survey, report_id): (draws, groups) for survey, report_id, draws, groups in rows}
