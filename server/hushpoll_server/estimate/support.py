"""Pure designs: how the share of supporting reports and the true share determine each other.

A report supports a category with probability p if the respondent's true answer is that category, and with probability q
if it is not. This holds for Warner's yes/no design, k-ary randomized response, subset selection, projective geometry,
PrivSet, the Hamming ball (among the reports that asked the option) and repeated draws alike, so all of
them are estimated by the same few lines. The rule here: the true share means the same whether p is above q or below it.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushpoll_server.estimate.errors import EstimateError, check_population

Counts = NDArray[np.int64]
Figures = NDArray[np.float64]
Number = TypeVar("Number", float, Figures)

# Keeps p and 1 - p both inside (0, 1) as floats, however large the epsilon.
LEAST_PROBABILITY = 2.0**-53


@dataclass(frozen=True, init=False)
class SupportDesign:
    """The two probabilities of support, p for holders of a category and q for all others."""

    p: float
    q: float

    def __init__(self, p: float | Fraction, q: float | Fraction) -> None:
        """Convert the probabilities to floats once: privacy does not depend on estimation."""
        object.__setattr__(self, "p", _probability(p, "p"))
        object.__setattr__(self, "q", _probability(q, "q"))
        if self.p == self.q:
            raise EstimateError("p and q are equal, so reports say nothing about the answers: choose a larger epsilon")

    @property
    def gap(self) -> float:
        """Return p - q, negative for a yes/no design that tells the truth less than half of the time."""
        return self.p - self.q

    def share(self, rate: Number) -> Number:
        """Return the true share that gives this rate of supporting reports."""
        # f = (λ - q) / (p - q)
        return (rate - self.q) / self.gap

    def rate(self, share: Number) -> Number:
        """Return the rate of supporting reports that this true share gives."""
        # λ = q + f (p - q)
        return self.q + share * self.gap

    def privacy_variance(self, share: Number) -> Number:
        """Return the variance for each respondent that the randomizing alone causes."""
        # V̄(f) = [f p (1 - p) + (1 - f) q (1 - q)] / (p - q)²
        return (share * self.p * (1 - self.p) + (1 - share) * self.q * (1 - self.q)) / self.gap**2

    def relabelled(self) -> Self:
        """Return the same design in terms of the reports that do not support the category."""
        return type(self)(1 - self.p, 1 - self.q)


@dataclass(frozen=True, init=False, eq=False)
class Tally:
    """The numbers of supporting reports of one or many categories, with the design and any declared population.

    `count` and `n` are arrays of one shape (no dimension for a single category); every figure has that shape.
    """

    count: Counts
    n: Counts
    design: SupportDesign
    population: int | None

    def __init__(self, count: ArrayLike, n: ArrayLike, design: SupportDesign, population: int | None = None) -> None:
        """Refuse figures that no survey can have."""
        counts, totals = np.broadcast_arrays(np.asarray(count, np.int64), np.asarray(n, np.int64))
        object.__setattr__(self, "count", counts)
        object.__setattr__(self, "n", totals)
        object.__setattr__(self, "design", design)
        object.__setattr__(self, "population", population)
        _check_counts(counts, totals)
        check_population(population, int(totals.max(initial=0)))

    @property
    def rate(self) -> Figures:
        """Return the observed rate of supporting reports."""
        return self.count / self.n

    @property
    def share(self) -> Figures:
        """Return the unbiased estimate of the true share, which may be outside [0, 1]."""
        return self.design.share(self.rate)

    @property
    def sampled(self) -> Figures:
        """Return the fraction of the population that was asked: 0 if it is infinite, 1 in a census."""
        return self.n / np.inf if self.population is None else self.n / self.population

    @property
    def one_sided(self) -> NDArray[np.bool_]:
        """Return whether all reports say the same about each category."""
        return np.asarray((self.count == 0) | (self.count == self.n))

    def variance(self) -> Figures:
        """Return the plug-in variance of the estimated share."""
        # With x the true answers, z the debiased reports and N the population:
        #   Var(z̄) = (1 - n/N) S_x²/n + V̄/n   and   E[s_z²] = S_x² + V̄,   therefore
        #   Var(z̄) = (1 - n/N) E[s_z²]/n + V̄/N: asking everybody (N = n) leaves V̄/n.
        # s_z² is plug-in (divisor n), so that an infinite population gives λ̂(1 - λ̂) / (n (p - q)²).
        # V̄ needs no clamping: (p - q)² V̄(f) = λ(1 - λ) - (p - q)² f(1 - f), and for f outside [0, 1] neither
        # term is negative as long as the rate is in [0, 1].
        return self._variance_at(self.rate)

    def standard_error(self) -> Figures:
        """Return the root of the plug-in variance, never 0: where all reports agree, at the nearest possible rate."""
        # Half a report is added on either side, and the rate is no further out than the design can produce: with
        # p = 3/4 a share of 1 still gives reports of both kinds.
        least, most = sorted((self.design.p, self.design.q))
        nearest = np.clip((self.count + 0.5) / (self.n + 1), least, most)
        return np.sqrt(self._variance_at(np.where(self.one_sided, nearest, self.rate)))

    def _variance_at(self, rate: Figures) -> Figures:
        observed = rate * (1 - rate) / self.design.gap**2
        privacy = self.design.privacy_variance(self.design.share(rate))
        return ((1 - self.sampled) * observed + self.sampled * privacy) / self.n

    def price_of_privacy(self) -> Figures:
        """Return the fraction of the variance that the randomizing causes, at the nearest possible share."""
        possible = clamp(self.share)
        privacy = self.design.privacy_variance(possible)
        # V̄ / (V̄ + (1 - n/N) f (1 - f)): 1 in a census
        return privacy / (privacy + (1 - self.sampled) * possible * (1 - possible))

    def oriented(self) -> "Tally":
        """Return the tally with p above q, for the same share and the same law of the estimate."""
        if self.design.gap > 0:
            return self
        return replace(self, count=self.n - self.count, design=self.design.relabelled())

    def complement(self) -> "Tally":
        """Return the tally of everybody outside the category: its share is one minus this share."""
        design = SupportDesign(1 - self.design.q, 1 - self.design.p)
        return replace(self, count=self.n - self.count, design=design)

    def of(self, cells: NDArray[np.bool_] | NDArray[np.intp]) -> "Tally":
        """Return the tally of some of the categories."""
        return replace(self, count=self.count[cells], n=self.n[cells])


def clamp(share: Figures) -> Figures:
    """Return the nearest shares that a population can have, each by itself."""
    return np.clip(share, 0.0, 1.0)


def _check_counts(counts: Counts, totals: Counts) -> None:
    wrong = np.flatnonzero((counts < 0) | (counts > totals))
    if wrong.size:
        count, n = counts.flat[wrong[0]], totals.flat[wrong[0]]
        raise EstimateError(f"the count {count} is not between 0 and n = {n}: check both figures")


def _probability(value: float | Fraction, name: str) -> float:
    if not 0 < value < 1:
        raise EstimateError(
            f"{name} = {value} is not strictly between 0 and 1: give the design's probability of support"
        )
    return min(1 - LEAST_PROBABILITY, max(LEAST_PROBABILITY, float(value)))
