"""What the estimation of a distribution needs to know of a design: the law of the outputs for every answer.

The answers are bins in their order, then numbers that are answers of their own (point masses), then the extras, which
are no numbers. Numbers are places in the question's range, from 0 to 1: one law serves all ranges. The rule here: every
score of an output is unbiased. Its mean, under the law of an answer, is the answer's own figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures


@dataclass(frozen=True, eq=False)
class NumberLaw:
    """The chances of the outputs, a row for each answer; the number of bins; the point masses; three scores.

    The scores of an output have these means under the law of a number x: x − ½ (`numbers`), 1 (`answered`) and (x − ½)²
    (`squares`). Under the law of an extra all three are 0. A number counts as the middle of its bin.
    """

    chances: Figures
    bins: int
    masses: Figures
    numbers: Figures
    answered: Figures
    squares: Figures

    @cached_property
    def edges(self) -> Figures:
        """Return the edges of the bins, 0 and 1 included."""
        return np.arange(self.bins + 1) / self.bins

    @cached_property
    def points(self) -> Figures:
        """Return the numbers of the answers that are numbers."""
        return points_of(self.bins, self.masses)

    @property
    def has_extras(self) -> bool:
        """Return whether some answers are no numbers."""
        return len(self.chances) > len(self.points)

    @cached_property
    def are_numbers(self) -> Figures:
        """Return for each answer whether it is a number: 1 or 0."""
        return (np.arange(len(self.chances)) < len(self.points)).astype(np.float64)

    def below(self, edge: float) -> Figures:
        """Return for each answer whether it is a number below an edge: 1 or 0."""
        below = np.zeros(len(self.chances))
        below[: len(self.points)] = self.points < edge
        return below

    def surely_at_most(self, place: float) -> Figures:
        """Return for each answer whether every number that it stands for is at most this place: 1 or 0."""
        return self._with_masses(self.edges[1:] <= place, place)

    def possibly_at_most(self, place: float) -> Figures:
        """Return for each answer whether some number that it stands for is at most this place: 1 or 0."""
        # A bin begins with its lower edge, unless that is an answer of its own.
        starts = self.edges[:-1]
        return self._with_masses(starts < place if place in self.masses else starts <= place, place)

    def _with_masses(self, bins: NDArray[np.bool_], place: float) -> Figures:
        answers = np.zeros(len(self.chances))
        answers[: len(self.points)] = np.concatenate((bins, self.masses <= place))
        return answers


def points_of(bins: int, masses: Figures) -> Figures:
    """Return the middles of the bins, and the point masses."""
    return np.concatenate(((np.arange(bins) + 0.5) / bins, masses))


def number_law(chances: Figures, bins: int, masses: Figures, basis: Figures) -> NumberLaw:
    """Return the law whose scores are combinations of the columns of a basis."""
    points = points_of(bins, masses) - 0.5
    targets = np.zeros((len(chances), 3))
    targets[: len(points)] = np.column_stack((points, np.ones(len(points)), points**2))
    weights, *_ = np.linalg.lstsq(chances @ basis, targets, rcond=None)
    scores = basis @ weights
    if not np.allclose(chances @ scores, targets, rtol=0, atol=1e-7 * (1 + np.abs(scores).max())):
        raise EstimateError("the scores of the outputs are biased: give a basis that spans them")
    return NumberLaw(chances, bins, masses, *np.ascontiguousarray(scores.T))
