"""Padding and sampling on the device."""

from __future__ import annotations

from itertools import compress

from hushpoll_client.mechanisms import subset
from hushpoll_shared.mechanisms import Padded
from hushpoll_shared.randomness import ByteSource, uniform


def draw(design: Padded, source: ByteSource, ticks: tuple[int, ...]) -> str:
    """Draw one of the ticked options and the blanks that pad them, and report it by subset selection."""
    place = uniform(source, design.most)
    ticked = list(compress(range(design.options), ticks))
    padded = ticked + [design.options + blank for blank in range(len(ticked), design.most)]
    return subset.draw(design.inner, source, padded[place])
