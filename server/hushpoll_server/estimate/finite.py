"""Intervals for the share of a population of declared size, of which n people were asked.

People are drawn without replacement, then each report is randomized: the first part shrinks as
the sample nears a census, the second never does. All functions work on shares, need a tally
oriented so that p > q, and tend to the binomial intervals as the population grows.

Feeding an effective sample size to the binomial intervals was tried and rejected: enumerated
at epsilon 4 and n = N = 100, the worst coverage of its Wilson form is .893 (here .932) and of its
Clopper-Pearson form .893 (here .952).
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.estimate.intervals import Limits, clopper_pearson, normal_quantile
from hushpoll_server.estimate.support import Figures, Number, Tally

# Above this many reports the table of exact tails (n² numbers) takes too much memory.
EXACT_LIMIT = 1000


def wald_share(tally: Tally, level: float) -> Limits:
    """Return the estimate plus and minus its normal margin."""
    half = normal_quantile(level) * np.sqrt(tally.variance())
    return Limits(tally.share - half, tally.share + half)


def score_share(tally: Tally, level: float) -> Limits:
    """Return the shares that a score test does not reject: Wilson's idea, this design's variance."""
    design = tally.design
    ends = design.privacy_variance(0.0), design.privacy_variance(1.0)
    return score_limits(tally.share, ends, normal_quantile(level) ** 2 / tally.n, 1 - tally.sampled)


def score_limits(share: Figures, privacy: tuple[Number, Number], t: Figures, unsampled: Figures) -> Limits:
    """Return the shares f with (f̂ - f)² ≤ t v(f), where the variance v depends on the share.

    `privacy` holds the variances that the randomizing causes for each respondent at share 0 and at share 1, t is z²/n.
    """
    # With s = 1 - n/N and V̄(f) = a + b f
    #   v(f) = s f(1 - f) + V̄(f) = a + (b + s) f - s f²
    constant, linear = privacy[0], privacy[1] - privacy[0] + unsampled
    centre = (share + t * linear / 2) / (1 + t * unsampled)
    # half = √(t v(f̂) + t² ((b + s)²/4 + s a)) / (1 + t s)
    variance = constant + linear * share - unsampled * share * share
    curvature = linear * linear / 4 + unsampled * constant
    half = np.sqrt(np.maximum(0, t * variance + t * t * curvature)) / (1 + t * unsampled)
    return Limits(np.minimum(share, centre - half), np.maximum(share, centre + half))


def exact_share(tally: Tally, level: float) -> Limits:
    """Return the shares that neither exact tail of the count rejects."""
    # Both limits are lower limits: the upper one is that of everybody outside the category.
    low = _exact_low(tally, level)
    high = 1 - _exact_low(tally.complement(), level)
    return Limits(np.minimum(tally.share, low), np.maximum(tally.share, high))


def _exact_low(tally: Tally, level: float) -> Figures:
    limits = np.array(tally.design.share(clopper_pearson(tally.count, tally.n, level).low))
    # At shares 0 and 1 it does not matter who was sampled: the count is binomial there, and the two
    # limits agree. Above EXACT_LIMIT the binomial limit is kept, and is valid: when people are drawn
    # without replacement the count is distributed as a sum of n independent, unequal indicators, and
    # its tails are lighter than those of the binomial with the same mean (Hoeffding 1956).
    between = (limits > 0) & (limits < 1) & (tally.n <= EXACT_LIMIT)
    # Many cells have the same figures, especially when there are far more cells than reports.
    pairs, place = np.unique(np.stack((tally.n[between], tally.count[between])), axis=1, return_inverse=True)
    lowest = [_invert(Tally(c, n, tally.design, tally.population), (1 - level) / 2) for n, c in pairs.T.tolist()]
    limits[between] = np.array(lowest)[place.ravel()] if lowest else 0.0
    return limits


def _invert(tally: Tally, tail: float) -> float:
    """Return the share at which P(C ≥ c) reaches the tail; it is below the tail at 0 and above it at 1."""
    population = tally.population
    assert population is not None, "without a population the binomial limit is used"
    rejected, accepted = 0, population
    while accepted - rejected > 1:
        middle = (rejected + accepted) // 2
        if _upper_tail(tally, population, middle) > tail:
            accepted = middle
        else:
            rejected = middle
    # Between two neighbouring numbers of people the tail is interpolated: no share that this
    # population can have changes sides, and the interval never shrinks to a point.
    below = _upper_tail(tally, population, rejected)
    above = _upper_tail(tally, population, accepted)
    return float(np.interp(tail, (below, above), (rejected, accepted))) / population


def _upper_tail(tally: Tally, population: int, holders: int) -> float:
    """Return P(C ≥ c) when this many people of the population hold the category."""
    n = int(tally.n)
    drawn, weights = _drawn_holders(n, population, holders)
    tails = _tails(n, tally.design.p, tally.design.q)
    return float(weights @ tails[drawn, int(tally.count)])


def _drawn_holders(n: int, population: int, holders: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the possible numbers of holders among the n drawn, with their probabilities."""
    others = population - holders
    drawn = np.arange(max(0, n - others), min(n, holders) + 1, dtype=np.int64)
    x = drawn[:-1].astype(np.float64)
    # Hypergeometric: h(x + 1) / h(x) = (K - x)(n - x) / ((x + 1)(N - K - n + x + 1)).
    # Ratios stay accurate for huge N, logarithms of factorials do not.
    steps = np.log(holders - x) + np.log(n - x) - np.log(x + 1) - np.log(others - n + x + 1)
    logs = np.concatenate(([0.0], np.cumsum(steps)))
    weights = np.exp(logs - logs.max())
    return drawn, weights / weights.sum()


@lru_cache(maxsize=2)
def _tails(n: int, p: float, q: float) -> NDArray[np.float64]:
    """Return P(C ≥ c) in row x, column c, when x of the n people asked hold the category."""
    angles = 2 * np.pi * np.arange((n + 1) // 2 + 1) / (n + 1)
    turn = np.exp(-1j * angles)
    # E[s^C] = (1 - p + p s)^x (1 - q + q s)^(n - x) at the roots of unity, transformed back
    transform = _powers(1 - p + p * turn, n) * _powers(1 - q + q * turn, n)[::-1]
    chances = np.fft.irfft(transform, n + 1, axis=1)
    return np.cumsum(chances[:, ::-1], axis=1)[:, ::-1]


def _powers(base: NDArray[np.complex128], n: int) -> NDArray[np.complex128]:
    """Return the powers 0 … n of the numbers, one power per row."""
    powers = np.broadcast_to(base, (n + 1, base.size)).copy()
    powers[0] = 1
    return np.asarray(np.cumprod(powers, axis=0), np.complex128)
