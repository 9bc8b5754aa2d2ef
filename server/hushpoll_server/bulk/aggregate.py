"""Count what many reports support, from arrays or from the draws as they were sent.

The rule here: the counts are exactly those of `Mechanism.counters`, report by report. The form of a draw was checked
when it was received; here a text of the wrong length or alphabet is an error, not a count.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.bulk.keystream import Bytes
from hushpoll_server.bulk.subsets import chunks
from hushpoll_shared.errors import InvalidValue

Counts = NDArray[np.int64]

# These amounts at a time stay in the processor's cache.
_INDICES_AT_A_TIME = 2**18
_MASK_BYTES_AT_A_TIME = 2**22
_DRAWS_AT_A_TIME = 2**16
# At most this many masks are counted bit by bit.
_MASKS_COUNTED_BY_BIT = 256
_BLANK = "-"


def count_indices(indices: NDArray[Any], size: int) -> Counts:
    """Return, for each of `size` outputs, the number of reports with its index."""
    counts = np.zeros(size, np.int64)
    for part in chunks(len(indices), _INDICES_AT_A_TIME):
        counted = np.bincount(indices[part], minlength=size)
        if len(counted) > size:
            raise InvalidValue(f"an index is outside the domain: indices go from 0 to {size - 1}")
        counts += counted
    return counts


def count_masks(masks: Bytes, size: int) -> Counts:
    """Return, for each of `size` categories, the number of masks with its bit; one packed mask per row."""
    width = -(-size // 8)
    if masks.ndim != 2 or masks.shape[1] != width:
        raise InvalidValue(f"a mask of {size} categories has {width} bytes: give one mask per row")
    counts = np.zeros(8 * width, np.int64)
    for part in chunks(len(masks), max(1, _MASK_BYTES_AT_A_TIME // width)):
        counts += _add_up(np.ascontiguousarray(masks[part]))
    if counts[size:].any():
        raise InvalidValue(f"a mask has a bit beyond its {size} categories")
    return counts[:size]


def tally_hex(draws: Iterable[str], size: int) -> Counts:
    """Return, for each of `size` outputs, the number of draws that contain it: masks or indices in hexadecimal.

    Their length shows which: an index has the digits of size − 1, a mask two for each eight categories, which is
    always more. Blank draws (-) do not count.
    """
    digits, width = len(f"{size - 1:x}"), -(-size // 8)
    counts = np.zeros(size, np.int64)
    for part in _parts(draws):
        asked = [draw for draw in part if draw[:1] != _BLANK]
        if asked and len(asked[0]) == digits:
            counts += count_indices(_read_indices(_characters(asked, digits)), size)
        elif asked:
            counts += count_masks(_read_masks(_characters(asked, 2 * width)), size)
    return counts


def supports_of_hex(draws: Iterable[str], size: int) -> NDArray[np.uint8]:
    """Return a row for each draw, with 1 for the outputs that it contains: masks or indices, as in `tally_hex`."""
    listed, digits, width = list(draws), len(f"{size - 1:x}"), -(-size // 8)
    if len(listed[0]) == digits:
        return np.eye(size, dtype=np.uint8)[_read_indices(_characters(listed, digits))]
    return np.unpackbits(_read_masks(_characters(listed, 2 * width)), axis=1)[:, :size]


def _add_up(masks: Bytes) -> Counts:
    """Return the sums of bits, by full adders on whole arrays: three rows become one row of sums and one of carries.

    Carries have twice the weight and are added up in the next round. a + b + c = (a⊕b⊕c) + 2·((a⊕b)·c ∨ a·b).
    """
    width, weight = masks.shape[1], 1
    total = np.zeros(8 * width, np.int64)
    while len(masks) > _MASKS_COUNTED_BY_BIT:
        carries = []
        while len(masks) > _MASKS_COUNTED_BY_BIT:
            # Eight rows fill whole words, whatever the width of a row.
            third = len(masks) // 24 * 8
            total += weight * _count_bits(masks[3 * third :])
            a, b, c = masks[: 3 * third].reshape(3, -1).view(np.uint64)
            half = a ^ b
            masks = (half ^ c).view(np.uint8).reshape(third, width)
            half &= c
            half |= a & b
            carries.append(half.view(np.uint8).reshape(third, width))
        total += weight * _count_bits(masks)
        masks, weight = np.concatenate(carries), 2 * weight
    return total + weight * _count_bits(masks)


def _count_bits(masks: Bytes) -> Counts:
    counts: Counts = np.unpackbits(masks, axis=1).sum(axis=0, dtype=np.int64)
    return counts


def _parts(draws: Iterable[str]) -> Iterable[list[str]]:
    rest = iter(draws)
    return iter(lambda: list(islice(rest, _DRAWS_AT_A_TIME)), [])


def _characters(draws: list[str], width: int) -> Bytes:
    if set(map(len, draws)) != {width}:
        raise InvalidValue(f"a draw must have {width} characters, like all the others")
    # What is not ASCII becomes a question mark, which no draw contains.
    return np.frombuffer("".join(draws).encode("ascii", "replace"), np.uint8).reshape(len(draws), width)


def _read_masks(characters: Bytes) -> Bytes:
    number, digits = characters.shape
    return np.frombuffer(_from_hex(characters.tobytes()), np.uint8).reshape(number, digits // 2)


def _read_indices(characters: Bytes) -> NDArray[np.int64]:
    # A leading zero makes the number of digits even, so that an index is a few whole bytes.
    padded = np.pad(characters, ((0, 0), (characters.shape[1] % 2, 0)), constant_values=ord("0"))
    octets = _read_masks(padded)
    indices: NDArray[np.int64] = octets @ 256 ** np.arange(octets.shape[1] - 1, -1, -1)
    return indices


def _from_hex(text: bytes) -> bytes:
    try:
        octets = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        octets = b""
    # Compared with the original, because `fromhex` also accepts capitals and white space.
    if octets.hex().encode() != text:
        raise InvalidValue("a draw must be written in hexadecimal digits, in lower case")
    return octets
