"""Repeated draws on the device: this wave's draw of the permanent draw (permanent.py)."""

from __future__ import annotations

from hushpoll_client.mechanisms import subset
from hushpoll_shared.mechanisms import Repeated
from hushpoll_shared.randomness import ByteSource


def draw(design: Repeated, source: ByteSource, permanent: int) -> str:
    """Draw this wave's report from the permanent draw of the answer."""
    return subset.draw(design.second, source, permanent)
