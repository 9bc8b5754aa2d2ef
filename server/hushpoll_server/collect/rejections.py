"""Count refused reports by survey and reason, and bursts by survey, in memory until the writer's next transaction.

The law here: of a refused report nothing is kept but that there was one more. A flood of them costs no write each:
they are added up, and written with the next commit or a few seconds later.
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

# The survey and the name of the problem; of a burst the survey alone.
Rejected = Counter[tuple[str, ...]]


class Rejections:
    """What was refused or noticed and is not written yet."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._lock = threading.Lock()
        self._pending: Rejected = Counter()

    def add(self, rejected: Mapping[tuple[str, ...], int]) -> None:
        """Count some more."""
        with self._lock:
            self._pending.update(rejected)

    def take(self) -> Rejected:
        """Give all that is not written yet, once."""
        with self._lock:
            taken, self._pending = self._pending, Counter()
        return taken


def write_rejections(connection: Connection, rejected: Rejected, slot: int = 0) -> None:
    """Add to the stored counts, in an order that keeps two processes from waiting for each other in a circle."""
    refused = [(*key, slot, rejected[key]) for key in sorted(rejected) if len(key) > 1]
    bursts = [(*key, slot, rejected[key]) for key in sorted(rejected) if len(key) == 1]
    for model, rows in ((RejectionRow, refused), (BurstRow, bursts)):
        # A survey that is gone, in a database that was put in place of another, must not keep good reports out.
        if rows:
            with suppress(IntegrityError), connection.begin_nested():
                add_to_counts(connection, model, rows)
