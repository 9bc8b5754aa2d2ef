"""Count refused reports by survey and reason, and bursts by survey, in memory until the writer's next transaction.

The rule here: nothing of a refused report is stored except that there was one more. Even a flood of them does not cost
a write for each: they are added up, and written with the next commit or a few seconds later.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from hushpoll_server.collect.models import BurstRow, RejectionRow
from hushpoll_server.store.statements import add_to_counts

# Keys are the survey and the name of the problem; for a burst, the survey alone.
Rejected = Counter[tuple[str, ...]]


class Rejections:
    """The refusals and bursts that are not written yet."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._lock = threading.Lock()
        self._pending: Rejected = Counter()

    def add(self, rejected: Mapping[tuple[str, ...], int]) -> None:
        """Count some more."""
        with self._lock:
            self._pending.update(rejected)

    def take(self) -> Rejected:
        """Return all that is not written yet, and forget it."""
        with self._lock:
            taken, self._pending = self._pending, Counter()
        return taken


def write_rejections(connection: Connection, rejected: Rejected, shard: int = 0) -> None:
    """Add to the stored counts, in an order that prevents deadlocks between two processes."""
    refused = [(*key, shard, rejected[key]) for key in sorted(rejected) if len(key) > 1]
    bursts = [(*key, shard, rejected[key]) for key in sorted(rejected) if len(key) == 1]
    for model, rows in ((RejectionRow, refused), (BurstRow, bursts)):
        # If the database was replaced and a survey is gone, its counts must not stop good reports.
        if rows:
            with suppress(IntegrityError), connection.begin_nested():
                add_to_counts(connection, model, rows)
