"""Statements that both engines understand but SQLAlchemy writes differently for each.

They are Core statements on purpose: the ORM is ten times slower on the way of a report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table, inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel

Row = Mapping[str, Any]


def insert_new(session: Session, model: type[SQLModel], rows: Sequence[Row]) -> set[tuple[Any, ...]]:
    """Insert the rows whose primary key is not there yet; give the keys that really were inserted."""
    if not rows:
        return set()
    table = _table(model)
    statement = _insert(session, table).on_conflict_do_nothing().returning(*table.primary_key)
    return {tuple(row) for row in session.connection().execute(statement, rows)}


def add_to_counts(session: Session, model: type[SQLModel], rows: Sequence[Row]) -> None:
    """Add each row's `count` to the stored one, or store it if there is none."""
    if not rows:
        return
    table = _table(model)
    insert = _insert(session, table)
    total = {"count": table.c.count + insert.excluded.count}
    session.connection().execute(insert.on_conflict_do_update(index_elements=list(table.primary_key), set_=total), rows)


def _table(model: type[SQLModel]) -> Table:
    table = inspect(model).local_table
    assert isinstance(table, Table)
    return table


def _insert(session: Session, table: Table) -> Any:
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    return dialect.insert(table)
