"""Counters with one for each output, named in hexadecimal as draws are."""

from __future__ import annotations

from hushpoll_server.mechanisms.mechanism import TOTAL, Counters


def histogram_of(counts: Counters, outputs: int) -> list[int]:
    """Return the counts of all outputs in their order."""
    histogram = [0] * outputs
    for name, count in counts.items():
        if name != TOTAL:
            histogram[int(name, 16)] = count
    return histogram
