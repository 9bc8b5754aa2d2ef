"""Confidence intervals for the rate of a binomial count, from a few reports to a thousand million.

The reports of respondents who are a sample are exactly binomial, so an interval for the rate,
mapped by the design, is one for the share. The rule here: `exact` covers with at least its level,
whatever the rate; no limit is NaN. Counts may be single numbers or arrays of many cells.
"""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.support import Figures

Method = Literal["wilson", "exact", "wald"]
METHODS: tuple[Method, ...] = get_args(Method)

# Wilson's limits follow the normal law. A count c is skewed, and the first error of a tail at z is z³/(6√c) of itself.
# From 30 reports on, enumerated over all rates and n up to 3,000, 95 % limits cover .938 or more; further out the error
# stays the same if c grows as z⁶. For levels below 95 % the 30 remain.
_FEWEST_REPORTS, _AT_LEVEL = 30, 0.95
_LARGEST_LEVEL = math.nextafter(1.0, 0.0)


@dataclass(frozen=True)
class Interval:
    """Two limits in order."""

    low: float
    high: float

    def __post_init__(self) -> None:
        """Refuse limits that are out of order or not numbers."""
        if not self.low <= self.high:
            raise EstimateError(f"the limits {self.low} and {self.high} are not in order: give the lower one first")

    def to_json(self) -> dict[str, float]:
        """Return the limits by name."""
        return {"low": self.low, "high": self.high}


@dataclass(frozen=True, eq=False)
class Limits:
    """The lower and the upper limits of many cells, or of one."""

    low: Figures
    high: Figures

    def mapped(self, gap: float, start: float) -> "Limits":
        """Return the limits of (x - start) / gap; the gap is positive, so they stay in order."""
        return Limits((self.low - start) / gap, (self.high - start) / gap)


def choose_method(count: ArrayLike, n: ArrayLike, level: float) -> Method:
    """Return Wilson's method if every cell has enough reports on either side, the exact one otherwise."""
    rarer = np.minimum(count, np.subtract(n, count))
    return "wilson" if rarer.size and rarer.min() >= fewest_reports(level) else "exact"


def fewest_reports(level: float) -> float:
    """Return how many reports for a cell, and how many others, the normal law needs at this level."""
    return _FEWEST_REPORTS * max(1.0, normal_quantile(level) / normal_quantile(_AT_LEVEL)) ** 6


def level_of_each(level: float, coverage: str, figures: int) -> float:
    """Return the level of each of several figures that hold at the level alone, or with `simultaneous` together."""
    # Bonferroni: α/k, as far as a float can distinguish 1 - α/k from 1. Wilson's limits with it are Goodman's (1965).
    return min(_LARGEST_LEVEL, 1 - (1 - level) / figures) if coverage == "simultaneous" else level


def check_method(method: str) -> Method:
    """Return a known method's name, or refuse it."""
    for known in METHODS:
        if method == known:
            return known
    raise EstimateError(f"there is no method {method!r}: choose one of {', '.join(METHODS)}")


def normal_quantile(level: float) -> float:
    """Return the z of a two-sided normal interval."""
    # z = Φ⁻¹(1 - α/2) = -Φ⁻¹(α/2)
    return -float(special.ndtri((1 - level) / 2))


def wald(count: ArrayLike, n: ArrayLike, level: float) -> Limits:
    """Return the textbook interval, which is too short for counts near 0 and n and has no width at them."""
    rate = np.divide(count, n)
    # λ̂ ± z √(λ̂(1 - λ̂)/n)
    half = normal_quantile(level) * np.sqrt(rate * (1 - rate) / np.asarray(n))
    return Limits(rate - half, rate + half)


def wilson(count: ArrayLike, n: ArrayLike, level: float) -> Limits:
    """Return the rates that a score test does not reject."""
    z = normal_quantile(level)
    return Limits(_wilson_low(count, n, z), 1 - _wilson_low(np.subtract(n, count), n, z))


def clopper_pearson(count: ArrayLike, n: ArrayLike, level: float) -> Limits:
    """Return the rates that neither exact binomial tail rejects."""
    return exact_limits(count, n, (1 - level) / 2)


def exact_limits(count: ArrayLike, n: ArrayLike, tail: float) -> Limits:
    """Return the rates at which the exact binomial tail beyond the count is `tail`, on either side."""
    supporting, others = np.asarray(count), np.subtract(n, count)
    # P(Bin(n, low) ≥ c) = α/2 and P(Bin(n, high) ≤ c) = α/2, both by the beta distribution
    low = special.betaincinv(np.maximum(supporting, 1), others + 1, tail)
    high = special.betainccinv(supporting + 1, np.maximum(others, 1), tail)
    return Limits(np.where(supporting == 0, 0.0, low), np.where(others == 0, 1.0, high))


def _wilson_low(count: ArrayLike, n: ArrayLike, z: float) -> Figures:
    rate, t = np.divide(count, n), z * z / np.asarray(n)
    # The limits solve (λ̂ - λ)² = t λ(1 - λ); their product is λ̂²/(1 + t), so the smaller one needs
    # no subtraction: low = λ̂² / (λ̂ + t/2 + √(t λ̂(1 - λ̂) + t²/4)), and is 0 without support
    below = rate + t / 2 + np.sqrt(t * rate * (1 - rate) + t * t / 4)
    # At a level so near 0 that z is 0, the denominator can be 0.
    return np.asarray(np.divide(rate * rate, below, out=np.zeros_like(below), where=below > 0))
