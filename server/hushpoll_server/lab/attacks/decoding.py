"""From answers about subsets back to the table: exhaustive search, linear programming, least squares.

The rule here: an attack sees the questions and the noisy answers and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.optimize import linprog

from hushpoll_server.lab.stream import Figures, Places, SeededStream

# 2^n questions to 2^n tables: at most 16 million figures.
MOST_EXHAUSTIVE = 12
_SUBSETS_AT_A_TIME = 256


def all_tables(n: int) -> Places:
    """Return all tables of n bits, a row for each; these are also the questions about all subsets of n people."""
    return np.arange(2**n)[:, np.newaxis] >> np.arange(n) & 1


def consistent(answers: Places, bound: int, n: int) -> Places:
    """Return all tables whose answers to all subset questions are within a bound of these."""
    # Sums of at most twelve ones are exact, and many times faster, in floating point.
    left = subsets = all_tables(n).astype(np.float32)
    for start in range(0, len(subsets), _SUBSETS_AT_A_TIME):
        part = slice(start, start + _SUBSETS_AT_A_TIME)
        left = left[(np.abs(left @ subsets[part].T - answers[part]) <= bound).all(axis=1)]
    return left.astype(np.int64)


def nearest(answers: Places, n: int) -> Places:
    """Return the table whose answers to all subset questions are nearest to these, by squares.

    Σ (a − Qc)² = Σ a² − 2 c·(Qᵀa) + |Qc|², so no table of all answers is needed.
    """
    subsets = all_tables(n)
    squares = ((subsets @ (subsets.T @ subsets)) * subsets).sum(axis=1)
    return np.asarray(subsets[int(np.argmin(squares - 2 * subsets @ (subsets.T @ answers)))])


def random_subsets(stream: SeededStream, questions: int, n: int) -> Figures:
    """Draw questions about random subsets: each person is in each of them with probability ½."""
    drawn = np.unpackbits(stream.take(-(-questions * n // 8)))[: questions * n]
    return drawn.reshape(questions, n).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Decoder:
    """The ways back to a table from answers to these questions; a row for each question, a column for each person."""

    questions: Figures

    def by_programming(self, answers: Figures) -> Places:
        """Return the rounded table in [0, 1]^n whose worst answer is nearest to those given.

        min t with |Qx − a| ≤ t, 0 ≤ x ≤ 1, which needs no knowledge of the noise, is solved as its dual,
        max a·(u − v) − Σ z with z ≥ Qᵀ(u − v), Σ (u + v) ≤ 1 and u, v, z ≥ 0: one row for each person instead of two
        for each question. Its multipliers are x.
        """
        count, n = self.questions.shape
        costs = np.concatenate((-answers, answers, np.ones(n)))
        once = np.concatenate((np.ones(2 * count), np.zeros(n)))
        rows = np.vstack((np.hstack((self.questions.T, -self.questions.T, -np.eye(n))), once))
        limits = np.append(np.zeros(n), 1.0)
        # Without presolving, which finds nothing in a table without zeros and takes a quarter of the time.
        solved = linprog(
            costs, A_ub=rows, b_ub=limits, bounds=(0, None), method="highs-ds", options={"presolve": False}
        )
        return _rounded(-np.asarray(solved.ineqlin.marginals[:n]))

    def by_squares(self, answers: Figures) -> Places:
        """Return the rounded solution of least squares; with several columns of answers, one for each."""
        return _rounded(self._inverse @ (self.questions.T @ answers))

    def expected_by_squares(self, deviation: float) -> float:
        """Return the expected share that least squares recovers, for noise with this standard deviation.

        The error of entry j is close to normal with variance σ² (QᵀQ)⁻¹_jj. The entry is recovered if the error is
        below ½ in the direction of the other value.
        """
        return float(special.ndtr(0.5 / (deviation * np.sqrt(np.diagonal(self._inverse)))).mean())

    @cached_property
    def _inverse(self) -> Figures:
        return np.asarray(np.linalg.inv(self.questions.T @ self.questions))


def _rounded(solution: NDArray[np.float64]) -> Places:
    return (solution > 0.5).astype(np.int64)
