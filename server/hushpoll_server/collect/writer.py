"""One writer for each process: gather the reports that wait, commit them together, then tell everybody.

Requests put their reports into a queue and wait. The writer takes all that is there, stores it in one transaction
and only then lets the requests go. So a commit, the costly part, is shared; and acknowledged means durable.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import NamedTuple

from hushpoll_server.collect.batch import Entry, Stored, Verdict, store_batch
from hushpoll_server.collect.rejections import Rejected, Rejections, write_rejections
from hushpoll_server.store import Store
from hushpoll_server.watch.metrics import Metrics
from hushpoll_shared.problems import TRY_LATER, ProblemError

# A batch that is larger gains nothing more and keeps everybody waiting.
LARGEST_COMMIT = 2_000
# Refused reports that no commit comes along for are counted in the database this often.
REJECTIONS_SECONDS = 5.0

log = logging.getLogger(__name__)


class _Waiting(NamedTuple):
    entries: Sequence[Entry]
    verdicts: Future[list[Verdict]]


class Writer:
    """Commit the reports of many requests together."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], datetime],
        *,
        queue_size: int,
        wait: float,
        metrics: Metrics | None = None,
    ) -> None:
        """Prepare; the thread starts with the first report, in the process that needs it."""
        self._store, self._clock, self._wait = store, clock, wait
        self._queue_size = queue_size
        self._metrics = metrics or Metrics()
        self._rejections = Rejections()
        self._lock = threading.Lock()
        self._process = 0
        self._queue: queue.Queue[_Waiting | None]
        self._thread: threading.Thread

    def write(self, entries: Sequence[Entry]) -> list[Verdict]:
        """Store the entries durably and tell what became of each; raise TRY_LATER when that cannot be known."""
        self._start()
        waiting = _Waiting(entries, Future())
        self._metrics.waiting(1)
        try:
            self._queue.put_nowait(waiting)
            return waiting.verdicts.result(self._wait)
        except queue.Full:
            self._metrics.waiting(-1)
            raise ProblemError(TRY_LATER) from None
        except TimeoutError:
            raise ProblemError(TRY_LATER) from None

    def count_rejected(self, rejected: Rejected) -> None:
        """Count refused reports in the database, soon."""
        self._start()
        self._rejections.add(rejected)

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
        last = False
        while not last:
            batch: list[_Waiting] = []
            last = _drain(waiting, batch)
            self._commit(batch)
            self._metrics.waiting(-len(batch))

    def _commit(self, batch: Sequence[_Waiting]) -> None:
        entries, rejected = [entry for waiting in batch for entry in waiting.entries], self._rejections.take()
        if not entries and not rejected:
            _tell(batch, [])
            return
        started = time.perf_counter()
        try:
            with self._store.transaction() as session:
                verdicts = store_batch(session, entries, self._clock()) if entries else []
                write_rejections(session, rejected)
        except Exception as error:  # noqa: BLE001 (whatever failed, nobody may be told "accepted")
            self._rejections.add(rejected)
            self._metrics.failed()
            # The kind of error only: its text could hold a report.
            log.error("a batch of %d reports was not stored: %s", len(entries), type(error).__name__)
            for waiting in batch:
                waiting.verdicts.set_exception(ProblemError(TRY_LATER))
            return
        if entries:
            stored = Counter(verdict.value for verdict in verdicts if isinstance(verdict, Stored))
            self._metrics.committed(stored, len(entries), time.perf_counter() - started)
        _tell(batch, verdicts)


def _drain(waiting: queue.Queue[_Waiting | None], batch: list[_Waiting]) -> bool:
    """Add all that waits, up to the largest commit, after waiting a while for the first; tell whether the end came."""
    size = 0
    while size < LARGEST_COMMIT:
        try:
            item = waiting.get_nowait() if batch else waiting.get(timeout=REJECTIONS_SECONDS)
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
