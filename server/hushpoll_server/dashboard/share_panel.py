"""Questions with shares: one row for each answer, the largest ones alone where there are too many to read.

The law here: a page never grows with a codebook. What is left out is said, with the way to get it.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from hushpoll_server.dashboard import figures
from hushpoll_server.dashboard.chart import Section
from hushpoll_server.dashboard.crosstable import CrossView, cross_view
from hushpoll_server.dashboard.panel import Panel, price_words
from hushpoll_server.estimate import Cell, Result
from hushpoll_shared.questions import MultiChoice, Pair

# So many answers are all shown, in their own order; of more, the largest estimates.
MOST_IN_ORDER = 30
LISTED, CHARTED = 50, 12


@dataclass(frozen=True)
class SharePanel(Panel):
    """A question whose answers have shares."""

    result: Result
    graded: tuple[Result, ...]

    view: ClassVar = "shares"

    @property
    def alone(self) -> bool:
        """Tell whether there is one share only, which is then the headline."""
        return len(self.result.cells) == 1

    @property
    def sorted(self) -> bool:
        """Tell whether the largest estimates are shown instead of all."""
        return len(self.result.cells) > MOST_IN_ORDER

    @cached_property
    def listed(self) -> tuple[Cell, ...]:
        """Give the cells of the table."""
        if not self.sorted:
            return self.result.cells
        return tuple(heapq.nlargest(LISTED, self.result.cells, key=_size))

    @property
    def charted(self) -> tuple[Cell, ...]:
        """Give the cells of the chart."""
        return self.listed[:CHARTED] if self.sorted else self.listed

    @property
    def together(self) -> bool:
        """Tell whether several answers can be true of one respondent."""
        return isinstance(self.question.kind, MultiChoice)

    @cached_property
    def cross(self) -> CrossView | None:
        """Give the cross table of a pair, if it is small enough to be read."""
        return cross_view(self.question.kind, self.result) if isinstance(self.question.kind, Pair) else None

    @property
    def title(self) -> str:
        """Say what the picture shows."""
        return f"Estimated shares: {self.question.text}"

    @property
    def price(self) -> str:
        """Say in words what the privacy costs, for one share exactly, for several by their range."""
        prices = [cell.price_of_privacy for cell in self.listed if cell.price_of_privacy is not None]
        if not prices:
            return figures.NOTHING
        least, most = figures.number(min(prices), 0), figures.signed(max(prices), 0)
        if not self.alone:
            span = most if figures.signed(min(prices), 0) == most else f"{least} to {most}"
            return f"{span} of the variance of each share"
        return price_words(prices[0], self.cell_sampling(self.listed[0]), self.listed[0])

    def sections(self, *, heading: str = "") -> tuple[Section, ...]:
        """Lay out a row for each charted cell; alone in a page, one share needs no label."""
        bare = self.alone and not heading
        rows = (self.cell_row(cell, self._by_level(cell), bare=bare) for cell in self.charted)
        return (Section(rows=tuple(rows), heading=heading),)

    def _by_level(self, cell: Cell) -> tuple[Cell, ...]:
        place = self.result.place(cell.name)
        return tuple(result.cells[place] for result in self.graded)


def _size(cell: Cell) -> float:
    return -math.inf if cell.estimate is None else cell.estimate
