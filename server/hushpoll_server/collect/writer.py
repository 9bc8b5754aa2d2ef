"""One writer for each process: gather the reports that wait, commit them together, then notify all requests.

Requests put their reports into a queue and wait, as threads or as coroutines. The writer takes everything in the queue,
stores it in one transaction and only then releases the requests. So a commit, the expensive part, is shared, and
acknowledged means durable. After a disk error nothing is tried again, because a second sync does not bring back what a
failed one has lost: the writer accepts no more reports, and its process must be replaced.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from hushpoll_server.collect.batch import CheckedReport, Stored, Verdict, store_batch
from hushpoll_server.collect.counters import draw_shard
from hushpoll_server.collect.days import DayCounting
from hushpoll_server.collect.mixing import Mixing
from hushpoll_server.collect.rejections import Rejected, Rejections, write_rejections
from hushpoll_server.store import Store
from hushpoll_server.watch.metrics import Metrics
from hushpoll_server.web.deadlines import Deadlines
from hushpoll_shared.problems import TRY_LATER, ProblemError

# The most reports in one commit: a larger one gains nothing and keeps all requests waiting.
LARGEST_COMMIT = 2_000
# Under load a commit waits this long for more reports: clients that just got a reply are about to send again.
GATHER_SECONDS = 0.002
# How often refused reports are counted in the database if there is no other commit.
REJECTIONS_SECONDS = 5.0

log = logging.getLogger(__name__)

# How often this process was forked: asking the system for the process id would cost more, for every report.
_forks = 0


def _count_fork() -> None:
    global _forks
    _forks += 1


os.register_at_fork(after_in_child=_count_fork)

Outcome = list[Verdict] | ProblemError


class _Waiting(NamedTuple):
    entries: Sequence[CheckedReport]
    outcome: Future[Outcome] | asyncio.Future[Outcome]


class Writer:
    """A thread that commits the reports of many requests together."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], datetime],
        *,
        queue_size: int,
        wait: float,
        metrics: Metrics | None = None,
    ) -> None:
        """Prepare the writer; the thread starts with the first report, in the process that needs it."""
        self._store, self._clock, self._wait = store, clock, wait
        self._queue_size = queue_size
        self._metrics = metrics or Metrics()
        self._rejections, self._mixing, self._days = Rejections(), Mixing(store), DayCounting(store, clock)
        self._lock = threading.Lock()
        self._deadlines = Deadlines(wait, _try_later)
        # The process in which the thread runs, by how often it was forked; None if there is no thread.
        self._forks: int | None = None
        self._shard = 0
        self._queue: queue.SimpleQueue[_Waiting | None]
        self._thread: threading.Thread
        self.has_failed = False

    def write(self, entries: Sequence[CheckedReport]) -> list[Verdict]:
        """Store the entries durably and return what became of each; raise TRY_LATER if that is not known in time."""
        future: Future[Outcome] = Future()
        self._put(_Waiting(entries, future))
        try:
            return _verdicts(future.result(self._wait))
        except TimeoutError:
            raise ProblemError(TRY_LATER) from None

    async def write_soon(self, entries: Sequence[CheckedReport]) -> list[Verdict]:
        """Do the same without blocking a thread."""
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._put(_Waiting(entries, future))
        self._deadlines.begin(future)
        try:
            return _verdicts(await future)
        finally:
            self._deadlines.end(future)

    def count_rejected(self, rejected: Rejected) -> None:
        """Count refused reports in the database, soon."""
        self._start()
        self._rejections.add(rejected)

    @property
    def waiting(self) -> int:
        """Return how many requests wait for the next commit."""
        return self._queue.qsize() if self._forks == _forks else 0

    def close(self) -> None:
        """Commit what is queued and stop."""
        with self._lock:
            if self._forks == _forks:
                self._queue.put(None)
                self._thread.join()
                self._forks = None

    def _put(self, waiting: _Waiting) -> None:
        self._start()
        if self.has_failed or self._queue.qsize() >= self._queue_size:
            raise ProblemError(TRY_LATER)
        # Counted before the writer can take it, so that the number never falls below zero.
        self._metrics.waiting(1)
        self._queue.put(waiting)

    def _start(self) -> None:
        # Threads do not survive a fork: each worker process starts its own.
        if self._forks == _forks:
            return
        with self._lock:
            if self._forks != _forks:
                self._queue, self._shard = queue.SimpleQueue(), self._choose_shard()
                self._thread = threading.Thread(
                    target=self._run, args=(self._queue,), name="hushpoll-writer", daemon=True
                )
                self._thread.start()
                self._forks = _forks

    def _choose_shard(self) -> int:
        return draw_shard() if self._store.takes_many_writers else 0

    def _run(self, waiting: queue.SimpleQueue[_Waiting | None]) -> None:
        try:
            self._work(waiting)
        except Exception as error:  # noqa: BLE001 (without this thread nothing is ever stored again: say so)
            log.critical("the writer has failed: %s", type(error).__name__)
            self.has_failed = True

    def _work(self, waiting: queue.SimpleQueue[_Waiting | None]) -> None:
        last, batch = False, list[_Waiting]()
        while not last:
            if len(batch) > 1:
                time.sleep(GATHER_SECONDS)
            batch = []
            last = _drain(waiting, batch)
            _notify(batch, self._outcomes(batch))
            self._metrics.waiting(-len(batch))
            if self._mixing.is_due or last:
                self._mix()
            if (self._days.is_due or last) and not self.has_failed:
                self._count_days()

    def _outcomes(self, batch: Sequence[_Waiting]) -> list[Outcome]:
        entries = [entry for waiting in batch for entry in waiting.entries]
        try:
            verdicts = iter(self._commit(entries))
        except ProblemError as error:
            return [error] * len(batch)
        return [[next(verdicts) for _ in waiting.entries] for waiting in batch]

    def _commit(self, entries: Sequence[CheckedReport]) -> list[Verdict]:
        """Store everything, or raise TRY_LATER."""
        if self.has_failed:
            raise ProblemError(TRY_LATER)
        rejected = self._rejections.take()
        if not entries and not rejected:
            return []
        started = time.perf_counter()
        try:
            with self._store.writing() as connection:
                verdicts = store_batch(connection, entries, self._clock(), self._shard) if entries else []
                write_rejections(connection, rejected, self._shard)
        except Exception as error:  # noqa: BLE001 (whatever failed, nobody may be told "accepted")
            self._rejections.add(rejected)
            self._fail(error, len(entries))
            raise ProblemError(TRY_LATER) from None
        self._mixing.note(entries, verdicts)
        self._days.note(entries)
        if entries:
            stored = Counter(verdict.value for verdict in verdicts if isinstance(verdict, Stored))
            self._metrics.committed(stored, len(entries), time.perf_counter() - started)
        return verdicts

    def _mix(self) -> None:
        try:
            self._mixing.mix()
        except Exception as error:  # noqa: BLE001 (whatever it was, collection goes on, and it is tried again later)
            log.error("reports were not mixed: %s", type(error).__name__)

    def _count_days(self) -> None:
        try:
            self._days.count()
        except Exception as error:  # noqa: BLE001 (whatever it was, collection goes on, and it is tried again later)
            log.error("reports were not counted by day: %s", type(error).__name__)
            self._stop_if_unsafe(error)

    def _fail(self, error: Exception, reports: int) -> None:
        self._metrics.failed()
        # Only the type of the error: its text could contain a report.
        log.error("a batch of %d reports was not stored: %s", reports, type(error).__name__)
        self._stop_if_unsafe(error)

    def _stop_if_unsafe(self, error: Exception) -> None:
        self.has_failed = self._store.is_unsafe_after(error)
        if self.has_failed:
            log.critical("the disk has failed: no report is accepted until this process is replaced")


def _drain(waiting: queue.SimpleQueue[_Waiting | None], batch: list[_Waiting]) -> bool:
    """Add all that is queued, up to the largest commit, after waiting for the first; return whether it is the end."""
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


def _notify(batch: Sequence[_Waiting], outcomes: Sequence[Outcome]) -> None:
    """Release the requests: threads one by one, the coroutines of a loop together, because waking a loop is costly."""
    by_loop: defaultdict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Outcome], Outcome]]] = defaultdict(list)
    for waiting, outcome in zip(batch, outcomes, strict=True):
        if isinstance(waiting.outcome, asyncio.Future):
            by_loop[waiting.outcome.get_loop()].append((waiting.outcome, outcome))
        else:
            waiting.outcome.set_result(outcome)
    for loop, results in by_loop.items():
        # Nobody waits on a loop that was closed.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_set_results, results)


def _set_results(results: Iterable[tuple[asyncio.Future[Outcome], Outcome]]) -> None:
    for future, outcome in results:
        if not future.done():
            future.set_result(outcome)


def _try_later(future: asyncio.Future[Outcome]) -> None:
    _set_results([(future, ProblemError(TRY_LATER))])


def _verdicts(outcome: Outcome) -> list[Verdict]:
    if isinstance(outcome, ProblemError):
        raise ProblemError(outcome.problem)
    return outcome
