"""Pure designs: how the share of supporting reports and the true share determine each other.

A report supports a category with probability p if the respondent's truth is that category, and with probability q
if it is not. This holds for Warner's yes/no design, k-ary randomized response and subset selection alike, so all of
them are estimated by the same few lines. Law kept here: p above q or below it, the true share keeps its meaning.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from hushpoll_server.estimate.errors import EstimateError

# Keeps p and 1 - p both inside (0, 1) as floats, however large the epsilon.
_CLOSEST = 2.0**-53


@dataclass(frozen=True, init=False)
class SupportDesign:
    """Hold the two probabilities of support, p for holders of a category and q for all others."""

    p: float
    q: float

    def __init__(self, p: float | Fraction, q: float | Fraction) -> None:
        """Turn exact or floating probabilities into floats, once: estimation is not the privacy path."""
        object.__setattr__(self, "p", _probability(p, "p"))
        object.__setattr__(self, "q", _probability(q, "q"))
        if self.p == self.q:
            raise EstimateError("p and q are equal, so reports tell nothing about the answers: choose a larger epsilon")

    @property
    def gap(self) -> float:
        """Return p - q, negative for a spinner below one half."""
        return self.p - self.q

    def share(self, rate: float) -> float:
        """Return the true share that gives this rate of supporting reports."""
        # f = (λ - q) / (p - q)
        return (rate - self.q) / self.gap

    def rate(self, share: float) -> float:
        """Return the rate of supporting reports that this true share gives."""
        # λ = q + f (p - q)
        return self.q + share * self.gap

    def privacy_variance(self, share: float) -> float:
        """Return the variance for each respondent that the randomizing alone causes."""
        # V̄(f) = [f p (1 - p) + (1 - f) q (1 - q)] / (p - q)²
        return (share * self.p * (1 - self.p) + (1 - share) * self.q * (1 - self.q)) / self.gap**2

    def relabelled(self) -> Self:
        """Return the same design told by the reports that do not support the category."""
        return type(self)(1 - self.p, 1 - self.q)


@dataclass(frozen=True)
class Tally:
    """Hold the supporting reports of one category among n, with the design and, if declared, the population."""

    count: int
    n: int
    design: SupportDesign
    population: int | None = None

    def __post_init__(self) -> None:
        """Refuse figures that no survey can have."""
        if not 0 <= self.count <= self.n:
            raise EstimateError(f"the count {self.count} is not between 0 and n = {self.n}: check both figures")
        if self.population is not None and self.population < self.n:
            raise EstimateError(
                f"the population {self.population} is smaller than n = {self.n}: count everybody who could be asked"
            )

    @property
    def rate(self) -> float:
        """Return the observed rate of supporting reports."""
        return self.count / self.n

    @property
    def share(self) -> float:
        """Return the unbiased estimate of the true share, which may be outside [0, 1]."""
        return self.design.share(self.rate)

    @property
    def sampled(self) -> float:
        """Return the part of the population that was asked: 0 if it has no bound, 1 in a census."""
        return 0.0 if self.population is None else self.n / self.population

    @property
    def one_sided(self) -> bool:
        """Tell whether all reports say the same."""
        return self.count in (0, self.n)

    def variance(self) -> float:
        """Return the plug-in variance of the estimated share."""
        # With x the true answers, z the debiased reports and N the population:
        #   Var(z̄) = (1 - n/N) S_x²/n + V̄/n   and   E[s_z²] = S_x² + V̄,   therefore
        #   Var(z̄) = (1 - n/N) E[s_z²]/n + V̄/N: asking everybody (N = n) leaves V̄/n.
        # s_z² is plug-in (divisor n), so that a boundless population gives λ̂(1 - λ̂) / (n (p - q)²).
        # V̄ needs no clamping: (p - q)² V̄(f) = λ(1 - λ) - (p - q)² f(1 - f), and for f outside [0, 1] neither
        # term is negative as long as the rate is in [0, 1].
        spread = self.rate * (1 - self.rate) / self.design.gap**2
        privacy = self.design.privacy_variance(self.share)
        return ((1 - self.sampled) * spread + self.sampled * privacy) / self.n

    def price_of_privacy(self) -> float:
        """Return the part of the variance that is owed to the randomizing, at the nearest possible share."""
        possible = clamp(self.share)
        privacy = self.design.privacy_variance(possible)
        # V̄ / (V̄ + (1 - n/N) f (1 - f)): in a census everything is owed to it
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


def clamp(share: float) -> float:
    """Return the nearest share that a population can have."""
    return min(1.0, max(0.0, share))


def _probability(value: float | Fraction, name: str) -> float:
    if not 0 < value < 1:
        raise EstimateError(
            f"{name} = {value} is not strictly between 0 and 1: give the design's probability of support"
        )
    return min(1 - _CLOSEST, max(_CLOSEST, float(value)))
