"""Questions with shares: a row for each answer, or only the largest estimates where there are too many to read.

The rule here: a page does not grow with a codebook. It says what is left out, and how to get it.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.chart import Section
from hushpoll_server.dashboard.crosstable import CrossView, cross_view
from hushpoll_server.dashboard.panel import Panel, price_words
from hushpoll_server.estimate.results import Cell, Result

# Up to this many answers are all shown, in their own order; of more, only the largest estimates.
MOST_IN_ORDER = 30
MOST_LISTED, MOST_CHARTED = 50, 12


@dataclass(frozen=True)
class SharePanel(Panel):
    """A question whose answers have shares."""

    result: Result
    graded: tuple[Result, ...]

    view: ClassVar = "shares"

    @property
    def alone(self) -> bool:
        """Return whether there is only one share, which is then the headline."""
        return len(self.result.cells) == 1

    @property
    def sorted(self) -> bool:
        """Return whether the largest estimates are shown instead of all."""
        return len(self.result.cells) > MOST_IN_ORDER

    @cached_property
    def listed(self) -> tuple[Cell, ...]:
        """Return the cells of the table."""
        if not self.sorted:
            return self.result.cells
        return tuple(heapq.nlargest(MOST_LISTED, self.result.cells, key=_size))

    @property
    def charted(self) -> tuple[Cell, ...]:
        """Return the cells of the chart."""
        return self.listed[:MOST_CHARTED] if self.sorted else self.listed

    @property
    def together(self) -> bool:
        """Return whether several answers can be true of one respondent."""
        return not self.question.type.is_exclusive

    @cached_property
    def cross(self) -> CrossView | None:
        """Return the cross table of a pair, if it is small enough to read."""
        return cross_view(self.question.type, self.result) if self.question.type.parts else None

    @property
    def title(self) -> str:
        """Return what the chart shows, in words."""
        return f"Estimated shares: {self.question.text}"

    @cached_property
    def price(self) -> str:
        """Return the price of privacy in words: for one share exactly, for several as a range."""
        prices = [cell.price_of_privacy for cell in self.listed if cell.price_of_privacy is not None]
        if not prices:
            return formatting.NOTHING
        least, most = formatting.number(min(prices), 0), formatting.signed(max(prices), 0)
        if not self.alone:
            span = most if formatting.signed(min(prices), 0) == most else f"{least} to {most}"
            return f"{span} of the variance of each share"
        return price_words(prices[0], self.cell_sampling(self.listed[0]), self.listed[0])

    def sections(self, *, heading: str = "") -> tuple[Section, ...]:
        """Lay out a row for each charted cell; a single share in a page needs no label."""
        bare = self.alone and not heading
        rows = (self.cell_row(cell, self.by_level(cell), bare=bare) for cell in self.charted)
        return (Section(rows=tuple(rows), heading=heading),)

    def by_level(self, cell: Cell) -> tuple[Cell, ...]:
        """Return the cell with its limits at each level."""
        place = self.result.place(cell.name)
        return tuple(result.cells[place] for result in self.graded)


def _size(cell: Cell) -> float:
    return -math.inf if cell.estimate is None else cell.estimate
