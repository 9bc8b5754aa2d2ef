"""The sampled Hamming ball on the device."""

from __future__ import annotations

from hushpoll_shared.mechanisms import Ball
from hushpoll_shared.mechanisms.ball import pattern
from hushpoll_shared.randomness import ByteSource, bernoulli, choose, uniform


def draw(design: Ball, source: ByteSource, ticks: tuple[int, ...]) -> str:
    """Draw the options to ask, and ticks that agree with the truth in many of them more often than by chance."""
    asked = sorted(choose(source, design.options, design.asked))
    keep = bernoulli(source, design.threshold)
    near, far = uniform(source, design.inside), design.inside + uniform(source, design.outside)
    flips = pattern(design.asked, far + keep * (near - far))
    marks = ["-"] * design.options
    for place, option in enumerate(asked):
        marks[option] = "01"[ticks[option] ^ (flips >> place & 1)]
    return "".join(marks)
