"""The cost of asking two questions as a pair, compared with asking them separately.

Asked separately, a cell of the cross table is estimated by the product of two independent estimates, one per answer:
Var = (V_a + f_a²)(V_b + f_b²) − (f_a f_b)², where V is the variance of a share at the question's own epsilon. Asked as
a pair, the cell is a category like any other. Variances are for each respondent, at uniform shares, sampling included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hushpoll_server.mechanisms.category_bound import ye_barg_bound
from hushpoll_shared.epsilon import Epsilon


@dataclass(frozen=True)
class PairCost:
    """Variances of a cell of the cross table, and of a share of one question, as a pair and separately."""

    cell: float
    cell_apart: float
    share: float
    share_apart: float


def pair_cost(first: int, second: int, epsilon: Epsilon) -> PairCost:
    """Compare both ways for two questions by their numbers of answers; separately with half of the epsilon each.

    The share is one of the first question.
    """
    odds, half = math.exp(float(epsilon)), math.exp(float(epsilon) / 2)
    size = first * second
    cell = ye_barg_bound(size, odds) / size
    apart_first, apart_second = ye_barg_bound(first, half) / first, ye_barg_bound(second, half) / second
    cell_apart = variance_apart((first, apart_first), (second, apart_second))
    # The k cells of a report add up to 1, so two of them have the covariance −V/(k − 1); a share is a sum of cells.
    share = second * cell * (size - second) / (size - 1)
    return PairCost(cell, cell_apart, share, apart_first)


def variance_apart(first: tuple[int, float], second: tuple[int, float]) -> float:
    """Return the variance of a cell from the number of answers and the variance of a share of each question."""
    (k, one), (m, other) = first, second
    return (one + 1 / k**2) * (other + 1 / m**2) - 1 / (k * m) ** 2
