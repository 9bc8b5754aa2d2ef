"""Exact draws from a source of random bytes.

The rule here: the default source is cryptographic; how many bytes are taken, and which branches run, never depends on
an answer. All probabilities are integers over 2^64, so a draw is exact, not approximate.
"""

from __future__ import annotations

import os
import threading
from typing import Protocol

from hushpoll_shared.errors import InvalidValue

SPAN = 2**64


class ByteSource(Protocol):
    """A source of random bytes."""

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes; no byte is returned twice."""


class SecureBytes:
    """The operating system's random bytes, fetched a page at a time. Threads may share it."""

    PAGE_BYTES = 4096

    def __init__(self) -> None:
        """Start with an empty page; the first call fills it."""
        self._page, self._next = b"", 0
        self._process = os.getpid()
        self._lock = threading.Lock()

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes; no byte is returned twice, not even after a fork."""
        with self._lock:
            start, end = self._next, self._next + count
            if end > len(self._page) or self._process != os.getpid():
                return self._refill(count)
            self._next = end
            return self._page[start:end]

    def _refill(self, count: int) -> bytes:
        # A forked child has a copy of its parent's page and must not return the same bytes.
        self._process = os.getpid()
        self._page, self._next = os.urandom(max(self.PAGE_BYTES, count)), count
        return self._page[:count]


def u64(source: ByteSource) -> int:
    """Draw an integer below 2^64 from eight bytes, big-endian."""
    return int.from_bytes(source.take(8), "big")


def bernoulli(source: ByteSource, threshold: int) -> int:
    """Draw 1 with probability threshold / 2^64, else 0, from exactly eight bytes."""
    return int(u64(source) < threshold)


def uniform(source: ByteSource, size: int) -> int:
    """Draw one of 0 … size − 1, all equally likely, from one 64-bit number, or as many as the size needs.

    Values from the largest multiple of `size` upwards are discarded; how often that happens depends on `size` alone.
    """
    if size < 1:
        raise InvalidValue("the size of a uniform draw must be at least 1")
    value, span = u64(source), SPAN
    while span < size:
        value, span = value * SPAN + u64(source), span * SPAN
    return value % size if value < span - span % size else uniform(source, size)


def choose(source: ByteSource, size: int, count: int) -> list[int]:
    """Draw `count` different integers from 0 … size − 1, in random order: the start of a Fisher–Yates shuffle.

    No bytes are taken when only one integer is left to choose from.
    """
    if not 0 <= count <= size:
        raise InvalidValue("cannot choose more integers than there are")
    moved: dict[int, int] = {}
    chosen = []
    for place in range(count):
        other = place + (uniform(source, size - place) if size - place > 1 else 0)
        chosen.append(moved.get(other, other))
        moved[other] = moved.get(place, place)
    return chosen
