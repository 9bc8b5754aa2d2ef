"""A cache with a limit in bytes for values that are expensive to compute.

The rule here: a key determines its value completely, so a cached value is never out of date. A caller who asks for a
value that another thread is just computing waits for it instead of computing it as well.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, TypeVar

Value = TypeVar("Value")


class Cache:
    """Values by their keys; the least recently used are dropped first."""

    def __init__(self, *, most_bytes: int) -> None:
        """Keep at most this many bytes, by the callers' estimates."""
        self._most = most_bytes
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._sizes: dict[Hashable, int] = {}

    @property
    def size(self) -> int:
        """Return the size of all cached values in bytes, by the callers' estimates."""
        return sum(self._sizes.values())

    def peek(self, key: Hashable) -> Any:
        """Return the value of a key if it is cached; None if it is not, or is still being computed."""
        with self._lock:
            known = self._values.get(key)
        return known.result() if known and known.done() and not known.exception() else None

    def recall(self, key: Hashable, compute: Callable[[], Value], size_of: Callable[[Value], int]) -> Value:
        """Return the value of a key; compute it if it is not cached."""
        with self._lock:
            known: Future[Value] | None = self._values.get(key)
            promised: Future[Value] = known or Future()
            self._values[key] = promised
            self._values.move_to_end(key)
        return promised.result() if known else self._compute(key, promised, compute, size_of)

    def _compute(
        self, key: Hashable, promised: Future[Value], compute: Callable[[], Value], size_of: Callable[[Value], int]
    ) -> Value:
        try:
            value = compute()
        except BaseException as error:
            # Callers that wait get the error; the next caller tries again.
            self._drop(key)
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

    def _drop(self, key: Hashable) -> None:
        with self._lock:
            del self._values[key]
