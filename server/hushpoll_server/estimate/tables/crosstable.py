"""The cross table of a pair of questions that were asked as one: margins, a test of independence, odds ratios.

The categories of such a question are the cells of the table, row by row, and one report is about the whole table.
Pearson's χ² on the randomized table, valid if the two answers are randomized separately, is *not* valid here: the rates
q + (p - q) f_a f_b of independent answers do not factor. The test here asks instead how far the estimates are from the
nearest table of independent answers, in the metric of their own covariances.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, optimize, special

from hushpoll_server.estimate.combine import Combined, covariances, total, variance
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.estimate.joint import OneDecides
from hushpoll_server.estimate.projection import simplex_projection
from hushpoll_server.estimate.results import Json, Result
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.tables.joint_shares import JointShares

# The test inverts a matrix with as many rows as the table has cells.
MOST_TESTED_CELLS = 1000
# The exponential of this is still a finite float.
_LARGEST_LOGARITHM = 700.0


@dataclass(frozen=True, kw_only=True)
class Independence:
    """The outcome of a test of independence."""

    statistic: float
    degrees: int
    p_value: float

    def to_json(self) -> Json:
        """Return the outcome by name."""
        return {"statistic": self.statistic, "degrees": self.degrees, "p_value": self.p_value}


@dataclass(frozen=True)
class CrossTable:
    """The result of a pair as a table with these rows and columns; its cells are ordered row by row."""

    result: Result
    rows: tuple[str, ...]
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse rows and columns that do not fit the result."""
        if len(self.rows) * len(self.columns) != len(self.result.cells) or min(len(self.rows), len(self.columns)) < 2:
            raise EstimateError("the rows and columns do not make up the cells of the result: give those of the pair")

    def name(self, row: str, column: str) -> str:
        """Return the name of a cell in the result."""
        if row not in self.rows or column not in self.columns:
            raise EstimateError("there is no such row or column: give those of the table")
        return self.result.cells[self.rows.index(row) * len(self.columns) + self.columns.index(column)].name

    def row_margins(self, *, level: float | None = None) -> dict[str, Combined]:
        """Return the share of each row: the result of the first question alone."""
        return {
            row: total(self.result, [self.name(row, column) for column in self.columns], level=level)
            for row in self.rows
        }

    def column_margins(self, *, level: float | None = None) -> dict[str, Combined]:
        """Return the share of each column: the result of the second question alone."""
        return {
            column: total(self.result, [self.name(row, column) for row in self.rows], level=level)
            for column in self.columns
        }

    def independence(self) -> Independence:
        """Test whether the answers to the two questions are independent."""
        table, degrees = self._table(), (len(self.rows) - 1) * (len(self.columns) - 1)
        whiten = self._whitening(table)

        def misfit(margins: Figures) -> Figures:
            # n (f̂ - f_a f_bᵀ)ᵀ S⁻¹ (f̂ - f_a f_bᵀ), as a sum of squares; the last cell follows from the others
            gap = (table - self._independent(margins)).ravel()[:-1]
            return np.asarray(whiten @ gap)

        start = np.concatenate((table.sum(axis=1)[:-1], table.sum(axis=0)[:-1]))
        # The smallest distance follows the χ² law with as many degrees of freedom as the table has beyond its margins.
        statistic = self.result.n * _least_squares(misfit, start)
        return Independence(statistic=statistic, degrees=degrees, p_value=float(special.chdtrc(degrees, statistic)))

    def odds_ratio(self, rows: tuple[str, str], columns: tuple[str, str], *, level: float | None = None) -> Combined:
        """Return the odds ratio of two rows and two columns, from the estimates; refuse if one is not positive."""
        names = [self.name(row, column) for row in rows for column in columns]
        level = self.result.level if level is None else level
        shares = self.result.tally(*names).share
        return odds_ratio_of(shares, lambda weights: variance(self.result, names, weights), level)

    def joint_shares(self) -> JointShares:
        """Return the shares with how they vary together: what row percentages need."""
        result, names = replace(self.result, population=None), [cell.name for cell in self.result.cells]
        if result.joint is None or not result.joint.exact:
            raise EstimateError("row percentages need pairs asked by subset selection: use that design")
        matrix = covariances(result, names).low
        return JointShares.of_covariances((self.rows, self.columns), result.n, self._table(), matrix)

    def _table(self) -> Figures:
        names = [cell.name for cell in self.result.cells]
        if len(names) > MOST_TESTED_CELLS:
            raise EstimateError(f"a table of {len(names)} cells is too large to test: take at most {MOST_TESTED_CELLS}")
        return self.result.tally(*names).share.reshape(len(self.rows), len(self.columns))

    def _independent(self, margins: Figures) -> Figures:
        first, second = margins[: len(self.rows) - 1], margins[len(self.rows) - 1 :]
        return np.outer(np.append(first, 1 - first.sum()), np.append(second, 1 - second.sum()))

    def _whitening(self, table: Figures) -> Figures:
        """Return the inverse root of the covariances of one report under independence."""
        joint, design = self.result.joint, self.result.design
        if not isinstance(joint, OneDecides) or not joint.exact or not joint.exclusive:
            raise EstimateError("independence is tested for pairs asked by subset selection: use that design")
        shares = np.outer(simplex_projection(table.sum(axis=1)), simplex_projection(table.sum(axis=0))).ravel()
        rates = design.rate(shares)
        matrix = joint.both(shares[:, np.newaxis], shares).low - np.outer(rates, rates)
        np.fill_diagonal(matrix, rates * (1 - rates))
        try:
            return np.asarray(linalg.inv(linalg.cholesky(matrix[:-1, :-1] / design.gap**2, lower=True)))
        except linalg.LinAlgError:
            raise EstimateError("some answers are too rare to test independence: collect more reports") from None


def odds_ratio_of(shares: Figures, variance_of: Callable[[Figures], float], level: float) -> Combined:
    """Return the odds ratio of four shares, row by row, given the variance of any weighted sum of them."""
    if not (shares > 0).all():
        raise EstimateError("an estimate in the table is not positive, so there is no odds ratio: collect more reports")
    signs = np.array([1.0, -1.0, -1.0, 1.0])
    logarithm = float(signs @ np.log(shares))
    # ln OR has the gradient ±1/f
    se = math.sqrt(max(0.0, variance_of(signs / shares)))
    half = normal_quantile(level) * se
    if abs(logarithm) + half > _LARGEST_LOGARITHM:
        raise EstimateError("the estimates are too uncertain for an odds ratio: collect more reports")
    ratio = math.exp(logarithm)
    return Combined(
        estimate=ratio,
        se=ratio * se,
        low=math.exp(logarithm - half),
        high=math.exp(logarithm + half),
        level=level,
        method="delta",
    )


def _least_squares(misfit: Callable[[Figures], Figures], start: Figures) -> float:
    return 2 * float(optimize.least_squares(misfit, start, method="lm").cost)
