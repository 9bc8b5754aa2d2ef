"""Secure random bytes in bulk: the keystream of AES-128 in counter mode.

The rule here: key and first counter are fresh from the operating system, and each byte is used once, even with several
threads and after a fork. With AES in hardware this is faster than the generators that simulations use, so there is
no reason for a weaker one.
"""

from __future__ import annotations

import os
import threading
from typing import Protocol

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

_KEY_BYTES = 16
_BLOCK_BYTES = 16


class BulkSource(Protocol):
    """A source of random bytes as arrays."""

    def take(self, count: int) -> Bytes:
        """Return the next `count` bytes, each byte once, in an array that the caller owns."""


class Keystream:
    """Random bytes at the speed of AES. Threads may share it."""

    def __init__(self) -> None:
        """Start with a fresh key."""
        self._lock = threading.Lock()
        self._zeros = np.zeros(0, np.uint8)
        self._start()

    def take(self, count: int) -> Bytes:
        """Return the next `count` bytes, each byte once, even after a fork."""
        with self._lock:
            # A forked child has a copy of its parent's state: it must not return the same bytes.
            if self._process != os.getpid():
                self._start()
            if count > len(self._zeros):
                self._zeros = np.zeros(count, np.uint8)
            # The cipher requires a buffer that is almost one block longer than its output.
            buffer = np.empty(count + _BLOCK_BYTES - 1, np.uint8)
            self._cipher.update_into(self._zeros[:count].data, buffer.data)
            return buffer[:count]

    def _start(self) -> None:
        self._process = os.getpid()
        self._cipher = encrypting(os.urandom(_KEY_BYTES), os.urandom(_BLOCK_BYTES))


def encrypting(key: bytes, counter: bytes) -> CipherContext:
    """Return the cipher whose output on zeros is the keystream."""
    return Cipher(AES(key), CTR(counter)).encryptor()
