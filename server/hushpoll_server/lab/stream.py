"""Random bytes that a seed determines, so that a simulation gives the same figures again.

The rule here: nothing that comes from a person is ever randomized with these bytes. Whoever knows the seed knows them
all; in the lab people are invented, and that is the point.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hushpoll_server.bulk.keystream import Bytes, encrypting
from hushpoll_server.bulk.uniform import uniform
from hushpoll_shared.randomness import SPAN

DEFAULT_SEED = 1

Places = NDArray[np.int64]
Figures = NDArray[np.float64]

_PREFIX = b"hushpoll-lab-1"
_BLOCK_BYTES = 16


class SeededStream:
    """The keystream of AES-128 under a key made of a seed and a purpose; each byte is returned once."""

    def __init__(self, seed: int, purpose: str) -> None:
        """Start the stream of a purpose; two purposes share no bytes."""
        digest = hashlib.sha256(b"\0".join((_PREFIX, str(seed).encode(), purpose.encode()))).digest()
        self._cipher = encrypting(digest[:_BLOCK_BYTES], digest[_BLOCK_BYTES:])

    def take(self, count: int) -> Bytes:
        """Return the next `count` bytes, in an array that the caller owns."""
        # The cipher requires a buffer that is almost one block longer than its output.
        buffer = np.empty(count + _BLOCK_BYTES - 1, np.uint8)
        self._cipher.update_into(bytes(count), buffer.data)
        return buffer[:count]


def numbers(stream: SeededStream, count: int) -> NDArray[np.uint64]:
    """Draw `count` whole numbers below 2^64."""
    return stream.take(8 * count).view(np.uint64)


def bits(stream: SeededStream, count: int, share: float = 0.5) -> Places:
    """Draw `count` bits, each 1 with this probability."""
    return (fractions(stream, count) < share).astype(np.int64)


def bits_by(stream: SeededStream, shares: Figures) -> Places:
    """Draw one bit for each of these probabilities."""
    return (fractions(stream, len(shares)) < shares).astype(np.int64)


def fractions(stream: SeededStream, count: int) -> Figures:
    """Draw `count` numbers between 0 and 1."""
    return np.asarray((numbers(stream, count) >> np.uint64(11)) * 2.0**-53 + 2.0**-54)


def normals(stream: SeededStream, count: int) -> Figures:
    """Draw `count` standard normal numbers."""
    return np.asarray(special.ndtri(fractions(stream, count)))


def wholes(stream: SeededStream, count: int, size: int) -> Places:
    """Draw `count` numbers of 0 … size − 1, all equally likely."""
    return uniform(stream, count, size).astype(np.int64)


def categories(stream: SeededStream, count: int, weights: tuple[float, ...]) -> Places:
    """Draw `count` categories with these weights, which add up to 1."""
    edges = (np.cumsum(weights[:-1]) * float(SPAN)).astype(np.uint64)
    return np.searchsorted(edges, numbers(stream, count), side="right").astype(np.int64)


def permutation(stream: SeededStream, count: int) -> Places:
    """Draw an order of `count` things."""
    return np.argsort(numbers(stream, count), kind="stable").astype(np.int64)
