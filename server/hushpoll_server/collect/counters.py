"""The stored counters: each is the sum of its slots.

A process that writes adds to one slot only. Two processes then never wait for the same row, which on PostgreSQL they
would for as long as a commit takes. Which slot is left to chance: a process keeps the one that it drew, there are only
so many, and two that drew the same one wait for each other and are right all the same.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from sqlalchemy import Connection, func
from sqlmodel import Session, select

from hushpoll_server.collect.models import BurstRow, CounterRow, RejectionRow
from hushpoll_server.collect.tally import Counts
from hushpoll_server.store.statements import add_to_counts

SLOTS = 64


def draw_slot() -> int:
    """Choose the slot of a process that writes."""
    return secrets.randbelow(SLOTS)


def add_counts(connection: Connection, counts: Mapping[str, Counts], slot: int) -> None:
    """Add to the counters of each survey, in an order that keeps two processes from waiting in a circle."""
    rows = [(survey, *key, slot, counts[survey][key]) for survey in sorted(counts) for key in sorted(counts[survey])]
    add_to_counts(connection, CounterRow, rows)


def read_counts(session: Session, survey: str) -> Counts:
    """Give the counters of a survey."""
    query = (
        select(CounterRow.question, CounterRow.cell, func.sum(CounterRow.count))
        .where(CounterRow.survey == survey)
        .group_by(CounterRow.question, CounterRow.cell)
    )
    return Counts({(question, cell): int(count) for question, cell, count in session.exec(query)})


def read_rejections(session: Session, survey: str) -> dict[str, int]:
    """Give the number of refused reports of a survey by reason."""
    query = (
        select(RejectionRow.reason, func.sum(RejectionRow.count))
        .where(RejectionRow.survey == survey)
        .group_by(RejectionRow.reason)
    )
    return {reason: int(count) for reason, count in session.exec(query)}


def read_bursts(session: Session, survey: str) -> int:
    """Return how often reports to a survey came far faster than before."""
    return int(session.exec(select(func.sum(BurstRow.count)).where(BurstRow.survey == survey)).one() or 0)
