"""Subset selection for many reports at once, for studies and for the comparison with other libraries.

The law is exactly that of the single draws in `hushpoll_client.mechanisms`: the same integer thresholds over 2^64,
unbiased choices, uniform subsets. The random bytes are used in a different order, so the vectors of the single draws do
not apply. Codes in, reports out; nothing is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.bulk.keystream import BulkSource, Bytes, Keystream
from hushpoll_server.bulk.subsets import chunks, draw_masks
from hushpoll_server.bulk.uniform import Numbers, bernoulli, uniform
from hushpoll_shared.errors import InvalidValue

Codes = NDArray[np.integer[Any]]
Out = TypeVar("Out", bound=NDArray[Any])

# This many at a time stay in the processor's cache.
_CODES_AT_A_TIME = 2**16
_LARGEST_SIZE = 2**32 - 1


def index(codes: Codes, *, size: int, threshold: int, source: BulkSource | None = None) -> Numbers:
    """Draw k-ary randomized response (subset selection with one pick): the index of one category for each report."""
    _check(codes, size)
    source = source or Keystream()
    dtype = np.min_scalar_type(size - 1)

    def draw(part: Codes) -> Numbers:
        own, keep = part.astype(dtype), bernoulli(source, len(part), threshold)
        other = uniform(source, len(part), size - 1).astype(dtype)
        # Skip the own category; then take it where `keep` is set: other XOR ((other XOR own) AND keep).
        other += other >= own
        own ^= other
        own *= keep
        other ^= own
        return other

    return _in_chunks(draw, codes, np.empty(len(codes), dtype))


def subset(codes: Codes, *, size: int, picks: int, threshold: int, source: BulkSource | None = None) -> Bytes:
    """Draw subset selection: a packed mask of `picks` categories for each report, one report per row.

    A row is what a report has in hexadecimal: category v is bit 7 − v mod 8 of byte ⌊v/8⌋.
    """
    _check(codes, size)
    if not 0 < picks < size:
        raise InvalidValue(f"picks must be between 1 and {size - 1}: fewer than the categories")
    source = source or Keystream()
    return draw_masks(source, codes, bernoulli(source, len(codes), threshold), size=size, picks=picks)


def _check(codes: Codes, size: int) -> None:
    if not 2 <= size <= _LARGEST_SIZE:
        raise InvalidValue("a question needs from 2 to 2^32 − 1 categories")
    if codes.ndim != 1 or not np.issubdtype(codes.dtype, np.integer):
        raise InvalidValue("codes must be an array of whole numbers, one for each respondent")
    if len(codes) and not (codes.min() >= 0 and codes.max() < size):
        raise InvalidValue(f"a code is outside the domain: codes go from 0 to {size - 1}")


def _in_chunks(draw: Callable[[Any], NDArray[Any]], codes: NDArray[Any], out: Out) -> Out:
    for part in chunks(len(codes), _CODES_AT_A_TIME):
        out[part] = draw(codes[part])
    return out
