"""The statements on the way of a report, in the words of each engine.

They are plain SQL on purpose: SQLAlchemy's Core costs several times as much for each row, the ORM ten times. All
values are bound. One statement carries all rows, because a writer that goes to the database once gives the
interpreter away once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, Self

from sqlalchemy import ColumnElement, Connection, Table, func, inspect, true
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel

# A row in the order of its table's columns, or a key.
Values = tuple[Any, ...]

# SQLite takes this many values in one statement.
_LARGEST = 32_766
_POSTGRESQL = postgresql.psycopg.dialect()  # type: ignore[no-untyped-call]


def insert_new(connection: Connection, model: type[SQLModel], rows: Sequence[Values]) -> set[Values]:
    """Insert the rows whose primary key is not there yet; give the keys that really were inserted."""
    table = _Named.of(model)
    if connection.dialect.name == "postgresql":
        statement = f"{table.insert_arrays} ON CONFLICT DO NOTHING RETURNING {', '.join(table.key)}"
        return {tuple(row) for row in _execute_arrays(connection, statement, rows)}
    inserted: set[Values] = set()
    for part in _parts(table, rows):
        inserted |= _insert_sqlite(connection, table, part)
    return inserted


def add_to_counts(connection: Connection, model: type[SQLModel], rows: Sequence[Values]) -> None:
    """Add each row's `count` to the stored one, or store it if there is none."""
    table = _Named.of(model)
    add = f"ON CONFLICT ({', '.join(table.key)}) DO UPDATE SET count = {table.name}.count + excluded.count"
    if connection.dialect.name == "postgresql":
        _execute_arrays(connection, f"{table.insert_arrays} {add}", rows)
        return
    for part in _parts(table, rows):
        _execute(connection, f"{_insert_values(table, len(part))} {add}", _flat(part))


def read_and_hold(connection: Connection, model: type[SQLModel], keys: Sequence[str], *columns: str) -> list[Values]:
    """Read columns of the rows with these keys, in the order of the keys; nobody changes them until this ends."""
    table = _Named.of(model)
    [key] = table.key
    select = f"SELECT {', '.join(columns)} FROM {table.name} WHERE {key}"  # noqa: S608 (our names)
    if connection.dialect.name == "postgresql":
        rows = _execute(connection, f"{select} = ANY(%s) ORDER BY {key} FOR SHARE", (list(keys),))
    else:
        # Who writes in SQLite is alone.
        rows = _execute(connection, f"{select} IN ({', '.join('?' * len(keys))}) ORDER BY {key}", tuple(keys))
    return [tuple(row) for row in rows]


def write_again(connection: Connection, model: type[SQLModel], keys: Sequence[Values]) -> None:
    """Take rows out and put them back in the order of their keys, on PostgreSQL; whoever looks meanwhile sees them."""
    table = _Named.of(model)
    columns, key = ", ".join(table.columns), ", ".join(table.key)
    wanted = ", ".join(table.arrays[: len(table.key)])
    take = f"DELETE FROM {table.name} WHERE ({key}) IN (SELECT * FROM unnest({wanted})) RETURNING {columns}"  # noqa: S608 (our names)
    put = f"INSERT INTO {table.name} ({columns}) SELECT {columns} FROM taken ORDER BY {key}"  # noqa: S608 (our names)
    _execute(connection, f"WITH taken AS ({take}) {put}", _arrays(keys))


def by_lot(connection: Connection, *, one_in: int) -> ColumnElement[bool]:
    """Return the condition that keeps a random one in so many rows; the database draws, for each row anew."""
    if one_in == 1:
        return true()
    # PostgreSQL gives a number below 1, SQLite a whole one of 64 bits.
    return func.random() * one_in < 1 if connection.dialect.name == "postgresql" else func.random() % one_in == 0


@dataclass(frozen=True)
class _Named:
    """A table by its names, those of the key first; SQLAlchemy's own lists of columns are slow to go through."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    arrays: tuple[str, ...]

    @property
    def insert_arrays(self) -> str:
        """Begin the statement that inserts all rows of some arrays."""
        columns, arrays = ", ".join(self.columns), ", ".join(self.arrays)
        return f"INSERT INTO {self.name} ({columns}) SELECT * FROM unnest({arrays})"  # noqa: S608 (our names)

    @classmethod
    @cache
    def of(cls, model: type[SQLModel]) -> Self:
        """Give the names of a model's table."""
        table = inspect(model).local_table
        assert isinstance(table, Table)
        columns, key = (tuple(column.name for column in each) for each in (table.columns, table.primary_key))
        assert columns[: len(key)] == key
        # %b sends binary values: as texts, every quote in them would be searched for.
        arrays = tuple(f"%b::{column.type.compile(_POSTGRESQL)}[]" for column in table.columns)
        return cls(table.name, columns, key, arrays)


def _execute(connection: Connection, statement: str, values: Values = ()) -> Any:
    """Give the statement to the driver itself: what SQLAlchemy does around it costs as much as a few rows."""
    try:
        return connection.connection.driver_connection.execute(statement, values)  # type: ignore[union-attr]
    except connection.dialect.loaded_dbapi.IntegrityError as error:
        # By the name that those who expect it know.
        raise IntegrityError(None, None, error) from None


def _insert_sqlite(connection: Connection, table: _Named, rows: Sequence[Values]) -> set[Values]:
    statement, values = f"{_insert_values(table, len(rows))} ON CONFLICT DO NOTHING", _flat(rows)
    # Nearly always all are new; then their number says it all, and no row must be fetched.
    _execute(connection, "SAVEPOINT all_new")
    if _execute(connection, statement, values).rowcount == len(rows):
        return {row[: len(table.key)] for row in rows}
    _execute(connection, "ROLLBACK TO all_new")
    returning = f"{statement} RETURNING {', '.join(table.key)}"
    return {tuple(row) for row in _execute(connection, returning, values)}


def _execute_arrays(connection: Connection, statement: str, rows: Sequence[Values]) -> list[Any]:
    if not rows:
        return []
    result = _execute(connection, statement, _arrays(rows))
    return result.fetchall() if result.description else []


@cache
def _insert_values(table: _Named, rows: int) -> str:
    row = f"({', '.join('?' * len(table.columns))})"
    return f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES {', '.join([row] * rows)}"  # noqa: S608 (our names)


def _parts(table: _Named, rows: Sequence[Values]) -> Iterator[Sequence[Values]]:
    size = _LARGEST // len(table.columns)
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _flat(rows: Sequence[Values]) -> Values:
    return tuple(chain.from_iterable(rows))


def _arrays(rows: Sequence[Values]) -> Values:
    return tuple(list(column) for column in zip(*rows, strict=True))
