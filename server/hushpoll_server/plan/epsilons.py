"""How much privacy a goal allows: the smallest epsilon, to four decimals, whose best design reaches it.

A design of one shape (so many picks, so many options asked) only gets better as epsilon grows. Where the best shape
changes, the worst share can be estimated less well than just before, although the total over all shares is estimated
better: with 128 categories its variance rises by up to 91 %. So the search goes from shape to shape, upwards.

Law kept here: the epsilon that is returned reaches the goal and the one below it, by 0.0001, does not; for questions on
categories no smaller one does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache, cached_property

from scipy import optimize

from hushpoll_server.plan.sizes import Goal, PlanError, smallest_n
from hushpoll_server.plan.spread import best_possible, is_mean, spread_of, without_privacy
from hushpoll_shared.designs import Bound, Channel, Design, Laplace
from hushpoll_shared.designs.bound import LARGEST_EPSILON
from hushpoll_shared.designs.design import THRESHOLDS
from hushpoll_shared.questions import Kind

STEPS = 10_000
# Beyond it a mean is as good as asked directly, and linear programs with such odds are hard to solve.
LARGEST_FOR_MEANS = 10
_GROWTH = 1.25

Make = Callable[[Bound], Design]


def smallest_epsilon(kind: Kind, make: Make, goal: Goal, n: int) -> Bound:
    """Return the smallest epsilon with which n respondents reach the goal."""
    if goal.miss(without_privacy(kind), n) > 0:
        wanted = smallest_n(without_privacy(kind), goal)
        raise PlanError(
            f"{goal} takes {wanted:,} respondents even without privacy, more than {n:,}: ask more people "
            "or accept less precision"
        )
    search = _Search(kind, make, goal, n)
    low = search.first_possible()
    found = search.first_reaching(low, search.high_enough(low))
    assert found is not None, "the upper end reaches the goal"
    return _bound(found)


@dataclass(frozen=True)
class _Search:
    """A search among epsilons, counted in steps of 0.0001."""

    kind: Kind
    make: Make
    goal: Goal
    n: int

    @cached_property
    def design(self) -> Callable[[int], Design]:
        """Return the best design at an epsilon, computed once: a channel takes its time."""
        return cache(lambda step: self.make(_bound(step)))

    def miss(self, step: float) -> float:
        """Return by how much the goal is missed."""
        return self.goal.miss(spread_of(self.kind, self.design(round(step))), self.n)

    def reaches(self, step: int) -> bool:
        """Tell whether the goal is reached."""
        return self.miss(step) <= 0

    @property
    def last(self) -> int:
        """Return the largest epsilon worth a try."""
        return STEPS * (LARGEST_FOR_MEANS if is_mean(self.kind) else int(LARGEST_EPSILON.decimal))

    def first_possible(self) -> int:
        """Return the largest epsilon below which no design whatever reaches the goal."""
        low, high = 1, self.last
        while high - low > 1:
            middle = (low + high) // 2
            possible = best_possible(self.kind, math.exp(middle / STEPS))
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
        if high - low <= 1 or _shape(self.design(low)) == _shape(self.design(high)):
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


def _shape(design: Design) -> tuple[object, ...]:
    # The grid of a channel changes at times, for a part of 1 %; the reach of Laplace's noise always, for nothing.
    if isinstance(design, Channel | Laplace):
        return (design.NAME,)
    return design.NAME, *(getattr(design, field.name) for field in fields(design) if field.name not in THRESHOLDS)
