"""The state in one SQLite file, or in memory: one implementation for both.

Threads and processes may share a file. Every change is one `BEGIN IMMEDIATE` transaction that is on the disk when the
call returns. Only the file's owner may read it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from hushpoll_client.errors import StateFailed
from hushpoll_client.panels import Row, Wave, check_panel, most_added, most_spent
from hushpoll_client.state import NO_MEMOS, SECRET_BYTES, Entry, Status, check_total
from hushpoll_shared import strict_json
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.private_files import claim_database

SCHEMA_VERSION = 1
# The longest time that one process waits for another that writes to the same file.
BUSY_SECONDS = 30

_SCHEMA = (
    """CREATE TABLE entries (
        key TEXT NOT NULL, survey TEXT NOT NULL, manifest TEXT NOT NULL, epsilon_units TEXT NOT NULL,
        report TEXT NOT NULL, body BLOB, status TEXT NOT NULL, problem TEXT, not_before REAL NOT NULL,
        due REAL NOT NULL,
        PRIMARY KEY (key, survey),
        CHECK (status IN ('queued', 'accepted', 'duplicate', 'rejected')),
        CHECK ((status = 'queued') = (body IS NOT NULL))
    ) WITHOUT ROWID""",
    """CREATE TABLE manifests (
        key TEXT NOT NULL, survey TEXT NOT NULL, envelope BLOB NOT NULL, PRIMARY KEY (key, survey)
    ) WITHOUT ROWID""",
    "CREATE TABLE secrets (secret BLOB PRIMARY KEY) WITHOUT ROWID",
    "CREATE TABLE memos (tag TEXT PRIMARY KEY) WITHOUT ROWID",
    """CREATE TABLE waves (
        key TEXT NOT NULL, survey TEXT NOT NULL, panel TEXT NOT NULL, most_units TEXT NOT NULL,
        first_units TEXT NOT NULL, questions TEXT NOT NULL, PRIMARY KEY (key, survey)
    ) WITHOUT ROWID""",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)
_SELECT = "SELECT key, survey, manifest, epsilon_units, report, body, status, problem, not_before, due FROM entries "


class SQLiteState:
    """A state in one SQLite file; without a path, in memory until it is closed."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        """Open the file, or create it."""
        self._lock, self._process = threading.RLock(), os.getpid()
        with _failures():
            self._connection = _connect(":memory:" if path is None else _make_file(path))
        try:
            self._prepare()
        except StateFailed:
            self._connection.close()
            raise

    def claim(
        self,
        entry: Entry,
        *,
        most: Epsilon | None,
        memos: Mapping[str, Epsilon] = NO_MEMOS,
        wave: Wave | None = None,
        panel_most: Epsilon | None = None,
    ) -> Entry:
        """Store the entry and its new memos durably, unless the survey has an entry; return the stored one."""
        with self._transaction():
            if stored := self.find(entry.key, entry.survey, entry.manifest):
                return stored
            waves = self.waves()
            if wave:
                check_panel(wave, waves, panel_most)
            # As if every repeated answer were new: who may take part must not depend on the answer.
            worst = most_added(sum(memos.values(), start=entry.epsilon), wave, waves)
            check_total(entry.survey, worst, spent=self.spent_alone() + most_spent(waves), most=most)
            entry = replace(entry, epsilon=sum(self._store_new(memos), start=entry.epsilon))
            self._run("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *_row(entry))
            if wave:
                self._run("INSERT INTO waves VALUES (?, ?, ?, ?, ?, ?)", *_wave_row(wave))
            return entry

    def settle(self, entry: Entry, *, status: Status, problem: str | None, not_before: float) -> Entry:
        """Record what became of a queued entry, drop its bytes unless it stays queued, and return the stored entry."""
        # Only a queued entry: if two threads sent the same bytes, the first reply counts.
        change = (
            "UPDATE entries SET status = ?, problem = ?, not_before = ?, body = CASE WHEN ? THEN body END "
            "WHERE key = ? AND survey = ? AND status = 'queued'"
        )
        with self._transaction():
            self._run(change, status, problem, not_before, status == "queued", entry.key, entry.survey)
            return self.find(entry.key, entry.survey) or entry

    def postpone(self, entry: Entry, *, due: float) -> None:
        """Set the time at which a queued entry is sent."""
        change = "UPDATE entries SET due = ? WHERE key = ? AND survey = ? AND status = 'queued'"
        with self._transaction():
            self._run(change, due, entry.key, entry.survey)

    def find(self, key: str, survey: str, manifest: str = "") -> Entry | None:
        """Return the entry of a survey, or of its manifest under another key, if there is one."""
        # The identical manifest comes first. Manifests with the same id have the same survey name.
        search = "WHERE survey = ? AND (key = ? OR manifest = ?) ORDER BY manifest = ? DESC, key = ? DESC"
        rows = self._run(_SELECT + search, survey, key, manifest, manifest, key)
        return _entry(rows[0]) if rows else None

    def waves(self) -> list[Wave]:
        """Return what is stored of the surveys of all panels, of all publishers."""
        return [_wave(row) for row in self._run("SELECT * FROM waves")]

    def spent_alone(self) -> Epsilon:
        """Return the sum over the entries that do not belong to a panel."""
        alone = "SELECT epsilon_units FROM entries WHERE (key, survey) NOT IN (SELECT key, survey FROM waves)"
        return _sum(self._run(alone))

    def queued(self, key: str) -> list[Entry]:
        """Return the entries of this publisher that are still to be sent."""
        return [_entry(row) for row in self._run(_SELECT + "WHERE key = ? AND status = 'queued'", key)]

    def spent(self) -> Epsilon:
        """Return the sum over all entries, of all publishers."""
        return _sum(self._run("SELECT epsilon_units FROM entries"))

    def secret(self) -> bytes:
        """Return the secret of this device, which the first call creates and later calls return."""
        with self._transaction():
            if not (rows := self._run("SELECT secret FROM secrets")):
                rows = self._run("INSERT INTO secrets VALUES (?) RETURNING secret", os.urandom(SECRET_BYTES))
            return bytes(rows[0][0])

    def keep_envelope(self, key: str, survey: str, envelope: bytes) -> None:
        """Store a verified envelope, so that the survey can be answered offline."""
        if self.find_envelope(key, survey) == envelope:
            return
        with self._transaction():
            self._run("INSERT OR REPLACE INTO manifests VALUES (?, ?, ?)", key, survey, envelope)

    def find_envelope(self, key: str, survey: str) -> bytes | None:
        """Return the envelope that was stored last, if there is one."""
        rows = self._run("SELECT envelope FROM manifests WHERE key = ? AND survey = ?", key, survey)
        return rows[0][0] if rows else None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _store_new(self, memos: Mapping[str, Epsilon]) -> list[Epsilon]:
        """Store the memos that are new; return what they cost."""
        insert = "INSERT OR IGNORE INTO memos VALUES (?) RETURNING tag"
        return [epsilon for tag, epsilon in memos.items() if self._run(insert, tag)]

    def _prepare(self) -> None:
        with self._transaction():
            [(version,)] = self._run("PRAGMA user_version")
            [(tables,)] = self._run("SELECT count(*) FROM sqlite_master")
            if (version, bool(tables)) == (SCHEMA_VERSION, True):
                return
            if version or tables:
                raise StateFailed(
                    "the state file is not one that this version knows: update Hushpoll, or choose another path"
                )
            for statement in _SCHEMA:
                self._run(statement)

    def _run(self, statement: str, *values: object) -> list[Any]:
        self._check_process()
        with self._lock, _failures():
            return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._check_process()
        with self._lock:
            self._run("BEGIN IMMEDIATE")
            try:
                yield
                self._run("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.rollback()
                raise

    def _check_process(self) -> None:
        # A forked child cannot use the parent's connection, nor a lock that another thread held.
        if self._process != os.getpid():
            raise StateFailed("the state was opened before a fork: open a separate Client in each process")


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise StateFailed(
            f"the state cannot be used ({error}): check the path, its permissions and the disk"
        ) from error
    except InvalidValue as error:
        raise StateFailed(f"the state cannot be used: {error}") from error


def _make_file(path: str | os.PathLike[str]) -> str:
    absolute = Path(path).absolute()
    # SQLite gives its journal the mode of the file.
    claim_database(absolute)
    return str(absolute)


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    # In the journal mode DELETE, FULL can lose the last commit in a power failure; EXTRA cannot.
    connection.execute("PRAGMA synchronous = EXTRA")
    # Overwrite deleted bytes.
    connection.execute("PRAGMA secure_delete = ON")
    return connection


def _row(entry: Entry) -> tuple[object, ...]:
    return (
        entry.key,
        entry.survey,
        entry.manifest,
        str(entry.epsilon.units),
        entry.report,
        entry.body,
        entry.status,
        entry.problem,
        entry.not_before,
        entry.due,
    )


def _entry(row: Any) -> Entry:
    key, survey, manifest, units, *rest = row
    return Entry(key, survey, manifest, Epsilon(int(units)), *rest)


def _wave_row(wave: Wave) -> tuple[object, ...]:
    rows = strict_json.dumps([[row.identity, str(row.epsilon.units), row.answers] for row in wave.rows]).decode()
    return wave.key, wave.survey, wave.panel, str(wave.most.units), str(wave.first.units), rows


def _wave(row: Any) -> Wave:
    key, survey, panel, most, first, questions = row
    rows = tuple(Row(identity, Epsilon(int(units)), answers) for identity, units, answers in json.loads(questions))
    return Wave(key, panel, survey, Epsilon(int(most)), Epsilon(int(first)), rows)


def _sum(rows: list[Any]) -> Epsilon:
    # Added here and not by SQL: the units do not fit into 64 bits.
    return Epsilon(sum(int(units) for (units,) in rows))
