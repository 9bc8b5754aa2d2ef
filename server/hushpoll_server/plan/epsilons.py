"""How much privacy a goal allows: the smallest epsilon, to four decimals, whose best design reaches it.

A design of one shape (its picks, its asked options) only gets better as epsilon grows. Where the best shape
changes, the worst share can be estimated less precisely than just before, although the total over all shares is
estimated better: with 128 categories its variance rises by up to 91 %. So the search goes from shape to shape, upwards.

The rule here: the epsilon that is returned reaches the goal and the one 0.0001 below it does not; for questions with
categories no smaller one does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

from scipy import optimize

from hushpoll_server.mechanisms import Bound, Mechanism
from hushpoll_server.mechanisms.bound import LARGEST_EPSILON
from hushpoll_server.plan.sizes import Goal, PlanError, smallest_n
from hushpoll_server.plan.variances import best_possible, is_mean, without_privacy
from hushpoll_shared.mechanisms import Design
from hushpoll_shared.question_types import QuestionType

# Steps in an epsilon of 1.
STEPS = 10_000
# With a larger epsilon a mean is as precise as if asked directly, and the linear programs are hard to solve.
LARGEST_FOR_MEANS = 10
_GROWTH = 1.25

Make = Callable[[Bound], Mechanism[Design]]


def smallest_epsilon(question_type: QuestionType, make: Make, goal: Goal, n: int) -> Bound:
    """Return the smallest epsilon with which n respondents reach the goal."""
    if goal.miss(without_privacy(question_type), n) > 0:
        needed = smallest_n(without_privacy(question_type), goal)
        raise PlanError(
            f"{goal} takes {needed:,} respondents even without privacy, more than {n:,}: ask more people "
            "or accept less precision"
        )
    search = _Search(question_type, make, goal, n)
    low = search.first_possible()
    first = search.first_reaching(low, search.high_enough(low))
    assert first is not None, "the upper end reaches the goal"
    return _bound(first)


@dataclass(frozen=True)
class _Search:
    """A search among epsilons, counted in steps of 0.0001."""

    type: QuestionType
    make: Make
    goal: Goal
    n: int

    @cached_property
    def best(self) -> Callable[[int], Mechanism[Design]]:
        """Return the best mechanism at an epsilon, computed once: a channel is slow to compute."""
        return cache(lambda step: self.make(_bound(step)))

    def miss(self, step: float) -> float:
        """Return how far the goal is missed."""
        return self.goal.miss(self.best(round(step)).variance_by_answer(), self.n)

    def reaches(self, step: int) -> bool:
        """Return whether the goal is reached."""
        return self.miss(step) <= 0

    @property
    def last(self) -> int:
        """Return the largest epsilon to try."""
        return STEPS * (LARGEST_FOR_MEANS if is_mean(self.type) else int(LARGEST_EPSILON.decimal))

    def first_possible(self) -> int:
        """Return the largest epsilon below which no design at all reaches the goal."""
        low, high = 1, self.last
        while high - low > 1:
            middle = (low + high) // 2
            possible = best_possible(self.type, math.exp(middle / STEPS))
            low, high = (middle, high) if self.goal.miss(possible, self.n) > 0 else (low, middle)
        return low

    def high_enough(self, low: int) -> int:
        """Return some epsilon that reaches the goal."""
        high = low
        while not self.reaches(high):
            if high == self.last:
                raise PlanError(
                    f"{self.goal} with {self.n:,} respondents takes an epsilon above {high // STEPS}, "
                    "which is no protection: ask more people or accept less precision"
                )
            high = min(self.last, math.ceil(high * _GROWTH))
        return high

    def first_reaching(self, low: int, high: int) -> int | None:
        """Return the smallest epsilon from low to high that reaches the goal."""
        if self.reaches(low):
            return low
        if high - low <= 1 or _shape(self.best(low)) == _shape(self.best(high)):
            return self._crossing(low, high) if self.reaches(high) else None
        middle = (low + high) // 2
        return self.first_reaching(low, middle) or self.first_reaching(middle, high)

    def _crossing(self, low: int, high: int) -> int:
        """Return where the goal is first reached, between one end that misses and one that reaches it."""
        step = round(optimize.brentq(self.miss, low, high, xtol=0.5))
        while not self.reaches(step):
            step += 1
        while self.reaches(step - 1):
            step -= 1
        return step


def _bound(step: int) -> Bound:
    return Bound.of_epsilon(f"{step}/{STEPS}")


def _shape(mechanism: Mechanism[Design]) -> tuple[object, ...]:
    return mechanism.design.NAME, *mechanism.shape
