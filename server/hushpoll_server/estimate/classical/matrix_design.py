"""A design by its matrix: the probability of every report for every answer, exactly as it was used.

Row a has the probabilities of all reports of somebody whose answer is a, so every row adds up to 1. There may be more
reports than answers. The rule here: probabilities are exact fractions, and whether the answers can be told apart is
decided by them, not by rounding.

Debiasing: with P the matrix, a report r is worth the row r of G for the answers, where P G is the identity. For as many
reports as answers G = P⁻¹. For more there is a choice: G = D⁻¹Pᵀ(P D⁻¹Pᵀ)⁻¹, with D the rates of the reports when all
answers are equally frequent, is weighted least squares, the best choice there. It is fixed beforehand, so that
estimates are unbiased and each is a mean of known values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures, SupportDesign
from hushpoll_server.estimate.yes_no_designs import Probability, YesNoDesign, probability
from hushpoll_shared.epsilon import Epsilon

# More than this takes seconds, and a matrix that somebody wrote down is smaller.
MOST_CELLS = 2500
# Rows that differ by no more than this fraction of a probability leave nothing but rounding.
_ALIKE = 1e-7

NO_EPSILON = (
    "This design has no finite epsilon: there is a report that some answers never give, so whoever sends it is certain "
    "not to have given those."
)


@dataclass(frozen=True)
class MatrixDesign:
    """The names of the answers (rows) and of the reports (columns), and the probabilities."""

    answers: tuple[str, ...]
    reports: tuple[str, ...]
    chances: tuple[tuple[Fraction, ...], ...]

    @classmethod
    def of(
        cls,
        matrix: Sequence[Sequence[Probability]],
        answers: Sequence[str] | None = None,
        reports: Sequence[str] | None = None,
    ) -> MatrixDesign:
        """Return the design with this matrix, a row for each answer; without names they are numbered from 1."""
        chances = tuple(tuple(probability(each, "matrix") for each in row) for row in matrix)
        _check_shape(chances)
        rows, columns = len(chances), len(chances[0])
        design = cls(_names(answers, rows, "answers"), _names(reports, columns, "reports"), chances)
        _check_chances(design)
        return design

    @classmethod
    def yes_no(cls, design: YesNoDesign | SupportDesign) -> MatrixDesign:
        """Return a yes/no design; the answer no is the first, so that yes is compared with it."""
        p, q = Fraction(design.p), Fraction(design.q)
        return cls.of([[1 - q, q], [1 - p, p]], ("no", "yes"), ("0", "1"))

    @classmethod
    def names_one(cls, answers: Sequence[str], odds: Fraction) -> MatrixDesign:
        """Return k-ary randomized response: the answer is reported with these odds to each of the others."""
        q = 1 / (odds + len(answers) - 1)
        rows = [[odds * q if i == j else q for j in range(len(answers))] for i in range(len(answers))]
        return cls.of(rows, answers, answers)

    @property
    def epsilon(self) -> Epsilon | None:
        """Return the largest log-ratio of two answers' probabilities of one report, None if it is infinite."""
        columns = list(zip(*self.chances, strict=True))
        if any(min(column) == 0 for column in columns):
            return None
        return Epsilon.of_odds(max(max(column) / min(column) for column in columns))

    @cached_property
    def matrix(self) -> Figures:
        """Return the probabilities as floats, with a row for each answer."""
        return np.array([[float(each) for each in row] for row in self.chances])

    @cached_property
    def values(self) -> Figures:
        """Return G: what a report (row) is worth for each answer (column)."""
        rates = self.matrix.mean(axis=0)
        weighted = self.matrix / rates
        return np.asarray(np.linalg.solve(weighted @ self.matrix.T, weighted).T)


def _names(names: Sequence[str] | None, size: int, what: str) -> tuple[str, ...]:
    if names is None:
        return tuple(f"{place}" for place in range(1, size + 1))
    if len(names) != size or len(set(names)) != size:
        raise EstimateError(f"the matrix has {size} {what}: give as many different names")
    return tuple(names)


def _check_shape(chances: tuple[tuple[Fraction, ...], ...]) -> None:
    if len(chances) < 2 or len({len(row) for row in chances}) > 1:
        raise EstimateError("the matrix needs two or more rows of the same length: a row for each answer")
    if len(chances) * len(chances[0]) > MOST_CELLS:
        raise EstimateError(f"the matrix has more than {MOST_CELLS} probabilities: join rare answers")
    if len(chances[0]) < len(chances):
        raise EstimateError(
            f"the matrix has {len(chances)} answers and {len(chances[0])} reports, too few to tell the answers apart: "
            "give a row for each answer and a column for each report"
        )


def _check_chances(design: MatrixDesign) -> None:
    for place, row in enumerate(design.chances, start=1):
        if sum(row) != 1:
            raise EstimateError(
                f"row {place} of the matrix adds up to {sum(row)}, not to 1: give the probabilities of all reports for "
                "one answer in each row"
            )
    for place, column in enumerate(zip(*design.chances, strict=True), start=1):
        if not any(column):
            raise EstimateError(f"no answer gives report {place}: leave its column out")
    if not _independent(design.chances) or np.linalg.svd(design.matrix, compute_uv=False)[-1] < _ALIKE:
        raise EstimateError(
            "the rows of the matrix follow from each other, so the reports cannot tell the answers apart: check the "
            "probabilities, or join answers that have the same"
        )


def _independent(rows: Sequence[Sequence[Fraction]]) -> bool:
    """Return whether no row follows from the others, by exact elimination."""
    left = [list(row) for row in rows]
    for column in range(len(rows[0])):
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        left = [
            [each - row[column] / pivot[column] * lead for each, lead in zip(row, pivot, strict=True)] for row in left
        ]
    return not left
