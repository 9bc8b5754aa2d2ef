"""How many people to ask: the margin and the power that n respondents give, and the smallest n.

By the normal approximation of the interval. The rule here: the smallest n is exact. One respondent fewer misses the
goal, and planning with the margin that n respondents give returns n.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from scipy import special

from hushpoll_server.estimate.errors import check_level
from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.mechanisms.variance import ShareVariance, Variance
from hushpoll_shared.errors import InvalidValue

LARGEST_N = 10**15


class PlanError(InvalidValue):
    """A goal that no survey reaches; the message says what to change."""


@dataclass(frozen=True)
class Sample:
    """What is known in advance: the confidence level, the population if declared, a share if guessed."""

    level: float = 0.95
    population: int | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        """Refuse a level that no interval can have."""
        check_level(self.level)

    @property
    def most(self) -> int:
        """Return the largest number of people who can be asked."""
        return self.population or LARGEST_N

    @property
    def start(self) -> float:
        """Return the share that a difference is measured from."""
        return 0.5 if self.share is None else self.share

    def unsampled(self, n: int) -> float:
        """Return s = 1 − n/N."""
        return 1 - n / self.population if self.population else 1.0

    def margin(self, variance: Variance, n: int) -> float:
        """Return the half-width of the interval, z·√(variance/n)."""
        return self.half_width(variance.at(self.share, self.unsampled(n)) / n)

    def half_width(self, squared_error: float) -> float:
        """Return the normal margin of error of an estimate with this variance."""
        return normal_quantile(self.level) * math.sqrt(squared_error)


class Goal(ABC):
    """What a survey must reach; more respondents or a larger epsilon never make it worse."""

    sample: Sample

    @abstractmethod
    def miss(self, variance: Variance, n: int) -> float:
        """Return how far the goal is missed, on a smooth scale; zero or less if it is reached."""

    @abstractmethod
    def __str__(self) -> str:
        """Return the goal in words."""


@dataclass(frozen=True)
class MarginGoal(Goal):
    """An interval of at most this half-width."""

    sample: Sample
    margin: float

    def miss(self, variance: Variance, n: int) -> float:
        """Return the logarithm of the ratio of the margin to the goal's."""
        margin = self.sample.margin(variance, n)
        return math.log(margin / self.margin) if margin else -math.inf

    def __str__(self) -> str:
        """Return the goal in words."""
        return f"a margin of ±{self.margin:g}"


@dataclass(frozen=True)
class PowerGoal(Goal):
    """A test at significance 1 − level that detects a difference with at least this probability."""

    sample: Sample
    difference: float
    power: float

    def miss(self, variance: Variance, n: int) -> float:
        """Return how much power is missing."""
        return self.power - power(variance, self.sample, self.difference, n)

    def __str__(self) -> str:
        """Return the goal in words."""
        return f"a power of {self.power:g} for a difference of {self.difference:g}"


def power(variance: Variance, sample: Sample, difference: float, n: int) -> float:
    """Return the probability that the two-sided test with n respondents detects a difference."""
    is_share = isinstance(variance, ShareVariance)
    first, second = (sample.start, sample.start + difference) if is_share else (None, None)
    unsampled = sample.unsampled(n)
    before = sample.half_width(variance.at(first, unsampled) / n)
    after = math.sqrt(variance.at(second, unsampled) / n)
    if not after:
        return float(difference > before)
    # 1 − Φ((z·se0 − D)/se1) and, on the other side, Φ((−z·se0 − D)/se1)
    return float(special.ndtr((difference - before) / after) + special.ndtr((-before - difference) / after))


def smallest_n(variance: Variance, goal: Goal) -> int:
    """Return the smallest number of respondents that reaches the goal."""
    most = goal.sample.most
    enough = 1
    while enough < most and goal.miss(variance, enough) > 0:
        enough = min(2 * enough, most)
    if goal.miss(variance, enough) > 0:
        raise PlanError(_out_of_reach(variance, goal))
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if goal.miss(variance, middle) > 0:
            too_few = middle
        else:
            enough = middle
    return enough


def respondents(variance: Variance, goal: Goal) -> tuple[float, float]:
    """Return how many respondents a design takes, and how far it misses the goal with them: to compare designs by."""
    try:
        n = smallest_n(variance, goal)
    except PlanError:
        return math.inf, goal.miss(variance, goal.sample.most)
    return n, goal.miss(variance, n)


def _out_of_reach(variance: Variance, goal: Goal) -> str:
    if goal.sample.population is None:
        return f"{goal} takes more than {LARGEST_N:,} respondents: raise epsilon or accept less precision"
    census = goal.sample.margin(variance, goal.sample.most)
    return (
        f"{goal} cannot be reached: even if all {goal.sample.most:,} people answer, "
        f"the randomizing leaves ±{census:.3g}: raise epsilon or accept less precision"
    )
