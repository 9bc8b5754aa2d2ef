"""Give up on what takes too long, on an event loop.

A timer for each of many short waits would cost more than the waits. So all that wait are looked at together, now and
then; whoever has waited too long by then is given up.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Generic, TypeVar

# So often is a wait looked at before its time is up.
_LOOKS = 8

T = TypeVar("T")


class Patience(Generic[T]):
    """So many seconds for each, and what to do when they are over."""

    def __init__(self, seconds: float, give_up: Callable[[T], object]) -> None:
        """Wait so long, then give up."""
        self._seconds, self._give_up = seconds, give_up
        # In the order of their beginning, as dictionaries are.
        self._since: dict[T, float] = {}
        self._looking: asyncio.AbstractEventLoop | None = None

    def begin(self, one: T) -> None:
        """Begin to wait for one."""
        self._since[one] = time.monotonic()
        if self._looking is not asyncio.get_running_loop():
            self._look_later()

    def end(self, one: T) -> None:
        """Wait no longer, whether it was given up or not."""
        self._since.pop(one, None)

    def _look_later(self) -> None:
        self._looking = asyncio.get_running_loop()
        self._looking.call_later(self._seconds / _LOOKS, self._look)

    def _look(self) -> None:
        self._looking = None
        latest = time.monotonic() - self._seconds
        while self._since and (one := next(iter(self._since))) and self._since[one] <= latest:
            del self._since[one]
            self._give_up(one)
        if self._since:
            self._look_later()
