"""The obvious implementation: a Flask app that stores each report through the ORM, with a commit of its own.

It has Hushpoll's database settings, so that acknowledged means durable here, too; a table of the same shape, counters
in the same transaction, and the server of `floor`. It checks nothing, which is to its advantage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flask import Flask, request
from sqlalchemy import select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from bench import floor, survey
from hushpoll_server.counting.stored_draws import write_draws
from hushpoll_server.settings import load_settings
from hushpoll_server.store import Store

PATH = "/reports"


class _Base(DeclarativeBase):
    """The tables of this app alone."""


class PlainReport(_Base):
    """One report."""

    __tablename__ = "plain_report"
    __table_args__ = ({"sqlite_with_rowid": False},)

    survey: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[bytes] = mapped_column(primary_key=True)
    draws: Mapped[str]


class PlainCounter(_Base):
    """How many reports hold a draw."""

    __tablename__ = "plain_counter"
    __table_args__ = ({"sqlite_with_rowid": False},)

    name: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]


def create_app() -> Flask:
    """Make the app for the database that the environment names."""
    store = Store(load_settings().database_url)
    with store.transaction() as session:
        prepare(session, [_counter_name(question, draw) for question in survey.names() for draw in (0, 1)])
    app = floor.create_app()

    def take() -> tuple[str, int]:
        with store.transaction() as session:
            add_report(session, request.get_json())
        return "", 201

    app.add_url_rule(PATH, view_func=take, methods=["POST"])
    return app


def prepare(session: Session, names: Iterable[str]) -> None:
    """Make the tables, with every counter at zero."""
    _Base.metadata.create_all(session.connection())
    session.add_all(PlainCounter(name=name, count=0) for name in names)


def add_report(session: Session, report: Mapping[str, Any]) -> None:
    """Store a report and count its draws."""
    draws = write_draws(report["answers"])
    session.add(PlainReport(survey=report["survey"], id=bytes.fromhex(report["id"]), draws=draws))
    names = [_counter_name(question, draw) for question, draw in report["answers"].items()]
    query = select(PlainCounter).where(PlainCounter.name.in_(names)).order_by(PlainCounter.name)
    # Locked in a fixed order, so that no two requests deadlock.
    for counter in session.scalars(query.with_for_update()):
        counter.count += 1


def _counter_name(question: str, draw: int) -> str:
    return f"{question}={draw}"


if __name__ == "__main__":
    floor.serve("bench.orm_server:create_app")
