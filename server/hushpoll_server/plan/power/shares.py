"""The power of tests of shares: one against a value, the difference of two groups, a change between two waves.

    power = Φ((D - z·se₀)/se₁) + Φ((-D - z·se₀)/se₁),   se = √(λ(1 - λ)/n)/(p - q)

se₀ is what the test divides by if there is no difference, se₁ the true standard error. Up to 1,000 respondents (200 in
each of two groups) the test that `hushpoll estimate` and `hushpoll compare` make is enumerated instead. The rule here:
what is enumerated is that test itself, with its choice of methods, and not an idealized one.

References: J. L. Fleiss, B. Levin, M. C. Paik (2003), Statistical Methods for Rates and Proportions; J. M. Lachin
(1981), Controlled Clinical Trials 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special, stats

from hushpoll_server.estimate.groups.differences import FEWEST_EXPECTED
from hushpoll_server.estimate.intervals import fewest_reports
from hushpoll_server.estimate.shares import share_limits
from hushpoll_server.estimate.support import Figures, SupportDesign, Tally
from hushpoll_server.plan.power.case import Case, check_share, normal_power
from hushpoll_server.plan.sizes import PlanError

_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class ShareCase(Case):
    """One share against a value: rejected where the interval of `hushpoll estimate` does not hold the value."""

    share: float
    value: float
    design: SupportDesign

    TEST: ClassVar[str] = "share"
    MOST_EXACT: ClassVar[int] = 1000

    def __post_init__(self) -> None:
        """Refuse shares that no population has."""
        super().__post_init__()
        check_share(self.share)
        check_share(self.value, "value")

    @property
    def is_null(self) -> bool:
        """Return whether the share is the value."""
        return self.share == self.value

    def approximate(self, n: int) -> float:
        """Return the power of the score test, which is Wilson's interval."""
        null, true = (standard_error(self.design, share, n) for share in (self.value, self.share))
        return normal_power(self.share - self.value, null, true, self.alpha)

    def exact(self, n: int) -> float:
        """Return the probability of the counts whose interval does not hold the value."""
        counts = np.arange(n + 1)
        tally, level = Tally(counts, n, self.design), 1 - self.alpha
        wilson, exact = (share_limits(tally, level, method) for method in ("wilson", "exact"))
        is_enough = np.minimum(counts, n - counts) >= fewest_reports(level)
        low, high = (np.where(is_enough, *sides) for sides in ((wilson.low, exact.low), (wilson.high, exact.high)))
        chances = stats.binom.pmf(counts, n, self.design.rate(self.share))
        return float(chances @ ((self.value < low) | (self.value > high)))


@dataclass(frozen=True, kw_only=True)
class DifferenceCase(Case):
    """Two groups of different people, the second `ratio` times as large: the test of `hushpoll compare`."""

    shares: tuple[float, float]
    designs: tuple[SupportDesign, SupportDesign]
    ratio: float = 1.0

    TEST: ClassVar[str] = "difference"
    MOST_EXACT: ClassVar[int] = 200

    def __post_init__(self) -> None:
        """Refuse shares that no population has, and groups without people."""
        super().__post_init__()
        for share in self.shares:
            check_share(share)
        check_ratio(self.ratio)

    @property
    def is_null(self) -> bool:
        """Return whether the shares are equal."""
        return self.shares[0] == self.shares[1]

    def sizes(self, n: int) -> tuple[int, int]:
        """Return the sizes of both groups."""
        return n, second_size(n, self.ratio)

    def approximate(self, n: int) -> float:
        """Return the power of the test of two rates with a pooled variance; without one where the designs differ."""
        one, other = self._oriented
        sizes, (f, g) = self.sizes(n), self.shares
        se = math.hypot(standard_error(one, f, sizes[0]), standard_error(other, g, sizes[1]))
        if one != other:
            return normal_power(f - g, se, se, self.alpha)
        pooled = (sizes[0] * f + sizes[1] * g) / sum(sizes)
        null = math.hypot(*(standard_error(one, pooled, size) for size in sizes))
        return normal_power(f - g, null, se, self.alpha)

    @property
    def _oriented(self) -> tuple[SupportDesign, SupportDesign]:
        one, other = (design if design.gap > 0 else design.relabelled() for design in self.designs)
        return one, other

    def exact(self, n: int) -> float:
        """Return the probability of the pairs of counts that the test rejects."""
        sizes, designs = self.sizes(n), self._oriented
        laws = [
            stats.binom.pmf(np.arange(size + 1), size, design.rate(share))
            for size, design, share in zip(sizes, designs, self.shares, strict=True)
        ]
        first, second = (Tally(np.arange(size + 1), size, design) for size, design in zip(sizes, designs, strict=True))
        return float(laws[0] @ rejected(first, second, self.alpha) @ laws[1])


def rejected(first: Tally, second: Tally, alpha: float) -> Figures:
    """Return 1 for every pair of counts at which `difference_between` has a p-value below alpha, 0 elsewhere."""
    f, g = first.share[:, np.newaxis], second.share
    one, other = (share_limits(tally, 1 - alpha, "wilson") for tally in (first, second))
    below, above = (f - one.low[:, np.newaxis], one.high[:, np.newaxis] - f)
    # By variance recovery: 0 lies below the lower limit, or above the upper one
    is_outside = (f - g > np.hypot(below, other.high - g)) | (g - f > np.hypot(above, g - other.low))
    if first.design != second.design:
        return is_outside.astype(float)
    n, m = int(first.n[0]), int(second.n[0])
    rate = (first.count[:, np.newaxis] + second.count) / (n + m)
    error = np.sqrt(rate * (1 - rate) * (1 / n + 1 / m)) / first.design.gap
    is_ordinary = np.minimum(rate, 1 - rate) * min(n, m) >= FEWEST_EXPECTED
    is_far = np.abs(f - g) > -special.ndtri(alpha / 2) * error
    return np.where(is_ordinary, is_far, is_outside).astype(float)


@dataclass(frozen=True, kw_only=True)
class ChangeCase(Case):
    """The same people in two waves; `correlation` is that of a person's two reports."""

    shares: tuple[float, float]
    design: SupportDesign
    correlation: float = 0.0

    TEST: ClassVar[str] = "change"

    def __post_init__(self) -> None:
        """Refuse shares that no population has, and correlations that two such reports cannot have."""
        super().__post_init__()
        for share in self.shares:
            check_share(share)
        one, other = (self.design.rate(share) for share in self.shares)
        both = one * other + self.correlation * math.sqrt(one * (1 - one) * other * (1 - other))
        if not max(0.0, one + other - 1) - _ROUNDING <= both <= min(one, other) + _ROUNDING:
            raise PlanError(
                f"two reports with these rates cannot have the correlation {self.correlation:g}: give one nearer to 0"
            )

    @property
    def is_null(self) -> bool:
        """Return whether nothing changes."""
        return self.shares[0] == self.shares[1]

    def approximate(self, n: int) -> float:
        """Return the power of the change divided by its standard error."""
        one, other = (standard_error(self.design, share, n) for share in self.shares)
        # Var(f̂₂ - f̂₁) = v₁ + v₂ - 2ρ√(v₁v₂)
        se = math.sqrt(max(0.0, one**2 + other**2 - 2 * self.correlation * one * other))
        return normal_power(self.shares[1] - self.shares[0], se, se, self.alpha)


def standard_error(design: SupportDesign, share: float, n: int) -> float:
    """Return √(λ(1 - λ)/n)/|p - q|."""
    rate = design.rate(share)
    return math.sqrt(rate * (1 - rate) / n) / abs(design.gap)


def second_size(n: int, ratio: float) -> int:
    """Return the size of a second group that is so many times as large, rounded up."""
    return max(1, math.ceil(n * ratio - _ROUNDING * n * ratio))


def check_ratio(ratio: float) -> None:
    """Refuse a second group that is too small or too large to be one."""
    if not 0.001 <= ratio <= 1000:
        raise PlanError(
            f"the ratio {ratio:g} is not between 0.001 and 1000: give the second group's size over the first's"
        )
