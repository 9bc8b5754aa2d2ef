"""One writer for each process: gather the reports that wait, commit them together, then tell everybody.

Requests put their reports into a queue and wait. The writer takes all that is there, stores it in one transaction
and only then lets the requests go. So a commit, the costly part, is shared; and acknowledged means durable.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import NamedTuple

from hushpoll_server.collect.batch import Entry, Verdict, store_batch
from hushpoll_server.store import Store
from hushpoll_shared.problems import TRY_LATER, ProblemError

# A batch that is larger gains nothing more and keeps everybody waiting.
LARGEST_COMMIT = 2_000

log = logging.getLogger(__name__)


class _Waiting(NamedTuple):
    entries: Sequence[Entry]
    verdicts: Future[list[Verdict]]


class Writer:
    """Commit the reports of many requests together."""

    def __init__(self, store: Store, clock: Callable[[], datetime], *, queue_size: int, wait: float) -> None:
        """Prepare; the thread starts with the first report, in the process that needs it."""
        self._store, self._clock, self._wait = store, clock, wait
        self._queue_size = queue_size
        self._lock = threading.Lock()
        self._process = 0
        self._queue: queue.Queue[_Waiting | None]
        self._thread: threading.Thread

    def write(self, entries: Sequence[Entry]) -> list[Verdict]:
        """Store the entries durably and tell what became of each; raise TRY_LATER when that cannot be known."""
        self._start()
        waiting = _Waiting(entries, Future())
        try:
            self._queue.put_nowait(waiting)
            return waiting.verdicts.result(self._wait)
        except (queue.Full, TimeoutError):
            raise ProblemError(TRY_LATER) from None

    @property
    def waiting(self) -> int:
        """Tell how many requests wait for the next commit."""
        return self._queue.qsize() if self._process == os.getpid() else 0

    def close(self) -> None:
        """Commit what waits and stop."""
        with self._lock:
            if self._process == os.getpid():
                self._queue.put(None)
                self._thread.join()
                self._process = 0

    def _start(self) -> None:
        # Threads do not survive a fork: each worker process starts its own.
        if self._process == os.getpid():
            return
        with self._lock:
            if self._process != os.getpid():
                self._queue = queue.Queue(self._queue_size)
                self._thread = threading.Thread(
                    target=self._run, args=(self._queue,), name="hushpoll-writer", daemon=True
                )
                self._thread.start()
                self._process = os.getpid()

    def _run(self, waiting: queue.Queue[_Waiting | None]) -> None:
        while (first := waiting.get()) is not None:
            batch = [first]
            last = _drain(waiting, batch)
            self._commit(batch)
            if last:
                return

    def _commit(self, batch: Sequence[_Waiting]) -> None:
        entries = [entry for waiting in batch for entry in waiting.entries]
        try:
            with self._store.transaction() as session:
                verdicts = store_batch(session, entries, self._clock())
        except Exception as error:  # noqa: BLE001 (whatever failed, nobody may be told "accepted")
            # The kind of error only: its text could hold a report.
            log.error("a batch of %d reports was not stored: %s", len(entries), type(error).__name__)
            for waiting in batch:
                waiting.verdicts.set_exception(ProblemError(TRY_LATER))
            return
        _tell(batch, verdicts)


def _drain(waiting: queue.Queue[_Waiting | None], batch: list[_Waiting]) -> bool:
    """Add all that waits, up to the largest commit; tell whether the end came."""
    size = len(batch[0].entries)
    while size < LARGEST_COMMIT:
        try:
            item = waiting.get_nowait()
        except queue.Empty:
            return False
        if item is None:
            return True
        batch.append(item)
        size += len(item.entries)
    return False


def _tell(batch: Sequence[_Waiting], verdicts: Sequence[Verdict]) -> None:
    start = 0
    for waiting in batch:
        end = start + len(waiting.entries)
        waiting.verdicts.set_result(list(verdicts[start:end]))
        start = end
