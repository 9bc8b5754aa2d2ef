"""The stored counters: each is the sum of its shards, and counts the reports with one code of public groups.

A process that writes adds to one shard only, so that two processes do not wait for the same row, which on PostgreSQL
would take as long as a commit. The shard is drawn at random and kept: two processes that drew the same one wait for
each other, and their counts are still right.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping

from sqlalchemy import ColumnElement, Connection, func
from sqlmodel import Session, col, select

from hushpoll_server.collect.models import BurstRow, CounterRow, RejectionRow
from hushpoll_server.counting.tally import GroupedCounts, SurveyCounts
from hushpoll_server.mechanisms.mechanism import TOTAL
from hushpoll_server.store.statements import add_to_counts
from hushpoll_shared.manifest import Manifest

SHARDS = 64


def draw_shard() -> int:
    """Draw the shard of a process that writes."""
    return secrets.randbelow(SHARDS)


def add_counts(connection: Connection, counts: Mapping[str, GroupedCounts], shard: int) -> None:
    """Add to the counters of each survey, in an order that prevents deadlocks between two processes."""
    rows = [
        (survey, question, groups, name, shard, number)
        for survey, by_groups in counts.items()
        for groups, by_question in by_groups.items()
        for question, counters in by_question.items()
        for name, number in counters.items()
    ]
    add_to_counts(connection, CounterRow, sorted(rows))


def read_counts(session: Session, survey: str) -> SurveyCounts:
    """Return the counters of a survey, of all groups together."""
    return _read(session, CounterRow.survey == survey)


def read_grouped_counts(session: Session, survey: str) -> GroupedCounts:
    """Return the counters of a survey by the code of the groups."""
    key = (CounterRow.groups, CounterRow.question, CounterRow.name)
    query = select(*key, func.sum(CounterRow.count)).where(CounterRow.survey == survey).group_by(*key)
    counts: GroupedCounts = {}
    for groups, question, name, number in session.exec(query):
        counts.setdefault(groups, {}).setdefault(question, Counter())[name] = int(number)
    return counts


def read_totals(session: Session, manifest: Manifest) -> SurveyCounts:
    """Return only the number of reports to each question, however many counters there are."""
    questions = [question.id for question in manifest.questions]
    return _read(
        session,
        CounterRow.survey == manifest.survey,
        # By name, so that the index of the table leads to each row.
        col(CounterRow.question).in_(questions),
        CounterRow.name == TOTAL,
    )


def _read(session: Session, *conditions: ColumnElement[bool] | bool) -> SurveyCounts:
    query = (
        select(CounterRow.question, CounterRow.name, func.sum(CounterRow.count))
        .where(*conditions)
        .group_by(CounterRow.question, CounterRow.name)
    )
    counts: SurveyCounts = {}
    for question, name, number in session.exec(query):
        counts.setdefault(question, Counter())[name] = int(number)
    return counts


def read_rejections(session: Session, survey: str) -> dict[str, int]:
    """Return the number of refused reports of a survey by reason."""
    query = (
        select(RejectionRow.reason, func.sum(RejectionRow.count))
        .where(RejectionRow.survey == survey)
        .group_by(RejectionRow.reason)
    )
    return {reason: int(count) for reason, count in session.exec(query)}


def read_bursts(session: Session, survey: str) -> int:
    """Return how often reports to a survey came far faster than before."""
    return int(session.exec(select(func.sum(BurstRow.count)).where(BurstRow.survey == survey)).one() or 0)
