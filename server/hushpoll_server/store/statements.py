"""The two statements on the way of a report, in the words of each engine.

They are plain SQL on purpose: SQLAlchemy's Core costs several times as much for each row, the ORM ten times. All
values are bound. One statement carries all rows, because a writer that goes to the database once gives the
interpreter away once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Dialect, Table, inspect
from sqlmodel import Session, SQLModel

Row = Mapping[str, Any]
Values = tuple[Any, ...]

# SQLite takes this many values in one statement.
_LARGEST = 32_766


def insert_new(session: Session, model: type[SQLModel], rows: Sequence[Row]) -> set[Values]:
    """Insert the rows whose primary key is not there yet; give the keys that really were inserted."""
    connection, table = session.connection(), _table(model)
    if connection.dialect.name == "postgresql":
        insert = _insert_unnested(table, connection.dialect)
        statement = f"{insert} ON CONFLICT DO NOTHING RETURNING {_names(table.primary_key)}"
        return {tuple(row) for row in _execute_unnested(connection, table, statement, rows)}
    inserted: set[Values] = set()
    for part in _parts(table, rows):
        inserted |= _insert_sqlite(connection, table, part)
    return inserted


def add_to_counts(session: Session, model: type[SQLModel], rows: Sequence[Row]) -> None:
    """Add each row's `count` to the stored one, or store it if there is none."""
    connection, table = session.connection(), _table(model)
    add = f"ON CONFLICT ({_names(table.primary_key)}) DO UPDATE SET count = {table.name}.count + excluded.count"
    if connection.dialect.name == "postgresql":
        _execute_unnested(connection, table, f"{_insert_unnested(table, connection.dialect)} {add}", rows)
        return
    for part in _parts(table, rows):
        connection.exec_driver_sql(f"{_insert_values(table, len(part))} {add}", _flat(table, part))


def _insert_sqlite(connection: Connection, table: Table, rows: Sequence[Row]) -> set[Values]:
    statement = f"{_insert_values(table, len(rows))} ON CONFLICT DO NOTHING"
    # Nearly always all are new; then their number says it all, and no row must be fetched.
    connection.exec_driver_sql("SAVEPOINT all_new")
    if connection.exec_driver_sql(statement, _flat(table, rows)).rowcount == len(rows):
        return {tuple(row[column.name] for column in table.primary_key) for row in rows}
    connection.exec_driver_sql("ROLLBACK TO all_new")
    returning = f"{statement} RETURNING {_names(table.primary_key)}"
    return {tuple(row) for row in connection.exec_driver_sql(returning, _flat(table, rows))}


def _execute_unnested(connection: Connection, table: Table, statement: str, rows: Sequence[Row]) -> list[Any]:
    if not rows:
        return []
    result = connection.exec_driver_sql(
        statement, tuple([row[column.name] for row in rows] for column in table.columns)
    )
    return list(result) if result.returns_rows else []


@cache
def _insert_unnested(table: Table, dialect: Dialect) -> str:
    # %b sends binary values: as texts, every quote in them would be searched for.
    arrays = ", ".join(f"%b::{column.type.compile(dialect)}[]" for column in table.columns)
    return f"INSERT INTO {table.name} ({_names(table.columns)}) SELECT * FROM unnest({arrays})"  # noqa: S608 (our names)


@cache
def _insert_values(table: Table, rows: int) -> str:
    row = f"({', '.join('?' * len(table.columns))})"
    return f"INSERT INTO {table.name} ({_names(table.columns)}) VALUES {', '.join([row] * rows)}"  # noqa: S608 (our names)


def _parts(table: Table, rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    size = _LARGEST // len(table.columns)
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _flat(table: Table, rows: Sequence[Row]) -> Values:
    names = [column.name for column in table.columns]
    return tuple(row[name] for row in rows for name in names)


def _names(columns: Any) -> str:
    return ", ".join(column.name for column in columns)


@cache
def _table(model: type[SQLModel]) -> Table:
    table = inspect(model).local_table
    assert isinstance(table, Table)
    return table
