"""The pages that were run recently, and one run at a time.

The rule here: however many people read, a process computes one run at a time and each run once; whoever would wait
longer than some seconds is told to come back.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import partial

from hushpoll_server.web.cache import Cache
from hushpoll_shared.errors import HushpollError

# The most bytes of pages that each process caches: some hundred runs.
MOST_BYTES = 16_000_000
WAIT_SECONDS = 3.0


class LabBusyError(HushpollError):
    """Another run was not done in time."""


class LabRuns:
    """Pages of the lab by what was chosen."""

    def __init__(self, *, wait_seconds: float = WAIT_SECONDS) -> None:
        """Let a run wait this long for the one before it."""
        self._pages = Cache(most_bytes=MOST_BYTES)
        self._running = threading.Lock()
        self._wait_seconds = wait_seconds

    def page(self, key: tuple[object, ...], run: Callable[[], str]) -> str:
        """Return the page of a run; run it if nobody did, when no other is running."""
        return self._pages.recall(key, partial(self._alone, run), sys.getsizeof)

    def _alone(self, run: Callable[[], str]) -> str:
        if not self._running.acquire(timeout=self._wait_seconds):
            raise LabBusyError("another run was not done in time")
        try:
            return run()
        finally:
            self._running.release()
