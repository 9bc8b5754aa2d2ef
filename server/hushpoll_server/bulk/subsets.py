"""Uniformly random subsets of a fixed size as bit masks, many at a time.

For each report: a set of `target` categories that includes its own, drawn so that every such set is equally likely.
Two steps, each on whole arrays of 64-bit words:

1. Independent bits, each set with a probability slightly below the target share, made of a few random words by AND and
   OR; the own bit is set. Of four such masks, made by inverting two of the random words, the fullest that is not too
   full is kept; if all are too full, only the own category.
2. While members are missing: draw a category, and add it if it is not a member yet.

Proof that the sets are uniform. Let permutations of the categories, one for each report, that fix its own category act
on the random words, the masks and the drawn categories. No such permutation changes the law of words of independent
fair bits and of uniform categories, and masks are made of words category by category. Which mask is kept, and
whether a category is added, depends on numbers of members and on membership of the drawn category, which a permutation
does not change. Hence it does not change the joint law of all results either. The results are sets of `target`
categories that include the own one, and permutations map each of these sets to every other. So for each report,
whatever the other reports are, all of these sets have the same probability. The tuning of the first step only affects
the speed. ∎
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import ceil, log2, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.bulk.keystream import BulkSource, Bytes
from hushpoll_server.bulk.uniform import Flags
from hushpoll_shared.errors import InvalidValue

Words = NDArray[np.uint64]
Counts = NDArray[np.unsignedinteger[Any]]

WORD = 64
LARGEST = 2**16
# How many words are processed at a time, in the processor's cache and in all.
_CHUNK_WORDS, _BLOCK_WORDS = 2**15, 2**18
# Fewer members than this are drawn one by one.
_FEWEST_MASKED_PICKS = 8
# A chunk stops when one in this many of its reports is incomplete; those of all chunks are completed together.
_STOP_AT_ONE_IN = 8
_MOST_SHARE_DIGITS = 8
_ALL_BITS = np.array([0, 2**64 - 1], np.uint64)


@dataclass(frozen=True)
class WordLayout:
    """How categories map to words: word w of report i is `words[w, i]`, its bytes in the order of the wire format."""

    size: int
    # For each word and category: the category's bit, if it is in this word.
    bits: Words
    # For each word: the bits of all categories.
    valid: Words
    # For each value of a random byte (of two bytes, from 257 categories on): the word and the bit of the category that
    # it draws. Values that would make some categories more likely than others draw nothing: their bit is zero.
    draw: np.dtype[Any]
    drawn_word: NDArray[np.intp]
    drawn_bit: Words

    @property
    def width(self) -> int:
        """Return the number of bytes of one mask."""
        return -(-self.size // 8)


@cache
def layout_of(size: int) -> WordLayout:
    """Return the layout of this many categories."""
    identity = np.eye(size, -(-size // WORD) * WORD, dtype=np.uint8)
    bits = np.packbits(identity, axis=1).view(np.uint64).T.copy()
    draw = np.dtype(np.uint8 if size <= 2**8 else np.uint16)
    values = np.arange(2 ** (8 * draw.itemsize))
    word, fair = values % size // WORD, values < len(values) - len(values) % size
    valid = np.bitwise_or.reduce(bits, axis=1, keepdims=True)
    return WordLayout(size, bits, valid, draw, word, bits[word, values % size] * fair)


def draw_masks(source: BulkSource, codes: NDArray[Any], keep: Flags, *, size: int, picks: int) -> Bytes:
    """Return a uniformly random set of `picks` categories for each report, with its code if `keep`, else without it."""
    if size > LARGEST:
        raise InvalidValue(f"subsets are drawn of at most {LARGEST} categories")
    layout, share = layout_of(size), _share(size, picks)
    masks = np.empty((len(codes), layout.width), np.uint8)
    for block in chunks(len(codes), max(1, _BLOCK_WORDS // len(layout.bits))):
        own = np.stack([bits.take(codes[block]) for bits in layout.bits])
        # The own category is a member until the end, so that it cannot be drawn: if it is removed, one more is needed.
        target = np.subtract(picks + 1, keep[block], dtype=np.min_scalar_type(size))
        words = _draw_words(source, own, target, layout, share)
        words ^= own * ~keep[block]
        masks[block] = np.ascontiguousarray(words.T).view(np.uint8)[:, : layout.width]
    return masks


def chunks(number: int, rows: int) -> Iterator[slice]:
    """Return slices that cut this many rows into parts."""
    return (slice(start, start + rows) for start in range(0, number, rows))


def _draw_words(source: BulkSource, own: Words, target: Counts, layout: WordLayout, share: tuple[bool, ...]) -> Words:
    words, missing = np.empty_like(own), np.empty_like(target)
    left = []
    for part in chunks(len(target), max(1, _CHUNK_WORDS // len(own))):
        started, members = _start(source, own[:, part], target[part], layout, share)
        missing[part] = target[part] - members
        rows = np.flatnonzero(missing[part])
        left.append(part.start + _fill(source, started, rows, missing[part], layout, len(rows) // _STOP_AT_ONE_IN))
        words[:, part] = started
    _fill(source, words, np.concatenate(left), missing, layout, 0)
    return words


def _start(
    source: BulkSource, own: Words, target: Counts, layout: WordLayout, share: tuple[bool, ...]
) -> tuple[Words, Counts]:
    """Return masks of independent bits that are not too full, and their numbers of members."""
    members, choice = np.ones_like(target), np.zeros(len(target), np.uint8)
    if not share:
        return own.copy(), members
    random = source.take(8 * own.size * len(share)).view(np.uint64).reshape(len(share), *own.shape)
    *lower, second, first = random
    rest = _put_in_front(share[:-2], lower, np.zeros_like(own[:, :1]))
    for candidate, leading in enumerate(product((second, ~second), (first, ~first))):
        words = _add_own(_put_in_front(share[-2:], leading, rest), own, layout)
        number = np.bitwise_count(words).sum(axis=0, dtype=target.dtype)
        number *= number <= target
        # Arithmetic on bytes, because selecting among words costs ten times as much.
        choice ^= (choice ^ np.uint8(candidate)) * (number > members)
        np.maximum(members, number, out=members)
    second ^= _ALL_BITS.take(choice >> 1)
    first ^= _ALL_BITS.take(choice & 1)
    words = _add_own(_put_in_front(share[-2:], (second, first), rest), own, layout)
    none_fits = np.flatnonzero(members == 1)
    words[:, none_fits] = own[:, none_fits]
    return words, members


def _put_in_front(digits: Sequence[bool], random: Iterable[Words], words: Words) -> Words:
    """Return words whose probability of a set bit has these binary digits in front."""
    # For a fair bit r: P(r or w) = (1 + P(w))/2 and P(r and w) = P(w)/2.
    for digit, fair in zip(digits, random, strict=True):
        words = fair | words if digit else fair & words
    return words


def _add_own(words: Words, own: Words, layout: WordLayout) -> Words:
    words &= layout.valid
    words |= own
    return words


def _share(size: int, picks: int) -> tuple[bool, ...]:
    """Return the binary digits, last to first, of a share below the target, as coarse as the deviation allows.

    Floats are safe here: the share does not affect the law, only the speed.
    """
    if picks < _FEWEST_MASKED_PICKS:
        return ()
    most = (picks - 1) / (size - 1)
    deviation = sqrt(size * most * (1 - most)) or 1.0
    digits = min(_MOST_SHARE_DIGITS, ceil(log2(size / deviation)))
    binary = f"{int(most * 2**digits):0{digits}b}"
    # The first two digits are needed even if they are zeros: the four masks come from inverting their words.
    return tuple(digit == "1" for digit in reversed(binary[:2] + binary[2:].rstrip("0")))


def _fill(
    source: BulkSource, words: Words, rows: NDArray[np.intp], missing: Counts, layout: WordLayout, few: int
) -> NDArray[np.intp]:
    """Add drawn categories to these rows, one to each at a time, until few rows miss any; return those."""
    flat, first = words.reshape(-1), layout.drawn_word * words.shape[1]
    needed = missing.take(rows)
    while rows.size > few:
        draw = source.take(rows.size * layout.draw.itemsize).view(layout.draw).astype(np.intp)
        place = first.take(draw)
        place += rows
        before = flat.take(place)
        after = before | layout.drawn_bit.take(draw)
        flat[place] = after
        needed -= after != before
        left = np.flatnonzero(needed)
        rows, needed = rows.take(left), needed.take(left)
    missing[rows] = needed
    return rows
