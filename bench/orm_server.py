"""What most would write first: a Flask app that stores each report by the ORM, with a commit of its own.

It has Hushpoll's database settings, so that acknowledged means durable here, too; a table of the same shape, counters
in the same transaction, and the server of the floor. It checks nothing: that flatters it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flask import Flask, request
from sqlalchemy import select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from bench import floor, survey
from hushpoll_server.collect.draws import write_draws
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

    cell: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]


def create_app() -> Flask:
    """Make the app for the database that the environment names."""
    store = Store(load_settings().database_url)
    with store.transaction() as session:
        prepare(session, [_cell(question, draw) for question in survey.names() for draw in (0, 1)])
    app = floor.create_app()

    def take() -> tuple[str, int]:
        with store.transaction() as session:
            add_report(session, request.get_json())
        return "", 201

    app.add_url_rule(PATH, view_func=take, methods=["POST"])
    return app


def prepare(session: Session, cells: Iterable[str]) -> None:
    """Make the tables, with every counter at zero."""
    _Base.metadata.create_all(session.connection())
    session.add_all(PlainCounter(cell=cell, count=0) for cell in cells)


def add_report(session: Session, report: Mapping[str, Any]) -> None:
    """Store a report and count its draws."""
    draws = write_draws(report["answers"])
    session.add(PlainReport(survey=report["survey"], id=bytes.fromhex(report["id"]), draws=draws))
    cells = [_cell(question, draw) for question, draw in report["answers"].items()]
    query = select(PlainCounter).where(PlainCounter.cell.in_(cells)).order_by(PlainCounter.cell)
    # Locked in one order, so that two requests never wait for each other in a circle.
    for counter in session.scalars(query.with_for_update()):
        counter.count += 1


def _cell(question: str, draw: int) -> str:
    return f"{question}={draw}"


if __name__ == "__main__":
    floor.serve("bench.orm_server:create_app")
