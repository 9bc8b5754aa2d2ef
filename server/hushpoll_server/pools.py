"""Threads for the application: each kind of call has its own, so that none can take another one's.

Calls that wait for a commit sleep: there may be many at once. A respondent's page is made in milliseconds, but takes
memory of many times its size: a few threads make as many pages a second as many threads do. A dashboard can compute
for seconds. The law here: whatever researchers ask for, a respondent finds a thread. What is not named here waits with
the researchers, so that a new page cannot take a respondent's thread by being forgotten.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

# Batches and whatever the short way left, and those who watch over the server.
WAITING: Final = re.compile(r"/api/v1/surveys/[^/]+/reports|/(healthz|readyz|metrics)")
PAGES: Final = re.compile(r"/|/(s|js|static)/.*|/api/v1/surveys/[^/]+/manifest|/api/openapi\.json", re.DOTALL)


T = TypeVar("T")


class Pool:
    """Threads, and how many calls may run or wait."""

    def __init__(self, name: str, *, threads: int, at_once: int | None = None) -> None:
        """Keep that many threads; without a limit every call waits for its turn."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"hushpoll-{name}")
        self._at_once, self._taken = at_once, 0

    @property
    def is_full(self) -> bool:
        """Tell whether the next call had better come later."""
        return self._at_once is not None and self._taken >= self._at_once

    async def run(self, work: Callable[[], T]) -> T:
        """Run a call in a thread."""
        self._taken += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._taken -= 1


class Pools:
    """The pools of a worker."""

    def __init__(self, *, waiting: int, pages: int, page_calls: int, researchers: int, researcher_calls: int) -> None:
        """Make them with so many threads, which start when they are needed, and calls that run or wait."""
        self.waiting = Pool("waiting", threads=waiting)
        self._pages = Pool("pages", threads=pages, at_once=page_calls)
        self._researchers = Pool("researchers", threads=researchers, at_once=researcher_calls)

    def of(self, path: str) -> Pool:
        """Return the pool for a path as it was meant, without its percent signs."""
        if WAITING.fullmatch(path):
            return self.waiting
        return self._pages if PAGES.fullmatch(path) else self._researchers
