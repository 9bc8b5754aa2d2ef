"""Files that are made while they are sent: only a few at once, and each within a time.

Such a file holds a thread now and then, a connection to the database, and one state of it: the engine keeps what
others delete or replace until the last reader of that state has gone. The rule here: whatever clients ask for, and
however slowly they read, that is bounded; whoever comes too late is told to try later.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import BoundedSemaphore
from typing import Final

from flask import Response

from hushpoll_shared.errors import HushpollError
from hushpoll_shared.problems import TRY_LATER, ProblemError

# In each process.
AT_ONCE: Final = 2
# A hundred megabytes at a megabit per second.
MOST_SECONDS: Final = 15 * 60.0


class TooSlow(HushpollError):
    """A file that was not read in time."""


class Streams:
    """The files that are being sent by this process."""

    def __init__(
        self, *, at_once: int = AT_ONCE, seconds: float = MOST_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Send so many files at once, each within this many seconds."""
        self._places, self._seconds, self._clock = BoundedSemaphore(at_once), seconds, clock

    def response(self, make: Callable[[], Iterator[bytes]], media_type: str) -> Response:
        """Return the response whose body is made while it is sent; refuse it if too many are being sent."""
        with ExitStack() as stack:
            if not self._places.acquire(blocking=False):
                raise ProblemError(TRY_LATER)
            stack.callback(self._places.release)
            response = Response(self._in_time(make()), mimetype=media_type)
            # The place is free again when the response is closed, however often that happens.
            response.call_on_close(stack.pop_all().close)
        return response

    def _in_time(self, parts: Iterator[bytes]) -> Iterator[bytes]:
        latest = self._clock() + self._seconds
        for part in parts:
            if self._clock() > latest:
                raise TooSlow("the file was not read in time: use a faster connection, or hushpoll export")
            yield part
