"""Mix reports that were committed with few others.

PostgreSQL stamps each row with the transaction that wrote it, and keeps rows where they were first written. If a report
arrives alone, its commit contains nothing else, and the stamps reveal the order of arrival. So the rows of small
commits are rewritten later, many in one transaction and in the order of their random ids: then all have the same stamp.
SQLite's table has no stamps, and its rows have no place except their key.

The rule here: mixing changes no report and no counter, and blocks nothing. If it fails, it is done later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hushpoll_server.collect.batch import CheckedReport, Key, Stored, Verdict
from hushpoll_server.collect.models import ReportRow
from hushpoll_server.store import Store
from hushpoll_server.store.statements import write_again

# From this many new reports in one commit on, each is hidden well enough among the others.
SMALL_BATCH: Final = 10
# Rows rewritten in one transaction.
ROWS_PER_REWRITE: Final = 200


class Mixing:
    """The reports of one process that wait to be mixed."""

    def __init__(self, store: Store) -> None:
        """Mix the reports of this database, if it needs it."""
        self._store = store
        self._pending: list[Key] = []

    def note(self, entries: Sequence[CheckedReport], verdicts: Sequence[Verdict]) -> None:
        """Remember what was stored in a small batch."""
        if not self._store.stamps_rows:
            return
        new = [entry.key for entry, verdict in zip(entries, verdicts, strict=True) if verdict is Stored.ACCEPTED]
        if len(new) < SMALL_BATCH:
            self._pending += new

    @property
    def is_due(self) -> bool:
        """Return whether there are enough to mix."""
        return len(self._pending) >= ROWS_PER_REWRITE

    def mix(self) -> None:
        """Rewrite all rows that wait, in one transaction."""
        if self._pending:
            with self._store.writing() as connection:
                write_again(connection, ReportRow, sorted(self._pending))
            self._pending.clear()
