"""Axes: from figures to positions along a chart's width, with ticks at round numbers.

All positions are percentages of the width, so a chart fits any width. The rule here: an axis never goes beyond the
range of the possible answers; a value outside it is placed at the nearer end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

LEFT, SPAN = 4.0, 92.0
# With more steps, or a tick closer to an end than this part of the axis, the names of ticks would touch on a phone.
_SHORT_NAME, _STEPS, _LEAST_GAP = 4, 5, 0.12
_STEPS_IF_LONG, _LEAST_GAP_IF_LONG = 3, 0.28


@dataclass(frozen=True)
class Axis:
    """A range with the ticks to draw on it, each with its name."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def part(self, value: float) -> float:
        """Return the position of a value between the ends, from 0 to 1."""
        return (min(self.high, max(self.low, value)) - self.low) / (self.high - self.low)

    def place(self, value: float) -> float:
        """Return the position of a value in percent of the chart's width."""
        return round(LEFT + SPAN * self.part(value), 3)

    def holds(self, value: float) -> bool:
        """Return whether a value lies on the axis."""
        return self.low <= value <= self.high

    @property
    def marks(self) -> list[tuple[float, str]]:
        """Return the positions of the ticks with their names."""
        return [(self.place(value), name) for value, name in self.ticks]


SHARES = Axis(0.0, 1.0, ((0.0, "0"), (0.25, "25"), (0.5, "50"), (0.75, "75"), (1.0, "100 %")))


def range_axis(low: float, high: float) -> Axis:
    """Return the axis of a question's own range: both ends, and round numbers between them."""
    short = max(len(tick_name(end)) for end in (low, high)) <= _SHORT_NAME
    steps, least_gap = (_STEPS, _LEAST_GAP) if short else (_STEPS_IF_LONG, _LEAST_GAP_IF_LONG)
    gap = least_gap * (high - low)
    between = [value for value in round_numbers(low, high, steps) if low + gap < value < high - gap]
    return Axis(low, high, tuple((value, tick_name(value)) for value in (low, *between, high)))


def round_numbers(low: float, high: float, steps: int) -> list[float]:
    """Return equally spaced round numbers between two ends, with about this many steps."""
    step = round_step((high - low) / steps)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [number * step for number in range(first, last + 1)]


def round_step(least: float) -> float:
    """Return the smallest of 1, 2, 2.5, 5, 10, 20 … (or 0.1, 0.2 …) that is not below a number."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(times * power for times in (1, 2, 2.5, 5, 10) if times * power >= least * (1 - 1e-9))


def tick_name(value: float) -> str:
    """Format the number at a tick with no more digits than it needs."""
    # People read 4,000,000 where a program would write 4e+06.
    text = f"{value:,.0f}" if 10**6 <= abs(value) < 10**9 else f"{value:,.6g}"
    return text.replace("-", "\N{MINUS SIGN}")
