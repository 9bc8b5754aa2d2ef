"""Tables of any questions from unbiased indicators: one frame for choices, parts of pairs, ticks and numbers.

Each question offers for each report a row of values z whose expectation, given the true answer, is 1 in the place of
that answer and 0 elsewhere. Questions are randomized independently of each other, so the product of the z of several
questions is such an indicator of their combination:

    E[z_i w_j v_k | answers] = 1 if the answers are i, j and k, and 0 otherwise

The share of a combination is the mean of the products, and the products of two combinations give their covariance. For
a number, z is whether there is one and its distance from the middle of the range: means within groups are ratios of
such cells. The rule here: only sums are kept, so reports can come in parts, in any order, and the memory is that of the
table alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from string import ascii_lowercase
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.tables.joint_shares import JointShares

# The products of all pairs of cells are kept; no realistic number of respondents fills a larger table.
MOST_CELLS = 1000


@dataclass(frozen=True, eq=False)
class TableMoments:
    """The number of reports, the sum of each cell's values, and the sums of products of two cells' values."""

    n: int
    sums: Figures
    products: Figures

    @classmethod
    def empty(cls, shape: Sequence[int]) -> Self:
        """Return the moments of no reports; refuse a table that nobody could fill."""
        cells = prod(shape)
        if cells > MOST_CELLS:
            raise EstimateError(
                f"this table has {cells:,} cells, more than {MOST_CELLS:,}: cross questions with fewer answers, or "
                "fewer questions"
            )
        return cls(0, np.zeros(tuple(shape)), np.zeros((cells, cells)))

    @classmethod
    def of(cls, values: Figures, times: ArrayLike | None = None) -> Self:
        """Return the moments of reports, given the values of all cells for each and how often it occurs.

        Reports with a value that is NaN did not answer all questions, and do not count.
        """
        weights = np.ones(len(values), np.int64) if times is None else np.asarray(times, np.int64)
        flat = values.reshape(len(values), prod(values.shape[1:]))
        answered = np.isfinite(flat).all(axis=1)
        flat, weights = flat[answered], weights[answered]
        sums = (weights @ flat).reshape(values.shape[1:])
        return cls(int(weights.sum()), sums, (flat.T * weights) @ flat)

    def __add__(self, other: Self) -> Self:
        """Return the moments of both sets of reports."""
        if self.sums.shape != other.sums.shape:
            raise EstimateError("the moments are of tables with different cells: add up those of one table")
        return type(self)(self.n + other.n, self.sums + other.sums, self.products + other.products)

    @property
    def means(self) -> Figures:
        """Return the mean value of each cell."""
        return self.sums / self.n

    @property
    def moments(self) -> Figures:
        """Return the mean products of two cells' values."""
        return self.products / self.n

    def joint_shares(self, *axes: Sequence[str]) -> JointShares:
        """Return the shares of all combinations, with these names of the answers."""
        if not self.n:
            raise EstimateError("there are no reports that answer all of these questions: collect some")
        return JointShares(tuple(map(tuple, axes)), self.n, self.means, self.moments)


def cell_values(indicators: Sequence[Figures], places: Sequence[Sequence[int]] | None = None) -> Figures:
    """Return the products of indicators of several questions, report by report.

    Each has a row for each report, and an axis for each variable; `places` says which axes of the table these are,
    where one question has several variables. Without it each has one, in the order of the table.
    """
    places = [(place,) for place in range(len(indicators))] if places is None else places
    letters = ascii_lowercase[1:]
    terms = ["a" + "".join(letters[place] for place in each) for each in places]
    whole = "a" + letters[: sum(map(len, places))]
    return np.asarray(np.einsum(",".join(terms) + "->" + whole, *indicators))
