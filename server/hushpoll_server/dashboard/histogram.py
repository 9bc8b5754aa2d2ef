"""The shape of a distribution: a line of steps over the bins, on shaded steps for its graded intervals.

There may be a thousand bins, so all estimates are one path, and so are all intervals of a level. Paths cannot use
percentages; they are drawn in a box of their own that is stretched over the axis. The rule here: the vertical scale
follows from the highest limit, so nothing is cut off at the top; at the bottom it is cut off at 0, as the page says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hushpoll_server.dashboard.axis import round_numbers
from hushpoll_server.estimate.intervals import Interval

# The box in which paths are drawn, in units of its own: it is stretched over the axis.
BOX_WIDTH, BOX_HEIGHT = 1000, 1000
# Pixels.
HEIGHT = 170


@dataclass(frozen=True)
class Steps:
    """Bins of equal width: the estimate of each, and intervals by rank, from the inner to the outer one."""

    estimates: tuple[float, ...]
    intervals: tuple[tuple[Interval, ...], ...]

    @cached_property
    def top(self) -> float:
        """Return the share at the top of the chart."""
        highest = max((each.high for rank in self.intervals for each in rank), default=0.0)
        return max(highest, *self.estimates, 1e-6) * 1.05

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Return heights in pixels from the top, with their names in percent."""
        shares = round_numbers(0, 100 * self.top, 4)
        return [(round(HEIGHT * (1 - share / 100 / self.top), 2), f"{share:.6g} %") for share in shares]

    @property
    def line(self) -> str:
        """Return the path of the estimates."""
        return self._right(self.estimates)

    @property
    def areas(self) -> list[tuple[int, str]]:
        """Return the paths of the intervals with their ranks, the outer one first, so that the inner ones cover it."""
        return [(rank, self._area(each)) for rank, each in reversed(list(enumerate(self.intervals)))]

    def _area(self, intervals: Sequence[Interval]) -> str:
        return self._right([each.high for each in intervals]) + self._left([each.low for each in intervals]) + "Z"

    def _right(self, shares: Sequence[float]) -> str:
        steps = (f"{self._height(share)}H{_place(end, shares)}" for end, share in enumerate(shares, start=1))
        return "M0 " + "V".join(steps)

    def _left(self, shares: Sequence[float]) -> str:
        return "".join(
            f"V{self._height(shares[start])}H{_place(start, shares)}" for start in reversed(range(len(shares)))
        )

    def _height(self, share: float) -> str:
        return f"{BOX_HEIGHT * (1 - min(1.0, max(0.0, share / self.top))):.4g}"


def _place(edge: int, shares: Sequence[float]) -> str:
    return f"{edge * BOX_WIDTH / len(shares):.5g}"
