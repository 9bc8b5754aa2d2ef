"""Subset selection on the device."""

from __future__ import annotations

from hushpoll_shared.mechanisms import Subset, wire
from hushpoll_shared.randomness import ByteSource, bernoulli, choose


def draw(design: Subset, source: ByteSource, code: int) -> str:
    """Draw a set that contains the truth with probability threshold / 2^64."""
    if design.size == 2:
        # Warner's design in half the time: with two categories there is only one other. Arithmetic on the coin, as
        # below; the same bytes give the same draw.
        return "01"[code ^ 1 ^ bernoulli(source, design.threshold)]
    return wire.write_set(draw_members(design, source, code), design.size)


def draw_members(design: Subset, source: ByteSource, code: int) -> list[int]:
    """Draw a set: `picks` of the other categories, the last of them replaced by the truth if the coin says so."""
    keep = bernoulli(source, design.threshold)
    # The other categories are numbered from 0, skipping the truth.
    members = [other + (other >= code) for other in choose(source, design.size - 1, design.picks)]
    # Arithmetic, because a branch on the coin is visible in the timing.
    members[-1] += keep * (code - members[-1])
    return members
