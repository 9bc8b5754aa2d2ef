"""The statements that store reports, in the SQL of each engine.

They are plain SQL on purpose: SQLAlchemy's Core costs several times as much for each row, the ORM ten times. All
values are bound. One statement carries all rows, because each call of the database releases the interpreter lock.
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

# The most values that SQLite accepts in one statement.
_MOST_VALUES = 32_766
_POSTGRESQL = postgresql.psycopg.dialect()  # type: ignore[no-untyped-call]


def insert_new(connection: Connection, model: type[SQLModel], rows: Sequence[Values]) -> set[Values]:
    """Insert the rows whose primary key does not exist yet; return the keys that were really inserted."""
    table = _TableNames.of(model)
    if connection.dialect.name == "postgresql":
        statement = f"{table.insert_arrays} ON CONFLICT DO NOTHING RETURNING {', '.join(table.key)}"
        return {tuple(row) for row in _execute_arrays(connection, statement, rows)}
    inserted: set[Values] = set()
    for part in _parts(table, rows):
        inserted |= _insert_sqlite(connection, table, part)
    return inserted


def add_to_counts(connection: Connection, model: type[SQLModel], rows: Sequence[Values]) -> None:
    """Add each row's `count` to the stored one, or store it if there is none."""
    table = _TableNames.of(model)
    add = f"ON CONFLICT ({', '.join(table.key)}) DO UPDATE SET count = {table.name}.count + excluded.count"
    if connection.dialect.name == "postgresql":
        _execute_arrays(connection, f"{table.insert_arrays} {add}", rows)
        return
    for part in _parts(table, rows):
        _execute(connection, f"{_insert_values(table, len(part))} {add}", _flat(part))


def read_and_hold(connection: Connection, model: type[SQLModel], keys: Sequence[str], *columns: str) -> list[Values]:
    """Read columns of the rows with these keys, in the order of the keys, and lock them until the transaction ends."""
    table = _TableNames.of(model)
    [key] = table.key
    select = f"SELECT {', '.join(columns)} FROM {table.name} WHERE {key}"  # noqa: S608 (our names)
    if connection.dialect.name == "postgresql":
        rows = _execute(connection, f"{select} = ANY(%s) ORDER BY {key} FOR SHARE", (list(keys),))
    else:
        # SQLite allows one writer.
        rows = _execute(connection, f"{select} IN ({', '.join('?' * len(keys))}) ORDER BY {key}", tuple(keys))
    return [tuple(row) for row in rows]


def write_again(connection: Connection, model: type[SQLModel], keys: Sequence[Values]) -> None:
    """Delete rows and insert them again in the order of their keys, on PostgreSQL; readers always see them."""
    table = _TableNames.of(model)
    columns, key = ", ".join(table.columns), ", ".join(table.key)
    arrays = ", ".join(table.arrays[: len(table.key)])
    delete = f"DELETE FROM {table.name} WHERE ({key}) IN (SELECT * FROM unnest({arrays})) RETURNING {columns}"  # noqa: S608 (our names)
    insert = f"INSERT INTO {table.name} ({columns}) SELECT {columns} FROM deleted ORDER BY {key}"  # noqa: S608 (our names)
    _execute(connection, f"WITH deleted AS ({delete}) {insert}", _arrays(keys))


def by_lot(connection: Connection, *, one_in: int) -> ColumnElement[bool]:
    """Return a condition that is true for one in `one_in` rows; the database draws for each row separately."""
    if one_in == 1:
        return true()
    # PostgreSQL returns a number below 1, SQLite a 64-bit integer.
    return func.random() * one_in < 1 if connection.dialect.name == "postgresql" else func.random() % one_in == 0


@dataclass(frozen=True)
class _TableNames:
    """The names of a table and its columns, those of the key first; SQLAlchemy's own column lists are slow."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    arrays: tuple[str, ...]

    @property
    def insert_arrays(self) -> str:
        """Return the start of a statement that inserts all rows of some arrays."""
        columns, arrays = ", ".join(self.columns), ", ".join(self.arrays)
        return f"INSERT INTO {self.name} ({columns}) SELECT * FROM unnest({arrays})"  # noqa: S608 (our names)

    @classmethod
    @cache
    def of(cls, model: type[SQLModel]) -> Self:
        """Return the names of a model's table."""
        table = inspect(model).local_table
        assert isinstance(table, Table)
        columns, key = (tuple(column.name for column in each) for each in (table.columns, table.primary_key))
        assert columns[: len(key)] == key
        # %b sends binary values; in text values the driver would have to search for quotes.
        arrays = tuple(f"%b::{column.type.compile(_POSTGRESQL)}[]" for column in table.columns)
        return cls(table.name, columns, key, arrays)


def _execute(connection: Connection, statement: str, values: Values = ()) -> Any:
    """Pass the statement directly to the driver: what SQLAlchemy does around it costs as much as a few rows."""
    try:
        return connection.connection.driver_connection.execute(statement, values)  # type: ignore[union-attr]
    except connection.dialect.loaded_dbapi.IntegrityError as error:
        # As the SQLAlchemy error that callers expect.
        raise IntegrityError(None, None, error) from None


def _insert_sqlite(connection: Connection, table: _TableNames, rows: Sequence[Values]) -> set[Values]:
    statement, values = f"{_insert_values(table, len(rows))} ON CONFLICT DO NOTHING", _flat(rows)
    # Nearly always, all are new: then their number is enough, and no row must be fetched.
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
def _insert_values(table: _TableNames, rows: int) -> str:
    row = f"({', '.join('?' * len(table.columns))})"
    return f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES {', '.join([row] * rows)}"  # noqa: S608 (our names)


def _parts(table: _TableNames, rows: Sequence[Values]) -> Iterator[Sequence[Values]]:
    size = _MOST_VALUES // len(table.columns)
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _flat(rows: Sequence[Values]) -> Values:
    return tuple(chain.from_iterable(rows))


def _arrays(rows: Sequence[Values]) -> Values:
    return tuple(list(column) for column in zip(*rows, strict=True))
