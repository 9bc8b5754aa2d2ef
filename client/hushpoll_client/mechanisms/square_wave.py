"""The square wave on the device."""

from __future__ import annotations

from fractions import Fraction

from hushpoll_shared.mechanisms import SquareWave, wire
from hushpoll_shared.mechanisms.grid import bin_of
from hushpoll_shared.randomness import ByteSource, bernoulli, uniform


def draw(design: SquareWave, source: ByteSource, place: Fraction | int) -> str:
    """Draw an output near the truth's bin, or near an extra, with probability threshold / 2^64."""
    truth = design.first_near(place) if isinstance(place, int) else bin_of(place, design.bins)
    keep = bernoulli(source, design.threshold)
    near = truth + uniform(source, design.inside)
    far = uniform(source, design.outside)
    far += (far >= truth) * design.inside
    return wire.write_index(far + keep * (near - far), design.outputs - 1)
