"""Deadlines for many short waits on an event loop.

A timer for each wait would cost more than the wait itself. So all of them are checked together at intervals, and those
that have taken too long are given up.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Generic, TypeVar

# How many times a wait is checked before it times out.
_CHECKS = 8

T = TypeVar("T")


class Deadlines(Generic[T]):
    """The same timeout for each wait, and what to do when it is over."""

    def __init__(self, seconds: float, give_up: Callable[[T], object]) -> None:
        """Allow each wait this many seconds, then give it up."""
        self._seconds, self._give_up = seconds, give_up
        # The oldest first: dictionaries keep their order.
        self._since: dict[T, float] = {}
        self._checking: asyncio.AbstractEventLoop | None = None

    def begin(self, one: T) -> None:
        """Start the timeout of a wait."""
        self._since[one] = time.monotonic()
        if self._checking is not asyncio.get_running_loop():
            self._check_later()

    def end(self, one: T) -> None:
        """End a wait, whether it was given up or not."""
        self._since.pop(one, None)

    def _check_later(self) -> None:
        self._checking = asyncio.get_running_loop()
        self._checking.call_later(self._seconds / _CHECKS, self._check)

    def _check(self) -> None:
        self._checking = None
        latest = time.monotonic() - self._seconds
        while self._since and (one := next(iter(self._since))) and self._since[one] <= latest:
            del self._since[one]
            self._give_up(one)
        if self._since:
            self._check_later()
