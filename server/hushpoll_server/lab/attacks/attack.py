"""What all attacks have in common: their settings, their limits, and how theory stands beside what was measured.

The rule here: an attack is a function of its settings alone, and its size is bounded before it starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.lab.result import AttackResult
from hushpoll_server.lab.stream import DEFAULT_SEED
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_shared.errors import InvalidValue

# Above this a report hides nothing, and below it, divided by thousands of answers, noise takes too long to draw.
LEAST_EPSILON, LARGEST_EPSILON = 0.05, 20.0
DEFAULT_BOUND = Bound.of_epsilon("1")
CURVE = ("0.1", "1", "3", "10")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a run depends on; None stands for the attack's own default."""

    seed: int = DEFAULT_SEED
    bound: Bound | None = None
    n: int | None = None


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The settings of a run with nothing left open."""

    seed: int
    bound: Bound
    n: int

    @property
    def epsilon(self) -> float:
        """Return ε for computation."""
        return float(self.bound.epsilon)


@dataclass(frozen=True, kw_only=True)
class Attack:
    """An attack by name; `size` says what its n counts."""

    name: str
    title: str
    size: str
    default: int
    least: int
    most: int
    attack: Callable[[Chosen], AttackResult]
    bound: Bound = DEFAULT_BOUND

    def run(self, setting: Setting) -> AttackResult:
        """Run the attack; refuse a size or an epsilon at which it would take long or show nothing."""
        n, bound = self.default if setting.n is None else setting.n, setting.bound or self.bound
        if not self.least <= n <= self.most:
            raise InvalidValue(f"n of {self.name} is the number of {self.size}: from {self.least:,} to {self.most:,}")
        if not LEAST_EPSILON <= float(bound.epsilon) <= LARGEST_EPSILON:
            raise InvalidValue(f"the lab shows epsilons from {LEAST_EPSILON:g} to {LARGEST_EPSILON:g}")
        result = self.attack(Chosen(seed=setting.seed, bound=bound, n=n))
        parameters = {"seed": setting.seed, "epsilon": float(bound.epsilon), "n": n}
        return replace(result, parameters=parameters | dict(result.parameters))


def truthful(epsilon: float) -> float:
    """Return e^ε/(1 + e^ε): no guess of a bit of prior ½ is right more often after an ε-private report."""
    return 1 / (1 + math.exp(-epsilon))


def share_right(guesses: NDArray[np.generic], truth: NDArray[np.generic]) -> float:
    """Return the share of guesses that are right."""
    return float((guesses == truth).mean())


def rms(errors: NDArray[np.number[Any]]) -> float:
    """Return the root of the mean square."""
    return math.sqrt(float(np.mean(np.square(errors, dtype=np.float64))))


def simulation_error(share: float, trials: int) -> float:
    """Return the standard deviation of a measured share."""
    return math.sqrt(share * (1 - share) / trials)
