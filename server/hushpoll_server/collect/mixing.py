"""Mix reports that were committed with too little company.

PostgreSQL stamps each row with the transaction that wrote it, and keeps rows where they were first written. When a
report comes alone, its commit holds nothing else, and the stamps tell the order of arrival. So rows of small commits
are written again later, many in one transaction and in the order of their random ids: then all bear the same stamp.
SQLite's table has neither stamps nor places of its own.

The law here: mixing changes no report and no count. What it could not do it does later; it is in nobody's way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hushpoll_server.collect.batch import Entry, Key, Stored, Verdict
from hushpoll_server.collect.models import ReportRow
from hushpoll_server.store import Store
from hushpoll_server.store.statements import write_again

# A commit with so many new reports hides each of them well enough.
COMPANY: Final = 10
# So many are mixed at once.
LOT: Final = 200


class Mixing:
    """The reports of one process that wait to be mixed."""

    def __init__(self, store: Store) -> None:
        """Mix in this database, if it is one that needs it."""
        self._store = store
        self._alone: list[Key] = []

    def note(self, entries: Sequence[Entry], verdicts: Sequence[Verdict]) -> None:
        """Remember what was stored with little company."""
        if not self._store.stamps_rows:
            return
        new = [entry.key for entry, verdict in zip(entries, verdicts, strict=True) if verdict is Stored.ACCEPTED]
        if len(new) < COMPANY:
            self._alone += new

    @property
    def is_due(self) -> bool:
        """Tell whether there are enough to mix."""
        return len(self._alone) >= LOT

    def mix(self) -> None:
        """Write all that wait again, in one transaction."""
        if self._alone:
            with self._store.writing() as connection:
                write_again(connection, ReportRow, sorted(self._alone))
            self._alone.clear()
