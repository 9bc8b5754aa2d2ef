"""One question of a cross table that comes from counts: each report names one of its answers.

The rule here: every answer has two chances, of a report that names it if it is true and if it is not, so that designs
in which yes and no are not treated alike fit as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from hushpoll_server.estimate.joint import NAMES_ONE
from hushpoll_server.estimate.results import Cell
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import Counts, Figures, SupportDesign
from hushpoll_server.estimate.tables.cross_separate import CrossedQuestion
from hushpoll_server.estimate.yes_no_designs import YesNoDesign


@dataclass(frozen=True, kw_only=True)
class Side:
    """One question: its answers, and for each the chance of a report that names it if it is true, and if it is not."""

    answers: tuple[str, ...]
    designs: tuple[SupportDesign, ...]

    @classmethod
    def yes_no(cls, design: YesNoDesign) -> Self:
        """Return a yes/no question; its first answer is yes."""
        yes = design.support
        return cls(answers=("yes", "no"), designs=(yes, SupportDesign(1 - yes.q, 1 - yes.p)))

    @classmethod
    def names_one(cls, size: int, design: SupportDesign) -> Self:
        """Return a question with as many answers under k-ary randomized response."""
        return cls(answers=tuple(f"{place}" for place in range(1, size + 1)), designs=(design,) * size)

    @property
    def matrix(self) -> Figures:
        """Return P: row i has the chances of a report that names i, for each true answer."""
        size = len(self.answers)
        rows = [[each.p if i == j else each.q for j in range(size)] for i, each in enumerate(self.designs)]
        return np.array(rows)

    def margins(self, counts: Counts, level: float) -> tuple[Cell, ...]:
        """Return the shares of the answers to this question alone."""
        rows, n = zip(self.answers, counts.tolist(), self.designs, strict=True), int(counts.sum())
        return tuple(
            estimate_shares([(name, count, n)], design, epsilon=None, level=level).cells[0]
            for name, count, design in rows
        )

    def crossed(self, design: SupportDesign, counts: Counts) -> CrossedQuestion:
        """Return the question for the limits of those answers that have this design."""
        return CrossedQuestion("", self.answers, design, NAMES_ONE, counts)
