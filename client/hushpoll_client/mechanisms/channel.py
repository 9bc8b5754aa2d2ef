"""A finite unbiased channel on the device."""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction

from hushpoll_shared.mechanisms import Channel, wire
from hushpoll_shared.mechanisms.grid import between_points
from hushpoll_shared.randomness import ByteSource, bernoulli, u64


def draw(design: Channel, source: ByteSource, place: Fraction | int) -> str:
    """Round to a point of the grid without bias, then draw an output from its row; an extra has a row of its own."""
    below, threshold = (design.inputs + place, 0) if isinstance(place, int) else between_points(place, design.steps)
    row = below + bernoulli(source, threshold)
    output = bisect_right(design.table[row], u64(source))
    return wire.write_index(output, len(design.values) - 1)
