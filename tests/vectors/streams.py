"""A fixed stream of bytes for test vectors. It is NOT random: never give it to a client that people use."""

from __future__ import annotations

import hashlib

PREFIX = b"ldp-tv-1"


class FixedTestStream:
    """The bytes SHA-256(prefix ‖ seed ‖ 0), SHA-256(prefix ‖ seed ‖ 1), … as one stream."""

    def __init__(self, seed: str) -> None:
        self._seed, self._block, self._buffer = seed.encode(), 0, b""
        self.taken = 0

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        while len(self._buffer) < count:
            counter = self._block.to_bytes(4, "big")
            self._buffer += hashlib.sha256(PREFIX + self._seed + counter).digest()
            self._block += 1
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        self.taken += count
        return taken
