"""Bounded noise: each answer is wrong by at most a few, and never by more. It looks careful and is not."""

from __future__ import annotations

from hushpoll_server.lab.stream import Places, SeededStream, wholes


def bounded_noise(stream: SeededStream, count: int, bound: int) -> Places:
    """Draw `count` whole numbers from −bound to bound, all equally likely."""
    return wholes(stream, count, 2 * bound + 1) - bound


def variance(bound: int) -> float:
    """Return the variance of this noise: E(E + 1)/3."""
    return bound * (bound + 1) / 3


def success_of_repeating(bound: int, times: int) -> float:
    """Return how often the best guess of a bit is right after so many answers with fresh noise.

    An answer decides when its noise is at the end that the other bit cannot reach, which happens with probability
    1/(2E + 1); all others are equally likely under both bits: 1 − ½(1 − 1/(2E + 1))^t.
    """
    return 1 - (1 - 1 / (2 * bound + 1)) ** times / 2
