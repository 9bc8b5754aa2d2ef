"""Open the database, SQLite or PostgreSQL, and its transactions.

The rule here: a transaction that ended without an error is durable. SQLite therefore runs with synchronous=FULL, and
a writer takes its lock at the start, so that no commit can fail half-way for lack of it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlmodel import Session

from hushpoll_server.store.files import make_folder
from hushpoll_shared.errors import HushpollError, InvalidValue
from hushpoll_shared.private_files import claim_database

if TYPE_CHECKING:
    from hushpoll_server.store.migrate import Step

BUSY_SECONDS = 30
_PRAGMAS = (
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA secure_delete=ON",
    "PRAGMA trusted_schema=OFF",
    # For the undo logs of statements, which on the disk would cost as much as the rows.
    "PRAGMA temp_store=MEMORY",
)
# I/O errors, and files that are corrupt or not a database. A full disk is neither.
_DISK_ERRORS = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class StoreError(HushpollError):
    """A database that cannot be used."""


class Store:
    """A database with its schema up to date."""

    def __init__(self, url: str) -> None:
        """Open the database and bring its schema up to date."""
        # Imported here because only opening a database needs Alembic.
        from hushpoll_server.store.migrate import migrate

        self._engine = _engine(_parse_url(url))
        self._writing = self._engine.execution_options(writing=True)
        self._reading = self._engine.execution_options(**_one_state(self._engine))
        # Connections are closed even after success: the worker process opens its own.
        with _opening(self._engine):
            self.steps = migrate(self._writing)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a writing transaction without the ORM, for storing reports."""
        with self._writing.begin() as connection:
            yield connection

    @contextmanager
    def transaction(self) -> Iterator[Session]:
        """Open a writing transaction: durable when the block ends, rolled back when it raises."""
        with Session(self._writing, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a transaction that sees one state of the database and only reads."""
        with Session(self._reading) as session:
            yield session

    def clean_up(self) -> bool:
        """Remove deleted rows from the disk, where both engines keep them for a while; return whether it succeeded."""
        if self._engine.dialect.name == "postgresql":
            with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql("VACUUM report")
            return True
        with closing(self._engine.raw_connection()) as raw:
            [busy, *_] = raw.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    @property
    def takes_many_writers(self) -> bool:
        """Return whether several processes can write at the same time."""
        return self._engine.dialect.name == "postgresql"

    @property
    def stamps_rows(self) -> bool:
        """Return whether each row has the number of the transaction that wrote it."""
        return self._engine.dialect.name == "postgresql"

    def is_unsafe_after(self, error: Exception) -> bool:
        """Return whether the disk may have lost writes; PostgreSQL then restarts by itself, SQLite cannot."""
        cause = error.orig if isinstance(error, DBAPIError) else error
        code = getattr(cause, "sqlite_errorcode", None) or 0
        # The lowest byte is the primary error code; the others are details.
        return code & 0xFF in _DISK_ERRORS

    def close(self) -> None:
        """Close the idle connections."""
        self._engine.dispose()


def missing_steps(url: str) -> list[Step]:
    """Return the steps that a database's schema lacks, and change nothing."""
    from hushpoll_server.store.migrate import revision_of, steps_after

    parsed = _parse_url(url)
    if parsed.drivername == "sqlite" and not Path(parsed.database or "").exists():
        return steps_after(None)
    engine = _engine(parsed)
    with _opening(engine), engine.connect() as connection:
        return steps_after(revision_of(connection))


@contextmanager
def _opening(engine: Engine) -> Iterator[None]:
    """Turn errors of the database into one sentence; leave no connection open."""
    try:
        yield
    except DBAPIError as error:
        raise StoreError(f"the database cannot be opened: {_first_line(error)}. Check HUSHPOLL_DB.") from None
    finally:
        engine.dispose()


def _one_state(engine: Engine) -> dict[str, str]:
    # SQLite always reads one state of the database; PostgreSQL must be told to.
    return {"isolation_level": "REPEATABLE READ"} if engine.dialect.name == "postgresql" else {}


def _parse_url(text: str) -> URL:
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise InvalidValue(
            "the database URL is not valid: write sqlite:///FILE or postgresql://USER@HOST/NAME"
        ) from None
    if url.drivername in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise InvalidValue("the database URL must start with sqlite:/// or postgresql://")
    return url


def _engine(url: URL) -> Engine:
    # Parameters stay out of error messages: a report's draws belong in the database only.
    if url.drivername == "sqlite":
        return _sqlite(url)
    return create_engine(url, hide_parameters=True, pool_pre_ping=True)


def _sqlite(url: URL) -> Engine:
    if not url.database or url.database == ":memory:" or url.query:
        raise InvalidValue("Hushpoll keeps its reports in a file: write sqlite:///FILE and nothing after it")
    _claim(Path(url.database).absolute())
    engine = create_engine(url, hide_parameters=True, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _claim(database: Path) -> None:
    """Restrict the file to its owner before SQLite opens it: the files that SQLite adds get the same mode."""
    try:
        make_folder(database.parent)
        claim_database(database)
    except (OSError, InvalidValue) as error:
        raise StoreError(f"the database cannot be opened: {error}. Check HUSHPOLL_DB.") from None


def _prepare(connection: Any, _: object) -> None:
    # The driver must not open transactions by itself: `_begin` does.
    connection.isolation_level = None
    _write_ahead(connection)
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _write_ahead(connection: Any) -> None:
    """Switch to the write-ahead log; wait here, because SQLite does not, if another process is doing the same."""
    deadline = time.monotonic() + BUSY_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _begin(connection: Connection) -> None:
    writing = connection.get_execution_options().get("writing")
    connection.connection.driver_connection.execute("BEGIN IMMEDIATE" if writing else "BEGIN")  # type: ignore[union-attr]


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().splitlines()[0]
