"""The shape of a distribution: shaded steps over the bins.

There may be a thousand bins, so all of them are one path. Paths cannot use percentages; they are drawn in a box of
their own that is stretched over the axis. The rule here: the vertical scale follows from the highest bin, so nothing is
cut off.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from hushpoll_server.dashboard.axis import round_numbers

# The box in which paths are drawn, in units of its own: it is stretched over the axis.
BOX_WIDTH, BOX_HEIGHT = 1000, 1000
# Pixels.
HEIGHT = 170


@dataclass(frozen=True)
class Steps:
    """Bins of equal width: the estimate of each."""

    estimates: tuple[float, ...]

    @cached_property
    def top(self) -> float:
        """Return the share at the top of the chart."""
        return max(*self.estimates, 1e-6) * 1.05

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Return heights in pixels from the top, with their names in percent."""
        shares = round_numbers(0, 100 * self.top, 4)
        return [(round(HEIGHT * (1 - share / 100 / self.top), 2), f"{share:.6g} %") for share in shares]

    @property
    def line(self) -> str:
        """Return the path of the estimates."""
        bins = len(self.estimates)
        steps = (f"{self._height(share)}H{end * BOX_WIDTH / bins:.5g}" for end, share in enumerate(self.estimates, 1))
        return "M0 " + "V".join(steps)

    @property
    def area(self) -> str:
        """Return the path around the steps, down to 0."""
        return f"{self.line}V{BOX_HEIGHT}H0Z"

    def _height(self, share: float) -> str:
        return f"{BOX_HEIGHT * (1 - min(1.0, max(0.0, share / self.top))):.4g}"
