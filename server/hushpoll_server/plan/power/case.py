"""What every planned test has in common: the power at a size, and the smallest size with the power that is wanted.

The rule here: by the approximation every larger size has the power too, and one respondent fewer does not. At small
sizes the real test is enumerated; its power jumps up and down with n, so the size is the first from which it is never
missed again, up to where enumeration ends. Which of the two was used is a part of the result.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from scipy import special

from hushpoll_server.estimate.results import Json
from hushpoll_server.plan.sizes import LARGEST_N, PlanError

# How far the rounding of groups can move the smallest size.
_NEAR = 50
# Beyond this noncentrality the noncentral χ² law is not summed.
_FAR = 10_000.0
# A power at or below alpha says nothing, and one of 1 takes everybody.
_MOST_POWER = 0.999999
NOTHING_TO_FIND = "There is nothing to find: the hypothesis is true, so this is how often the test is wrong."


@dataclass(frozen=True, kw_only=True)
class Power:
    """The probability that a test at `alpha` finds what is there, with these sizes of the groups.

    `method` says where it comes from; `approximate` is that of the approximation, whichever was used.
    """

    test: str
    power: float
    n: tuple[int, ...]
    alpha: float
    method: str
    approximate: float
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return what `hushpoll power --json` prints."""
        return {
            "test": self.test,
            "power": self.power,
            "n": list(self.n),
            "total": sum(self.n),
            "alpha": self.alpha,
            "method": self.method,
            "approximate": self.approximate,
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, kw_only=True)
class Case(ABC):
    """A test with what is assumed to be true. n is the size of the first group, or of the only one."""

    alpha: float = 0.05

    TEST: ClassVar[str]
    METHOD: ClassVar[str] = "normal"
    # The largest size at which the real test is enumerated; 0 where it is not.
    MOST_EXACT: ClassVar[int] = 0

    def __post_init__(self) -> None:
        """Refuse an alpha that no test can have."""
        if not 1e-6 <= self.alpha <= 0.5:
            raise PlanError(f"the alpha {self.alpha} is not between 0.000001 and 0.5: give one such as 0.05")

    @property
    def approximation(self) -> str:
        """Return the name of the approximation."""
        return self.METHOD

    @property
    @abstractmethod
    def is_null(self) -> bool:
        """Return whether the hypothesis that is tested is true."""

    @abstractmethod
    def approximate(self, n: int) -> float:
        """Return the power by an approximation that rises with n."""

    def exact(self, n: int) -> float:
        """Return the power of the real test, by enumeration."""
        raise NotImplementedError(f"{self.TEST} is not enumerated at n = {n}")

    def sizes(self, n: int) -> tuple[int, ...]:
        """Return the sizes of all groups."""
        return (n,)

    def at(self, n: int) -> Power:
        """Return the power with this size."""
        if not 1 <= n <= LARGEST_N:
            raise PlanError(f"the size {n} is not between 1 and {LARGEST_N}: give a number of respondents")
        approximate, is_exact = self.approximate(n), max(self.sizes(n)) <= self.MOST_EXACT
        return Power(
            test=self.TEST,
            power=self.exact(n) if is_exact else approximate,
            n=self.sizes(n),
            alpha=self.alpha,
            method="exact" if is_exact else self.approximation,
            approximate=approximate,
            warnings=(NOTHING_TO_FIND,) if self.is_null else (),
        )

    def smallest(self, power: float) -> Power:
        """Return the smallest size from which on the power is reached."""
        self._check_goal(power)
        enough = self._smallest_approximate(power)
        most = self._most_exact()
        if enough > most:
            return self.at(enough)
        while most and self.exact(most) >= power:
            enough, most = most, most - 1
        # Where even the largest enumerated size misses the power, the approximation takes over beyond it.
        return self.at(enough if most < self._most_exact() else self._most_exact() + 1)

    def _most_exact(self) -> int:
        """Return the largest n at which no group is too large to enumerate."""
        most = self.MOST_EXACT
        while most and max(self.sizes(most)) > self.MOST_EXACT:
            most -= 1
        return most

    def _smallest_approximate(self, power: float) -> int:
        enough = 1
        while self.approximate(enough) < power:
            enough *= 2
            if enough > LARGEST_N:
                raise PlanError(f"a power of {power:g} takes more than {LARGEST_N:,} respondents: raise epsilon")
        too_few = enough // 2
        while enough - too_few > 1:
            middle = (too_few + enough) // 2
            too_few, enough = (too_few, middle) if self.approximate(middle) >= power else (middle, enough)
        # A second group that is rounded up makes small steps down possible: the last of them counts.
        near = range(max(1, enough - _NEAR), enough + _NEAR)
        return max((n + 1 for n in near if self.approximate(n) < power), default=1)

    def _check_goal(self, power: float) -> None:
        if not self.alpha < power <= _MOST_POWER:
            raise PlanError(f"the power {power} is not between alpha and {_MOST_POWER}: give one such as 0.8")
        if self.is_null:
            raise PlanError("there is nothing to find, so no number of respondents finds it: give another effect")


def normal_power(difference: float, se_null: float, se_true: float, alpha: float) -> float:
    """Return the power of a two-sided test that divides by one standard error while another is the true one."""
    reach = -float(special.ndtri(alpha / 2)) * se_null
    # Φ((D - z·se₀)/se₁) and, on the other side, Φ((-D - z·se₀)/se₁). As n grows the first argument rises faster than
    # the second falls, and is nearer to 0: the sum rises.
    gap = abs(difference)
    if se_true == 0:
        return float(gap > reach)
    return float(special.ndtr((gap - reach) / se_true) + special.ndtr((-gap - reach) / se_true))


def chi_square_power(noncentrality: float, degrees: int, alpha: float) -> float:
    """Return the probability that a noncentral χ² exceeds the critical value of a central one."""
    critical = special.chdtri(degrees, alpha)
    if noncentrality > _FAR:
        # Then it is normal to a few digits, and the power is 1 to all of them.
        spread = math.sqrt(2 * (degrees + 2 * noncentrality))
        return float(special.ndtr((degrees + noncentrality - critical) / spread))
    return min(1.0, max(0.0, 1 - float(special.chndtr(critical, degrees, noncentrality))))


def check_share(share: float, name: str = "share") -> None:
    """Refuse a share that no population has."""
    if not 0 <= share <= 1:
        raise PlanError(f"the {name} {share:g} is not between 0 and 1: give one such as 0.3")


def check_shares(shares: Sequence[float]) -> None:
    """Refuse shares that no population has."""
    for share in shares:
        check_share(share)
