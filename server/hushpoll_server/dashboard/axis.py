"""Axes: from figures to places along a picture's width, and the ticks that a reader can count by.

All places are percentages of the width, so a picture takes the width it gets. The law here: an axis never leaves the
range that the answers can have; its ends hold what lies beyond them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

LEFT, SPAN = 4.0, 92.0
# More steps, or steps nearer to an end than this part of the axis, would let names touch each other on a phone.
_SHORT, _STEPS, _ROOM = 4, 5, 0.12
_STEPS_IF_LONG, _ROOM_IF_LONG = 3, 0.28


@dataclass(frozen=True)
class Axis:
    """A range with the ticks to draw on it, each with its name."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def part(self, value: float) -> float:
        """Give the place of a value between the ends, from 0 to 1."""
        return (min(self.high, max(self.low, value)) - self.low) / (self.high - self.low)

    def place(self, value: float) -> float:
        """Give the place of a value in percent of the picture's width."""
        return round(LEFT + SPAN * self.part(value), 3)

    def holds(self, value: float) -> bool:
        """Tell whether a value lies on the axis."""
        return self.low <= value <= self.high

    @property
    def marks(self) -> list[tuple[float, str]]:
        """Give the places of the ticks with their names."""
        return [(self.place(value), name) for value, name in self.ticks]


SHARES = Axis(0.0, 1.0, ((0.0, "0"), (0.25, "25"), (0.5, "50"), (0.75, "75"), (1.0, "100 %")))


def range_axis(low: float, high: float) -> Axis:
    """Make the axis of a question's own range: both ends, and round numbers between them."""
    short = max(len(tick_name(end)) for end in (low, high)) <= _SHORT
    steps, room = (_STEPS, _ROOM) if short else (_STEPS_IF_LONG, _ROOM_IF_LONG)
    away = room * (high - low)
    between = [value for value in round_numbers(low, high, steps) if low + away < value < high - away]
    return Axis(low, high, tuple((value, tick_name(value)) for value in (low, *between, high)))


def round_numbers(low: float, high: float, steps: int) -> list[float]:
    """Give round numbers between two ends, equally far from each other, with about so many steps."""
    step = round_step((high - low) / steps)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [number * step for number in range(first, last + 1)]


def round_step(least: float) -> float:
    """Give the smallest of 1, 2, 2.5, 5, 10, 20 … (or 0.1, 0.2 …) that is not below a number."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 2.5, 5, 10) if times * power >= least * (1 - 1e-9))


def tick_name(value: float) -> str:
    """Write a tick's number with no more digits than it needs."""
    return f"{value:,.6g}".replace("-", "\N{MINUS SIGN}")
