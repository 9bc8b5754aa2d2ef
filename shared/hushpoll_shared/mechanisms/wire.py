"""How draws are written: fixed widths, one spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable

_HEX = re.compile(r"[0-9a-f]+", re.ASCII)


def index_width(last: int) -> int:
    """Return the number of hexadecimal digits of the largest index."""
    return len(f"{last:x}")


def write_index(index: int, last: int) -> str:
    """Write an index with as many digits as the largest one has."""
    return f"{index:0{index_width(last)}x}"


def is_index(value: object, last: int) -> bool:
    """Return whether a value is an index from 0 to `last`, in its one spelling."""
    return isinstance(value, str) and is_hex(value, index_width(last)) and int(value, 16) <= last


def mask_width(size: int) -> int:
    """Return the number of hexadecimal digits of a set of `size` possible categories."""
    return 2 * -(-size // 8)


def write_mask(members: Iterable[int], size: int) -> str:
    """Write a set: category v is bit 7 − v mod 8 of byte ⌊v/8⌋."""
    width = mask_width(size)
    return f"{sum(1 << (4 * width - 1 - member) for member in members):0{width}x}"


def read_mask(mask: str) -> list[int]:
    """Return the members of a set."""
    return [member for member, bit in enumerate(f"{int(mask, 16):0{4 * len(mask)}b}") if bit == "1"]


def is_mask(value: object, size: int, members: int) -> bool:
    """Return whether a value is a set of `members` out of `size` categories."""
    if not isinstance(value, str) or not is_hex(value, mask_width(size)):
        return False
    number = int(value, 16)
    padding = 4 * mask_width(size) - size
    return number.bit_count() == members and number & ((1 << padding) - 1) == 0


def set_width(size: int, members: int) -> int:
    """Return the number of characters of a set of `members` out of `size`: its only member, or a mask."""
    return index_width(size - 1) if members == 1 else mask_width(size)


def write_set(members: list[int], size: int) -> str:
    """Write a set as its only member, or as a mask."""
    return write_index(members[0], size - 1) if len(members) == 1 else write_mask(members, size)


def read_set(value: str, members: int) -> list[int]:
    """Return the members of a set."""
    return [int(value, 16)] if members == 1 else read_mask(value)


def has_member(value: str, member: int, members: int) -> bool:
    """Return whether a set has a member, without reading all of it."""
    if members == 1:
        return int(value, 16) == member
    # A digit has four bits: that of category v is bit 3 − v mod 4 of digit ⌊v/4⌋.
    return bool(int(value[member // 4], 16) >> (3 - member % 4) & 1)


def is_set(value: object, size: int, members: int) -> bool:
    """Return whether a value is a set of `members` out of `size` categories, in its one spelling."""
    return is_index(value, size - 1) if members == 1 else is_mask(value, size, members)


def is_hex(value: str, width: int) -> bool:
    """Return whether a text is exactly `width` lower-case hexadecimal digits."""
    return len(value) == width and _HEX.fullmatch(value) is not None
