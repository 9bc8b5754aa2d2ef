"""Bounds on epsilon from counts: exact binomial limits, and a ratio of two of them.

If P[S|x] / P[S|x′] is above e^ε for one event S and two answers, the client is not ε-private. So the lower limit of one
probability over the upper limit of the other bounds epsilon from below. The same holds for averages over pairs (x, x′),
each with its own event: if no ratio is above e^ε, the ratio of the averages is not. A count over runs with different
inputs is a sum of independent bits with unequal rates; the exact binomial limits hold for their mean (Hoeffding 1956).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from hushpoll_server.estimate.intervals import clopper_pearson
from hushpoll_server.estimate.support import Figures


def least_epsilon(
    favourable: ArrayLike, runs: ArrayLike, adverse: ArrayLike, others: ArrayLike, risk: float
) -> Figures:
    """Return ln(low(P[S|x]) / high(P[S|x′])), wrong with probability at most `risk`; −∞ without any such event."""
    # A two-sided interval of level 1 − risk has risk/2 on each side.
    low = clopper_pearson(favourable, runs, 1 - risk).low
    high = clopper_pearson(adverse, others, 1 - risk).high
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(low) - np.log(high))


def most_epsilon(favourable: ArrayLike, runs: ArrayLike, adverse: ArrayLike, others: ArrayLike, risk: float) -> Figures:
    """Return ln(high(P[S|x]) / low(P[S|x′])), wrong with probability at most `risk`; ∞ where one never occurred."""
    return -least_epsilon(adverse, others, favourable, runs, risk)
