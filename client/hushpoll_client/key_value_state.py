"""The state of one respondent in one row of a key–value store: for web backends, which have no disk of their own.

A row holds the same database as a state file, in less than a kilobyte, so that the rules of the state are written once.
The rule here: every change is one compare-and-set. If another process changed the row meanwhile, the change is made
again on what that process stored.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Protocol, TypeVar

from hushpoll_client.errors import StateFailed
from hushpoll_client.panels import Wave
from hushpoll_client.sqlite_state import SQLiteState
from hushpoll_client.state import NO_MEMOS, Entry, Status
from hushpoll_shared.epsilon import Epsilon

# So many processes in a row can change one respondent's row first before a change is given up.
MOST_TRIES = 50

T = TypeVar("T")


class KeyValue(Protocol):
    """A store of rows, each with a name and a value: a table, a bucket, a cache that is durable."""

    def get(self, name: str) -> bytes | None:
        """Return the value of a row as it was last stored, by any process; None if there is none."""

    def swap(self, name: str, *, old: bytes | None, new: bytes) -> bool:
        """Store the new value if the row still has the old one (None: if it does not exist); return whether it did.

        Comparing and storing must be one atomic step, and the value must be durable when this returns True.
        """


class KeyValueState:
    """The state of one respondent in a store; manifests, which are public, have rows that all respondents share."""

    def __init__(self, store: KeyValue, respondent: str) -> None:
        """Name the respondent as the app knows them; nothing is read yet."""
        self._store, self._row = store, f"respondent/{respondent}"

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
        return self._change(lambda state: state.claim(entry, most=most, memos=memos, wave=wave, panel_most=panel_most))

    def secret(self) -> bytes:
        """Return the secret of this respondent, which the first call creates and later calls return."""
        return self._change(lambda state: state.secret())

    def settle(self, entry: Entry, *, status: Status, problem: str | None, not_before: float) -> Entry:
        """Record what became of a queued entry, drop its bytes unless it stays queued, and return the stored entry."""
        return self._change(lambda state: state.settle(entry, status=status, problem=problem, not_before=not_before))

    def postpone(self, entry: Entry, *, due: float) -> None:
        """Set the time at which a queued entry is sent."""
        self._change(lambda state: state.postpone(entry, due=due))

    def find(self, key: str, survey: str, manifest: str = "") -> Entry | None:
        """Return the entry of a survey, or of its manifest under another key, if there is one."""
        return self._read(lambda state: state.find(key, survey, manifest))

    def waves(self) -> list[Wave]:
        """Return what is stored of the surveys of all panels, of all publishers."""
        return self._read(lambda state: state.waves())

    def spent_alone(self) -> Epsilon:
        """Return the sum over the entries that do not belong to a panel."""
        return self._read(lambda state: state.spent_alone())

    def queued(self, key: str) -> list[Entry]:
        """Return the entries of this publisher that are still to be sent."""
        return self._read(lambda state: state.queued(key))

    def spent(self) -> Epsilon:
        """Return the sum over all entries, of all publishers."""
        return self._read(lambda state: state.spent())

    def keep_envelope(self, key: str, survey: str, envelope: bytes) -> None:
        """Store a verified envelope, so that the survey can be answered while its server is away."""
        stored = self.find_envelope(key, survey)
        # If another process stores one at the same time, theirs will do: it is verified again before it is used.
        if stored != envelope:
            self._store.swap(_manifest_row(key, survey), old=stored, new=envelope)

    def find_envelope(self, key: str, survey: str) -> bytes | None:
        """Return the envelope that was stored last, if there is one."""
        return self._store.get(_manifest_row(key, survey))

    def close(self) -> None:
        """Do nothing: the store is the app's."""

    def _read(self, read: Callable[[SQLiteState], T]) -> T:
        with closing(_Copy(self._store.get(self._row))) as state:
            return read(state)

    def _change(self, change: Callable[[SQLiteState], T]) -> T:
        for _ in range(MOST_TRIES):
            old = self._store.get(self._row)
            with closing(_Copy(old)) as state:
                result, new = change(state), state.dump()
            if new == old or self._store.swap(self._row, old=old, new=new):
                return result
        raise StateFailed(
            "the row of this respondent changes all the time: check that swap compares with what get returns"
        )


class _Copy(SQLiteState):
    """A copy of a row in memory."""

    def __init__(self, row: bytes | None) -> None:
        super().__init__()
        if row is not None:
            self._load(row)

    def dump(self) -> bytes:
        """Return the row that has this content."""
        return zlib.compress(self._connection.serialize())

    def _load(self, row: bytes) -> None:
        try:
            self._connection.deserialize(zlib.decompress(row))
            self._prepare()
        except (zlib.error, sqlite3.Error, StateFailed) as error:
            self.close()
            raise StateFailed(
                "the row of this respondent is not one that this version knows: update Hushpoll"
            ) from error


def _manifest_row(key: str, survey: str) -> str:
    return f"manifest/{key}/{survey}"
