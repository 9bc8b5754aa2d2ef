"""Sources of bytes for tests of bulk draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chisquare

from hushpoll_server.bulk.keystream import Bytes, encrypting


class FixedKeystream:
    """The keystream of a fixed key: the same bytes in every run, so that a statistical test cannot fail by chance."""

    def __init__(self, key: int = 0) -> None:
        self._cipher = encrypting(key.to_bytes(16, "big"), bytes(16))

    def take(self, count: int) -> Bytes:
        return np.frombuffer(self._cipher.update(bytes(count)), np.uint8).copy()


class GivenBytes:
    """Bytes that a test has chosen."""

    def __init__(self, *parts: NDArray[Any]) -> None:
        self.rest = np.concatenate([part.reshape(-1).view(np.uint8) for part in parts])

    def take(self, count: int) -> Bytes:
        taken, self.rest = self.rest[:count].copy(), self.rest[count:]
        assert len(taken) == count
        return taken


def surprise(counts: ArrayLike, expected: ArrayLike) -> float:
    """Return the p-value of a chi-square test of counts against their expectations."""
    return float(chisquare(np.asarray(counts, np.float64), np.asarray(expected, np.float64)).pvalue)
