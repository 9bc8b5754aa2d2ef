"""The share of people below a number, with limits that hold whatever the distribution is.

Two bounds take the place of an estimate. A score φ of the outputs whose mean, under the law of every answer, is at
least 1 for numbers below the edge and at least 0 for all others has a mean of at least the share, whatever people
answered; with "at most" instead it is a bound from below. So no smoothness is assumed, and no bias is left out: what a
design cannot tell apart, such as two neighbouring bins, widens the interval. Of all such scores the one is taken that
makes the upper limit least at even shares, F̃φ + z·sd(φ)/√n: it rises like a ramp, steeper with more reports. The
scores depend on the design and on the size of the survey alone, never on what was reported.

The rule here: limits come from these bounds and the raw counts (gaffke.py; bets at every look), never from a fitted
curve, and are not clipped.

Reference for optimal bounds of this kind: D. L. Donoho (1994), Statistical estimation and optimal recovery, Annals of
Statistics 22.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import linalg, optimize

from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.numbers.bets import bets_high
from hushpoll_server.estimate.numbers.gaffke import gaffke_high, ratio_high
from hushpoll_server.estimate.numbers.number_law import NumberLaw
from hushpoll_server.estimate.results import Coverage
from hushpoll_server.estimate.support import Figures

# The normal quantile for which the scores are best: any other keeps them valid.
_QUANTILE = 1.96
# At even shares, each answer that is not a bin has this share.
_UNSMOOTHED_SHARE = 0.1
# The standard deviation of a score is found in rounds, from this one on.
_FIRST_DEVIATION, _LEAST_DEVIATION, _ROUNDS = 2.0, 1e-6, 2
# Keeps a matrix regular at the smallest epsilons.
_RIDGE = 1e-12
_MOST_STEPS = 10_000
# Scores that are used at every look are for these sizes only, and the error probability is divided among them.
_SIZES_FOR_EVERY_LOOK = tuple(10**power for power in range(2, 9))
# Far beyond every share.
_FAR = 50.0


@dataclass(frozen=True, eq=False)
class Bounds:
    """Scores of the outputs, a column for each edge, whose means are not above and not below the share below it."""

    lower: Figures
    upper: Figures


def cumulative_limits(
    law: NumberLaw,
    counts: Figures,
    level: float,
    coverage: Coverage,
    bounds_for: Callable[[NumberLaw, int], Bounds] | None = None,
) -> Limits:
    """Return the limits of the shares below the inner edges, or of those that other bounds are for.

    All are shares of those who gave a number.
    """
    n = int(counts.sum())
    if coverage == "anytime":
        size = min(_SIZES_FOR_EVERY_LOOK, key=lambda known: abs(math.log(known / n)))
        tail, high = (1 - level) / 2 / len(_SIZES_FOR_EVERY_LOOK), bets_high
    else:
        # A size within a factor of √2 is near enough, and there are few to compute.
        size, tail, high = 2 ** round(math.log2(n)), (1 - level) / 2, _gaffke_high(law)
    bounds, columns = (bounds_for or bounds_of)(law, size), counts[:, np.newaxis]
    answered = law.answered[:, np.newaxis]
    low = -high(-bounds.lower, answered, columns, law.chances, tail, far=_FAR)
    return Limits(low, high(bounds.upper, answered, columns, law.chances, tail, far=_FAR))


def _gaffke_high(law: NumberLaw) -> Callable[..., Figures]:
    """Return the upper limit of a ratio; if everybody gave a number, its denominator is 1."""
    if law.has_extras:
        return ratio_high
    return lambda numerator, _, counts, chances, tail, *, far: gaffke_high(numerator, counts, chances, tail)  # noqa: ARG005


@lru_cache(maxsize=128)
def bounds_of(law: NumberLaw, size: int) -> Bounds:
    """Return the scores for a survey of this size."""
    below = [law.below(edge) for edge in law.edges[1:-1]]
    return bounds_between(law, below, below, size)


def bounds_between(law: NumberLaw, surely: Sequence[Figures], possibly: Sequence[Figures], size: int) -> Bounds:
    """Return the scores for shares of answers of which some are surely meant and some only possibly."""
    # What is a number and not surely meant counts as another number.
    others = _majorants(law, [law.are_numbers - each for each in surely], size)
    return Bounds(law.answered[:, np.newaxis] - others, _majorants(law, possibly, size))


def _majorants(law: NumberLaw, targets: Sequence[Figures], size: int) -> Figures:
    """Return for each target the score whose mean is at least the target for every answer, with the least limit."""
    shares = _even_shares(law)
    rates = shares @ law.chances
    # Minimise f·g + z·sd/√n over φ with g = Cφ ≥ target, C the chances. With sd ≈ φ'diag(λ)φ/(2s) + s/2 the
    # multipliers μ ≥ 0 maximise target·μ − (μ − f)'A(μ − f)/(2k), A = C diag(1/λ) C', k = z/(s√n): non-negative least
    # squares; and φ = diag(1/λ) C'(μ − f)/k.
    gram = law.chances @ (law.chances / rates).T
    root = linalg.cholesky(gram + np.eye(len(gram)) * _RIDGE * np.trace(gram))
    found, deviation = [], _FIRST_DEVIATION
    for target in targets:
        centred = target - 0.5
        # Neighbouring edges have similar deviations, so a second round is enough.
        for _ in range(_ROUNDS):
            weight = _QUANTILE / (deviation * math.sqrt(size))
            aim = root @ shares + weight * linalg.solve_triangular(root, centred, trans="T")
            multipliers, _ = optimize.nnls(root, aim, maxiter=_MOST_STEPS)
            score = (multipliers - shares) @ law.chances / rates / weight
            deviation = max(_LEAST_DEVIATION, math.sqrt(max(0.0, float(rates @ score**2 - (rates @ score) ** 2))))
        # Whatever the search left undone is added: the bound holds exactly.
        found.append(score + 0.5 + max(0.0, float((centred - law.chances @ score).max())))
    return np.column_stack(found)


def _even_shares(law: NumberLaw) -> Figures:
    others = len(law.chances) - law.bins
    shares = np.full(len(law.chances), _UNSMOOTHED_SHARE)
    shares[: law.bins] = (1 - _UNSMOOTHED_SHARE * others) / law.bins
    return shares
