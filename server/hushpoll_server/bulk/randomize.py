"""The draws of many reports at once, for simulations and gateways.

The law of distribution is exactly that of the single draws in `hushpoll_client.draw`: the same integer thresholds over
2^64, choices without bias, uniform subsets. The bytes are not: the keystream is used in another order, so the vectors
of the single draws do not apply. Codes in, reports out; nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.bulk.keystream import BulkSource, Bytes, Keystream
from hushpoll_server.bulk.projective import draw_points
from hushpoll_server.bulk.subsets import chunks, draw_masks
from hushpoll_server.bulk.uniform import Flags, Numbers, bernoulli, uniform
from hushpoll_shared.designs.projective import number_of_points
from hushpoll_shared.errors import InvalidValue

Codes = NDArray[np.integer[Any]]
Out = TypeVar("Out", bound=NDArray[Any])

NOT_ASKED, ZERO = ord("-"), ord("0")
# What is worked on at a time stays in the processor's cache.
_CHUNK = 2**16
_LARGEST_SIZE = 2**32 - 1
_MOST_ASKED = 32


def warner(codes: Codes, *, threshold: int, source: BulkSource | None = None) -> Bytes:
    """Give each answer (0 or 1), or its opposite where a 64-bit draw is not below the threshold."""
    _check(codes, 2)
    source = source or Keystream()

    def draw(part: Codes) -> Bytes:
        turned = ~bernoulli(source, len(part), threshold)
        return part.astype(np.uint8) ^ turned.view(np.uint8)

    return _in_chunks(draw, codes, np.empty(len(codes), np.uint8))


def index(codes: Codes, *, size: int, threshold: int, source: BulkSource | None = None) -> Numbers:
    """Draw k-ary randomized response (subset selection with one pick): the index of one category for each report."""
    _check(codes, size)
    source = source or Keystream()
    kind = np.min_scalar_type(size - 1)

    def draw(part: Codes) -> Numbers:
        own, keep = part.astype(kind), bernoulli(source, len(part), threshold)
        other = uniform(source, len(part), size - 1).astype(kind)
        # Skip the own category; then take it where the coin says so: other XOR ((other XOR own) AND keep).
        other += other >= own
        own ^= other
        own *= keep
        other ^= own
        return other

    return _in_chunks(draw, codes, np.empty(len(codes), kind))


def subset(codes: Codes, *, size: int, picks: int, threshold: int, source: BulkSource | None = None) -> Bytes:
    """Draw subset selection: a packed mask of `picks` categories for each report, one report a row.

    A row is what the wire holds in hexadecimal: category v is bit 7 − v mod 8 of byte ⌊v/8⌋.
    """
    _check(codes, size)
    if not 0 < picks < size:
        raise InvalidValue(f"picks must be between 1 and {size - 1}: fewer than the categories")
    source = source or Keystream()
    return draw_masks(source, codes, bernoulli(source, len(codes), threshold), size=size, picks=picks)


def projective(
    codes: Codes, *, size: int, field: int, dimension: int, threshold: int, source: BulkSource | None = None
) -> Numbers:
    """Draw projective geometry response: the index of one point for each report."""
    _check(codes, size)
    points = number_of_points(dimension, field)
    if size > points:
        raise InvalidValue(f"there are only {points} points for {size} categories: raise the dimension")
    source = source or Keystream()

    def draw(part: Codes) -> Any:
        keep = bernoulli(source, len(part), threshold)
        return draw_points(source, part, keep, field=field, dimension=dimension)

    return _in_chunks(draw, codes, np.empty(len(codes), np.min_scalar_type(points - 1)))


def wave(codes: Codes, *, bins: int, half: int, threshold: int, source: BulkSource | None = None) -> Numbers:
    """Draw the square wave: an output near the answer's bin where the coin says so, else one of the others."""
    _check(codes, bins)
    source = source or Keystream()
    kind = np.min_scalar_type(bins + 2 * half)

    def draw(part: Codes) -> Numbers:
        own, keep = part.astype(kind), bernoulli(source, len(part), threshold)
        near = own + uniform(source, len(part), 2 * half + 1).astype(kind)
        far = uniform(source, len(part), bins - 1).astype(kind)
        far += (far >= own) * kind.type(2 * half + 1)
        return np.where(keep, near, far)

    return _in_chunks(draw, codes, np.empty(len(codes), kind))


def ball(ticked: Flags, *, asked: int, agree: int, threshold: int, source: BulkSource | None = None) -> Bytes:
    """Draw the sampled Hamming ball: a row of the characters - 0 1 for each report, one for each option.

    `ticked` has a row for each respondent and a column for each option.
    """
    if ticked.ndim != 2 or ticked.dtype != np.bool_ or not 1 <= agree <= asked <= min(ticked.shape[1], _MOST_ASKED):
        raise InvalidValue(f"ticked must be a table of flags, with 1 ≤ agree ≤ asked ≤ options, {_MOST_ASKED} at most")
    source = source or Keystream()
    inside = sum(comb(asked, number) for number in range(agree, asked + 1))

    def draw(part: Flags) -> Bytes:
        keep = bernoulli(source, len(part), threshold)
        near = uniform(source, len(part), inside).astype(np.int64)
        far = uniform(source, len(part), 2**asked - inside).astype(np.int64) + inside
        flips = _patterns(np.where(keep, near, far), asked)
        reports = np.full(part.shape, NOT_ASKED, np.uint8)
        places = _asked_options(source, part.shape, asked)
        # Both go through the options in increasing order, report by report.
        reports[places] = ZERO + (part[places] ^ flips.reshape(-1))
        return reports

    return _in_chunks(draw, ticked, np.empty(ticked.shape, np.uint8))


def _asked_options(source: BulkSource, shape: tuple[int, ...], asked: int) -> Flags:
    number, options = shape
    # One category more, which everybody has and nobody keeps: the subset is drawn from all the options.
    nobody, own = np.zeros(number, np.bool_), np.full(number, options)
    masks = draw_masks(source, own, nobody, size=options + 1, picks=asked)
    return np.unpackbits(masks, axis=1, count=options).view(np.bool_)


def _patterns(numbers: NDArray[np.int64], asked: int) -> Flags:
    """Give the patterns with these numbers: fewer flips first, then in the order of the single draw."""
    choose = np.array([[comb(i, w) for w in range(asked + 1)] for i in range(asked + 1)], np.int64)
    starts = np.concatenate([[0], np.cumsum(choose[asked])])
    weight = np.searchsorted(starts, numbers, side="right") - 1
    rest = numbers - starts[weight]
    flips = np.empty((len(numbers), asked), np.bool_)
    for i in reversed(range(asked)):
        below = choose[i, weight]
        flips[:, i] = rest >= below
        rest -= below * flips[:, i]
        weight -= flips[:, i]
    return flips


def _check(codes: Codes, size: int) -> None:
    if not 2 <= size <= _LARGEST_SIZE:
        raise InvalidValue("a question needs from 2 to 2^32 − 1 categories")
    if codes.ndim != 1 or not np.issubdtype(codes.dtype, np.integer):
        raise InvalidValue("codes must be an array of whole numbers, one for each respondent")
    if len(codes) and not (codes.min() >= 0 and codes.max() < size):
        raise InvalidValue(f"a code is outside the domain: codes go from 0 to {size - 1}")


def _in_chunks(draw: Callable[[Any], NDArray[Any]], given: NDArray[Any], out: Out) -> Out:
    for part in chunks(len(given), _CHUNK):
        out[part] = draw(given[part])
    return out
