"""What shuffling adds: the central epsilon of randomized reports whose order a shuffler has destroyed.

n devices randomize with ε₀ each. If somebody independent passes their reports on in random order, each person hides
among the reports of all others, and the whole is (ε, δ)-differentially private with a much smaller ε. Three bounds,
each below the one before it:

- closed: ε = ln(1 + (E₀ − 1)/(E₀ + 1) · (8√(E₀ ln(4/δ)/n) + 8E₀/n)) for ε₀ ≤ ln(n/(16 ln(4/δ))), for any randomizer;
- numerical: the divergence of (A + Δ, C − A + 1 − Δ) from the same with 1 − Δ, where C ~ Bin(n − 1, e^−ε₀), A ~
  Bin(C, ½) and Δ is 1 with probability E₀/(E₀ + 1), for any randomizer;
- blanket: the same with C ~ Bin(n − 1, 2/(E₀ + 1)), for Warner's design: a report is a fair coin with probability
  2/(E₀ + 1), whatever the answer.

The rule here: a figure of privacy is rounded up. What is cut off from a sum counts as if it revealed everything, and a
search ends at its upper end. The bound says nothing if the shuffler works together with whoever reads the reports:
then ε₀ is what remains, always.

References: V. Feldman, A. McMillan, K. Talwar (2021), Hiding among the clones, FOCS; B. Balle, J. Bell, A. Gascón, K.
Nissim (2019), The privacy blanket of the shuffle model, CRYPTO.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from hushpoll_shared.errors import InvalidValue

Figures = NDArray[np.float64]
Counts = NDArray[np.int64]
# From a local epsilon to the part of the others' reports that may be anybody's.
Hiding = Callable[[float], float]

LARGEST_N = 10**9
# So small a part of δ is left out of the law of C, and counted as revealed.
_CUT_OFF = 1e-8
SMALLEST_DELTA = 1e-12
# The searches stop at so small a part of the epsilon they start from.
_PRECISION = 1e-9


@dataclass(frozen=True)
class Crowd:
    """The number of reports that are shuffled together, and δ, the chance that the bound does not hold."""

    n: int
    delta: float

    def __post_init__(self) -> None:
        """Refuse a crowd of one, and a δ that is beyond floating point or means nothing."""
        if not 2 <= self.n <= LARGEST_N:
            raise InvalidValue(f"shuffling takes from 2 to {LARGEST_N:,} reports")
        if not SMALLEST_DELTA <= self.delta < 1:
            raise InvalidValue(f"delta must be at least {SMALLEST_DELTA:g} and below 1: for example 1e-6")


def closed_bound(local: float, crowd: Crowd) -> float:
    """Return the central epsilon by the closed form; the local one where it does not apply or is larger."""
    log, odds = math.log(4 / crowd.delta), math.exp(local)
    if odds > crowd.n / (16 * log):
        return local
    amplified = 8 * math.sqrt(odds * log / crowd.n) + 8 * odds / crowd.n
    return min(local, math.log1p((odds - 1) / (odds + 1) * amplified))


def any_randomizer(local: float) -> float:
    """Return the part of the others' reports that hides a person, for the numerical bound: e^−ε₀."""
    return math.exp(-local)


def warner_blanket(local: float) -> float:
    """Return the part of Warner reports that is a fair coin, for the blanket bound: 2/(E₀ + 1)."""
    return 2 / (math.exp(local) + 1)


def central_epsilon(local: float, crowd: Crowd, *, hiding: Hiding = warner_blanket) -> float:
    """Return the epsilon of shuffled reports, rounded up; never more than the local one."""

    def excess(epsilon: float) -> float:
        return _log_excess(epsilon, local, crowd, hiding)

    if excess(0.0) <= 0:
        return 0.0
    found = float(optimize.brentq(excess, 0.0, local, xtol=_PRECISION * local))
    return min(local, found + 2 * _PRECISION * local)


def local_epsilon(central: float, crowd: Crowd, *, hiding: Hiding = warner_blanket) -> float:
    """Return the largest local epsilon whose shuffled reports keep a central one, rounded down."""

    def excess(local: float) -> float:
        return _log_excess(central, local, crowd, hiding)

    high = 2 * central
    while excess(high) <= 0:
        high *= 2
    found = float(optimize.brentq(excess, central, high, xtol=_PRECISION * central))
    return max(central, found - 2 * _PRECISION * central)


def divergence(epsilon: float, local: float, crowd: Crowd, clones: float) -> float:
    """Return the smallest δ for this ε: Σ max(0, P − e^ε·Q), with the others' part of clones, rounded up.

    Given C = c, the first count is k with P = (E₀ b(k − 1) + b(k))/(E₀ + 1), b the law Bin(c, ½), and Q has the two
    exchanged. P/Q rises with k, so the sum goes over k > (c + 1)(e^ε E₀ − 1)/((E₀ − 1)(1 + e^ε)).
    """
    others, odds, ratio = crowd.n - 1, math.exp(local), math.exp(epsilon)
    low, high = (int(end(_CUT_OFF * crowd.delta, others, clones)) for end in (stats.binom.ppf, stats.binom.isf))
    counts = np.arange(max(0, low), high + 1)
    weights = stats.binom.pmf(counts, others, clones)
    least = np.floor((counts + 1) * ((ratio * odds - 1) / ((odds - 1) * (1 + ratio)))) + 1
    # P(Bin(c, ½) ≥ k − 1) and P(Bin(c, ½) ≥ k)
    shifted, plain = _at_least(least - 1, counts), _at_least(least, counts)
    above = ((odds - ratio) * shifted + (1 - ratio * odds) * plain) / (odds + 1)
    outside = float(stats.binom.cdf(counts[0] - 1, others, clones) + stats.binom.sf(counts[-1], others, clones))
    return float(weights @ np.maximum(above, 0)) + outside


def _at_least(least: Figures, counts: Counts) -> Figures:
    """Return P(Bin(c, ½) ≥ k) for each c, in any order of k and c."""
    inside = np.clip(least, 1, np.maximum(counts, 1))
    tails = special.betainc(inside, counts - inside + 1, 0.5)
    return np.asarray(np.where(least <= 0, 1.0, np.where(least > counts, 0.0, tails)))


def _log_excess(central: float, local: float, crowd: Crowd, hiding: Hiding) -> float:
    # In logarithms the divergence is almost a straight line, so that its root is found in a few steps.
    return math.log(divergence(central, local, crowd, hiding(local)) / crowd.delta)
