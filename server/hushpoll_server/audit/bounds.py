"""Bounds on epsilon from counts: exact binomial limits, and a ratio of two of them.

If P[S|x] / P[S|x′] is above e^ε for one event S and two answers, the client is not ε-private. So the lower limit of one
probability over the upper limit of the other bounds epsilon from below. The same holds for averages over pairs (x, x′),
each with its own event: if no ratio is above e^ε, the ratio of the averages is not. A count over runs with different
inputs is a sum of independent bits with unequal rates; the exact binomial limits hold for their mean (Hoeffding 1956).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from hushpoll_server.estimate.intervals import exact_limits
from hushpoll_server.estimate.support import Figures

# Of many comparisons, the exact bounds of this many are computed: those that an approximation puts highest.
_CANDIDATES = 64


def least_epsilon(
    favourable: ArrayLike, runs: ArrayLike, adverse: ArrayLike, others: ArrayLike, risk: float
) -> Figures:
    """Return ln(low(P[S|x]) / high(P[S|x′])), wrong with probability at most `risk`; −∞ without any such event."""
    # Each of the two limits is wrong with probability risk/2.
    low = exact_limits(favourable, runs, risk / 2).low
    high = exact_limits(adverse, others, risk / 2).high
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(low) - np.log(high))


def most_epsilon(favourable: ArrayLike, runs: ArrayLike, adverse: ArrayLike, others: ArrayLike, risk: float) -> Figures:
    """Return ln(high(P[S|x]) / low(P[S|x′])), wrong with probability at most `risk`; ∞ where one never occurred."""
    return -least_epsilon(adverse, others, favourable, runs, risk)


def largest_epsilon(
    favourable: Figures, runs: Figures, adverse: Figures, others: Figures, risk: float
) -> tuple[float, int]:
    """Return the largest of many lower bounds, each wrong with probability at most `risk`, and its place.

    Leaving some out only makes it smaller, so it is valid whichever are computed.
    """
    if not len(favourable):
        return -np.inf, -1
    number = min(_CANDIDATES, len(favourable))
    likely = np.argpartition(-_approximate(favourable, runs, adverse, others, risk), number - 1)[:number]
    bounds = least_epsilon(favourable[likely], runs[likely], adverse[likely], others[likely], risk)
    best = int(np.argmax(bounds))
    return float(bounds[best]), int(likely[best])


def _approximate(favourable: Figures, runs: Figures, adverse: Figures, others: Figures, risk: float) -> Figures:
    # Score limits of Poisson counts: c + z²/2 ∓ z·√(c + z²/4)
    z = -float(special.ndtri(risk / 2))
    low = favourable + z * z / 2 - z * np.sqrt(favourable + z * z / 4)
    high = adverse + z * z / 2 + z * np.sqrt(adverse + z * z / 4)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(np.log(low / runs) - np.log(high / others), nan=-np.inf))
