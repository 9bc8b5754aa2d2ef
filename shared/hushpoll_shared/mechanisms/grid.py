"""A public grid on the range of a number, and how a number is placed on it.

The rule here: a number is the exact value of its binary representation; it is clamped to the range on the device. The
privacy guarantee holds for every point of the grid, so rounding the input does not affect it.
"""

from __future__ import annotations

from fractions import Fraction

from hushpoll_shared.randomness import SPAN


def position(value: int | float, low: Fraction, high: Fraction) -> Fraction:
    """Return the place of a number in its range, from 0 to 1."""
    return (min(max(Fraction(value), low), high) - low) / (high - low)


def between_points(place: Fraction, steps: int) -> tuple[int, int]:
    """Return the grid point below a place, and the threshold over 2^64 for taking the one above it instead."""
    below = min(int(place * steps), steps - 1)
    return below, int((place * steps - below) * SPAN)


def bin_of(place: Fraction, bins: int) -> int:
    """Return the bin that holds a place."""
    return min(int(place * bins), bins - 1)
