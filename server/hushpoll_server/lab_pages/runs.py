"""The pages that were run recently, and one run at a time.

The rule here: however many people read, a process computes one run at a time and each run once; whoever would wait
longer than some seconds is told to come back. Only one run waits for another, so a thread is left for known pages.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from hushpoll_server.web.cache import Cache
from hushpoll_shared.errors import HushpollError

# The most bytes of pages that each process caches: some hundred runs.
MOST_BYTES = 16_000_000
WAIT_SECONDS = 3.0
# One that runs, and one that waits for it.
PLACES = 2


class LabBusyError(HushpollError):
    """Another run was not done in time."""


class LabRuns:
    """Pages of the lab by what was chosen."""

    def __init__(self, *, wait_seconds: float = WAIT_SECONDS) -> None:
        """Let a run wait this long for the one before it."""
        self._pages = Cache(most_bytes=MOST_BYTES)
        self._places, self._running = threading.Semaphore(PLACES), threading.Lock()
        self._wait_seconds = wait_seconds

    def page(self, key: tuple[object, ...], run: Callable[[], str]) -> str:
        """Return the page of a run; run it if nobody did, when no other is running."""
        return self._pages.recall(key, partial(self._alone, run), sys.getsizeof)

    def _alone(self, run: Callable[[], str]) -> str:
        with _held(self._places, seconds=0), _held(self._running, seconds=self._wait_seconds):
            return run()


@contextmanager
def _held(lock: threading.Lock | threading.Semaphore, *, seconds: float) -> Iterator[None]:
    if not lock.acquire(timeout=seconds):
        raise LabBusyError("another run was not done in time")
    try:
        yield
    finally:
        lock.release()
