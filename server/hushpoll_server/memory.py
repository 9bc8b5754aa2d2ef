"""Remember what is dear to compute, within a bound.

The law here: the key says all that a value follows from, so what is remembered is never out of date. Whoever asks for
what somebody else is just computing waits for it, instead of computing it as well.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, TypeVar

Value = TypeVar("Value")


class Memory:
    """Values by their keys; those that were not asked for longest are forgotten first."""

    def __init__(self, *, most_bytes: int) -> None:
        """Keep at most so many bytes, as callers estimate them."""
        self._most = most_bytes
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._sizes: dict[Hashable, int] = {}

    @property
    def size(self) -> int:
        """Return the bytes of all values that are kept, as they were estimated."""
        return sum(self._sizes.values())

    def recall(self, key: Hashable, compute: Callable[[], Value], size_of: Callable[[Value], int]) -> Value:
        """Return the value of a key, computed if nobody has asked for it before."""
        with self._lock:
            known: Future[Value] | None = self._values.get(key)
            promised: Future[Value] = known or Future()
            self._values[key] = promised
            self._values.move_to_end(key)
        return promised.result() if known else self._keep(key, promised, compute, size_of)

    def _keep(
        self, key: Hashable, promised: Future[Value], compute: Callable[[], Value], size_of: Callable[[Value], int]
    ) -> Value:
        try:
            value = compute()
        except BaseException as error:
            # Those who wait are told; whoever asks next tries again.
            self._forget(key)
            promised.set_exception(error)
            raise
        promised.set_result(value)
        with self._lock:
            self._sizes[key] = size_of(value)
            self._make_room()
        return value

    def _make_room(self) -> None:
        for key in list(self._values):
            if self.size <= self._most:
                return
            # What is still being computed has no size yet.
            if key in self._sizes:
                del self._values[key], self._sizes[key]

    def _forget(self, key: Hashable) -> None:
        with self._lock:
            del self._values[key]
