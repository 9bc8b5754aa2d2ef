"""Bytes from a seed, so that a run of the lab can be repeated.

The rule here: for invented people only. Whoever knows the seed knows the noise, so a database of real people draws from
`SecureBytes`.
"""

from __future__ import annotations

import hashlib


class SeededBytes:
    """The SHA-256 hashes of a seed and a counter, one after the other."""

    def __init__(self, seed: int | str) -> None:
        """Start at the first hash of this seed."""
        self._seed = f"hushpoll-lab:{seed}:".encode()
        self._blocks, self._rest = 0, b""

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        while len(self._rest) < count:
            self._rest += hashlib.sha256(self._seed + str(self._blocks).encode()).digest()
            self._blocks += 1
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken
