"""Scans: what no counter holds is computed from all reports, and that takes as long as there are reports.

One scan reads at a time in each process, so that researchers cannot slow down the respondents by asking for many
tables; the others wait for their turn. Whoever asks for what is already being computed shares it. The rule here: a scan
that nobody waits for any more, or that takes too long, ends.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager, suppress
from functools import partial
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from hushpoll_shared.errors import HushpollError

# From the question to its answer, waiting included. A scan reads some hundred thousand reports a second.
MOST_SECONDS = 120.0
# How often a scan that waits for its turn checks whether it is still wanted.
CHECK_SECONDS = 0.2
# How long the end of an instance waits for a scan to notice.
CLOSE_SECONDS = 2.0

TOO_LONG = (
    "reading all reports took longer than {seconds:g} seconds: use hushpoll crosstab or hushpoll regress, which take "
    "the time that they need"
)

Value = TypeVar("Value")


class ScanStopped(HushpollError):
    """A scan that took too long, or that nobody waits for any more."""


class Scan(Generic[Value]):
    """What is being computed from all reports of a survey or a group; whoever waits for it leaves at the end."""

    def __init__(self, turn: threading.Semaphore, total: int, most_seconds: float, leave: Callable[[Scan[Any]], None]):
        """Prepare to read this many reports."""
        self.total, self.read, self.has_turn, self.waiting = total, 0, False, 0
        self._turn, self._most_seconds, self._leave = turn, most_seconds, leave
        self._is_stopped = False
        self._deadline, self._outcome = time.monotonic() + most_seconds, Future[Value]()

    def __enter__(self) -> Self:
        """Wait for it during a block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait for it no longer."""
        self.leave()

    def leave(self) -> None:
        """Wait for it no longer; it ends with the last one who leaves."""
        self._leave(self)

    def wait(self, seconds: float) -> bool:
        """Return whether it has ended within this time, whatever came of it."""
        with suppress(NotYet):
            self._outcome.exception(seconds)
        return self._outcome.done()

    def result(self) -> Value:
        """Return what was computed, as soon as it is."""
        return self._outcome.result()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until no other scan reads."""
        while not self._turn.acquire(timeout=CHECK_SECONDS):
            self._check()
        self.has_turn = True
        try:
            yield
        finally:
            self._turn.release()

    def advance(self, reports: int) -> None:
        """Take note that more reports were read; raise if there is no reason to go on."""
        self.read += reports
        self._check()

    def run(self, compute: Callable[[Scan[Value]], Value]) -> None:
        """Compute, and keep what came of it for all who wait."""
        try:
            self._outcome.set_result(compute(self))
        except BaseException as error:  # noqa: BLE001 (raised again by `result`)
            self._outcome.set_exception(error)

    def stop(self) -> None:
        """End it at its next step, whoever waits."""
        self._is_stopped = True

    def _check(self) -> None:
        if self._is_stopped or not self.waiting:
            raise ScanStopped("nobody waits for this any more")
        if time.monotonic() > self._deadline:
            raise ScanStopped(TOO_LONG.format(seconds=self._most_seconds))


class Scans:
    """The scans of one process that somebody waits for."""

    def __init__(self, *, most_seconds: float = MOST_SECONDS) -> None:
        """Begin with none; each takes at most this long."""
        self._most_seconds, self._turn, self._lock = most_seconds, threading.Semaphore(1), threading.Lock()
        self._scans: dict[Hashable, Scan[Any]] = {}
        self._threads: set[threading.Thread] = set()

    def join(self, key: Hashable, total: int, compute: Callable[[Scan[Value]], Value]) -> Scan[Value]:
        """Return the scan with a key, also one that has just ended, or a new one."""
        with self._lock:
            known: Scan[Value] | None = self._scans.get(key)
            scan = known or Scan(self._turn, total, self._most_seconds, partial(self._leave, key))
            self._scans[key] = scan
            scan.waiting += 1
            if not known:
                # A daemon: a process that is told to end does not wait for it.
                run = threading.Thread(target=self._run, args=(scan, compute), name="hushpoll-scan", daemon=True)
                self._threads.add(run)
                run.start()
        return scan

    def close(self) -> None:
        """End all scans, and wait a while until they have returned their connections to the database."""
        with self._lock:
            running, threads = list(self._scans.values()), list(self._threads)
        for scan in running:
            scan.stop()
        for thread in threads:
            thread.join(CLOSE_SECONDS)

    def _run(self, scan: Scan[Value], compute: Callable[[Scan[Value]], Value]) -> None:
        scan.run(compute)
        with self._lock:
            self._threads.discard(threading.current_thread())

    def _leave(self, key: Hashable, scan: Scan[Any]) -> None:
        with self._lock:
            scan.waiting -= 1
            if not scan.waiting:
                # Whoever asks again must not find one that is about to end.
                del self._scans[key]
