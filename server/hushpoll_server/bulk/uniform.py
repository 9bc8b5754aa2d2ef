"""Exact draws for many reports at once: the vectorised counterparts of `hushpoll_shared.randomness`.

The rule here: all probabilities are integers over 2^64 and no draw is biased, however slightly. The random bytes are
used in a different order, and fewer of them, than by a single report.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.bulk.keystream import BulkSource
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN

Flags = NDArray[np.bool_]
Numbers = NDArray[np.unsignedinteger[Any]]

LARGEST_SIZE = 2**32
# Up to this size two bytes per draw are enough: at most one draw in sixteen is rejected.
_LARGEST_TWO_BYTE_SIZE = 2**12


def bernoulli(source: BulkSource, count: int, threshold: int) -> Flags:
    """Draw `count` flags, each true with probability threshold / 2^64."""
    if not 0 < threshold < SPAN:
        raise InvalidValue("a threshold must be above 0 and below 2^64: otherwise there is nothing to draw")
    return source.take(8 * count).view(np.uint64) < np.uint64(threshold)


def uniform(source: BulkSource, count: int, size: int) -> Numbers:
    """Draw `count` numbers of 0 … size − 1, all equally likely.

    With x uniform below L = 2^b, the draw is ⌊x·size/L⌋, unless x·size mod L is below L mod size: then it is
    repeated. What remains for the number i is an interval of L − L mod size integers, in which exactly ⌊L/size⌋ are
    multiples x·size: equally many for each i (Lemire 2019).
    """
    if not 0 < size <= LARGEST_SIZE:
        raise InvalidValue("the size of a uniform draw must be between 1 and 2^32")
    numbers, rejected = _multiply(source, count, size)
    while rejected.size:
        numbers[rejected], again = _multiply(source, rejected.size, size)
        rejected = rejected[again]
    return numbers


def _multiply(source: BulkSource, count: int, size: int) -> tuple[Numbers, NDArray[np.intp]]:
    """Return ⌊x·size/L⌋ for fresh x, and the places whose remainder is below L mod size."""
    bits = 16 if size <= _LARGEST_TWO_BYTE_SIZE else 32
    narrow, wide = np.dtype(f"u{bits // 8}"), np.dtype(f"u{bits // 4}")
    products: Numbers = source.take(count * bits // 8).view(narrow).astype(wide)
    products *= wide.type(size)
    rejected = np.flatnonzero(products.astype(narrow) < narrow.type(2**bits % size))
    products >>= wide.type(bits)
    return products, rejected
