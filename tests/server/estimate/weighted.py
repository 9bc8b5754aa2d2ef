"""The figures of a cell that must exist, as plain numbers."""

from __future__ import annotations

from typing import Any, NamedTuple


class Known(NamedTuple):
    """Figures that are there."""

    estimate: float
    se: float
    low: float
    high: float

    def holds(self, share: float) -> bool:
        """Return whether the interval holds a share."""
        return bool(self.low <= share <= self.high)


def known(cell: Any) -> Known:
    """Return the figures of a cell, a mean or a pooled share; one that is None fails the test."""
    return Known(*(float(getattr(cell, name)) for name in Known._fields))
