"""Threads for the application: each kind of call has its own, so that none can use up another's.

Calls that wait for a commit sleep, so there may be many at once. A respondent's page is made in milliseconds but takes
many times its size in memory, and a few threads make as many pages per second as many threads do. A dashboard can
compute for seconds, and so can public results and a run of the lab, which anybody may ask for. The rule here: whatever
others ask for, a respondent finds a thread. Paths that are not named here share the researchers' threads, so that a new
page that was forgotten here cannot take a respondent's thread. What is sent while it is made has threads of its own, so
that it does not keep others' pages waiting.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

# Batches, whatever the short way left, and monitoring.
WAITING: Final = re.compile(r"/api/v1/surveys/[^/]+/reports|/(healthz|readyz|metrics)")
LAB: Final = re.compile(r"/lab(/.*)?", re.DOTALL)
PAGES: Final = re.compile(
    r"/|/(js|static)/.*|/s/(?![^/]*/results\Z).*|/api/v1/surveys/[^/]+/manifest|/api/openapi\.json", re.DOTALL
)
# Only a few files are made while they are sent. Pages that say how far they are mostly wait.
STREAM_THREADS, GRADUAL_THREADS = 2, 8
# One run of the lab computes, another waits for it, and one page that is known already can be sent meanwhile.
LAB_THREADS, LAB_CALLS = 3, 32

T = TypeVar("T")


class Pool:
    """Threads, and how many calls may run or wait."""

    def __init__(self, name: str, *, threads: int, at_once: int | None = None) -> None:
        """Use this many threads; without `at_once` any number of calls may wait."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"hushpoll-{name}")
        self._at_once, self._calls = at_once, 0

    @property
    def is_full(self) -> bool:
        """Return whether the next call must be refused."""
        return self._at_once is not None and self._calls >= self._at_once

    @contextmanager
    def call(self) -> Iterator[None]:
        """Count a call that has no thread all the time."""
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1

    async def run(self, work: Callable[[], T]) -> T:
        """Run a call in a thread."""
        with self.call():
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)


class Pools:
    """The pools of a worker."""

    def __init__(self, *, waiting: int, pages: int, page_calls: int, researchers: int, researcher_calls: int) -> None:
        """Make the pools with these numbers of threads, which start when needed, and of calls that run or wait."""
        self.waiting = Pool("waiting", threads=waiting)
        self.streams = Pool("streams", threads=STREAM_THREADS)
        self._pages = Pool("pages", threads=pages, at_once=page_calls)
        self.researchers = Pool("researchers", threads=researchers, at_once=researcher_calls)
        self.gradual = Pool("gradual", threads=GRADUAL_THREADS)
        self._lab = Pool("lab", threads=LAB_THREADS, at_once=LAB_CALLS)

    def of(self, path: str) -> Pool:
        """Return the pool for a path without percent-encoding."""
        if WAITING.fullmatch(path):
            return self.waiting
        if LAB.fullmatch(path):
            return self._lab
        return self._pages if PAGES.fullmatch(path) else self.researchers
