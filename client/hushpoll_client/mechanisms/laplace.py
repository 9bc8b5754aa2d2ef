"""Discrete Laplace noise on the device."""

from __future__ import annotations

from fractions import Fraction

from hushpoll_shared.mechanisms import Laplace, wire
from hushpoll_shared.mechanisms.grid import between_points
from hushpoll_shared.randomness import ByteSource, bernoulli


def draw(design: Laplace, source: ByteSource, place: Fraction) -> str:
    """Round to a point of the grid without bias, then add the difference of two geometric numbers."""
    below, threshold = between_points(place, design.steps)
    row = below + bernoulli(source, threshold)
    noisy = row + _geometric(source, design.threshold) - _geometric(source, design.threshold)
    output = min(max(noisy, -design.reach), design.steps + design.reach) + design.reach
    return wire.write_index(output, design.outputs - 1)


def _geometric(source: ByteSource, threshold: int) -> int:
    """Draw how many times in a row a 64-bit draw is below the threshold."""
    count = 0
    while bernoulli(source, threshold):
        count += 1
    return count
