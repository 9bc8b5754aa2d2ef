"""Divide one epsilon over several questions, or ask each device only some of them, and compare the precision of both.

The measure is the variance of one figure for each respondent: of the share of an answer, or of a mean as a fraction of
its range, when all possible answers are equally likely; of a tick at the share that is expected. Splitting minimises
Σ w_i·V_i(ε_i) under Σ ε_i = ε; at small epsilons V ≈ c/ε², and then ε_i ∝ (w_i c_i)^(1/3). Asking a of k questions
gives each ε/a and n·a/k respondents.

The rule here: the epsilons of the questions are rounded down to 4 decimals, and never add up to more than the total.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from scipy.optimize import brentq

from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.category_bound import ye_barg_bound
from hushpoll_server.mechanisms.numbers import UNIFORM_VARIANCE
from hushpoll_server.mechanisms.variance import AtShare
from hushpoll_server.plan.choose import choose_mechanism, typical_variance
from hushpoll_server.plan.sizes import Sample
from hushpoll_shared.epsilon import DIGITS, Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.domains import Categories, Numbers
from hushpoll_shared.question_types import QuestionType

Curve = Callable[[float], float]

# The fourth decimal of an epsilon, in units of `Epsilon`.
STEP = 10 ** (DIGITS - 4)
_TOO_SMALL = "epsilon_total is too small for so many questions: raise it, or ask fewer questions"
_TABULATED_EPSILONS = [f"{epsilon:.4f}" for epsilon in np.geomspace(0.02, 20, 25)]


@dataclass(frozen=True)
class Wish:
    """A question without an epsilon yet: its variance as a function of epsilon, and its weight."""

    curve: Curve
    weight: float = 1.0


@dataclass(frozen=True)
class Comparison:
    """The margin of error of a typical figure (at 95 %), with the budget split or with `ask` questions per device."""

    split: float
    ask: int
    asked: float


def curve_of(question_type: QuestionType, mechanism: str | None = None, likely_share: AtShare | None = None) -> Curve:
    """Return the variance of a figure of this question as a function of epsilon."""
    match question_type.domain:
        case Numbers("mean") if mechanism is None:
            return _mean_curve
        case Categories(size):
            return _category_curve(size)
    return _tabulated_curve(question_type, mechanism, likely_share)


def split(total: Epsilon, wishes: Sequence[Wish]) -> tuple[Epsilon, ...]:
    """Divide an epsilon so that Σ w·V is least."""
    steps = total.units // STEP
    if steps < len(wishes):
        raise InvalidValue(_TOO_SMALL)
    best = _best_split(steps * STEP / 10**DIGITS, wishes)
    # Added so that 0.5, off by the last bit of a float, stays 0.5.
    parts = [math.floor(epsilon * 10**4 + 1e-6) for epsilon in best]
    while sum(parts) > steps:
        parts[parts.index(max(parts))] -= 1
    return tuple(_epsilon(count) for count in parts)


def part_for_each(total: Epsilon, asked: int) -> Epsilon:
    """Return the epsilon of each question if a device answers only some of them."""
    return _epsilon(total.units // asked // STEP)


def compare(total: Epsilon, wishes: Sequence[Wish], respondents: int, ask: int | None = None) -> Comparison:
    """Compare splitting with asking some of the questions: `ask` of them, or the best number."""
    parts = _best_split(float(total), wishes)
    divided = _mean_variance(wishes, parts)
    if ask is None:
        ask = min(range(1, len(wishes)), key=lambda number: _asked_variance(float(total), wishes, number))
    asked = _asked_variance(float(total), wishes, ask)
    half_width = Sample().half_width
    return Comparison(half_width(divided / respondents), ask, half_width(asked / respondents))


def _asked_variance(total: float, wishes: Sequence[Wish], ask: int) -> float:
    # Each question is answered by a fraction a/k of the respondents.
    return _mean_variance(wishes, [total / ask] * len(wishes)) * len(wishes) / ask


def _mean_variance(wishes: Sequence[Wish], epsilons: Sequence[float]) -> float:
    weighted = sum(wish.weight * wish.curve(epsilon) for wish, epsilon in zip(wishes, epsilons, strict=True))
    return weighted / sum(wish.weight for wish in wishes)


def _best_split(total: float, wishes: Sequence[Wish]) -> list[float]:
    # At the best split all questions gain equally from slightly more epsilon: −w·V' is the same price for all.
    distinct = set(wishes)
    lowest = min(_gain(wish, math.log(total)) for wish in distinct)
    highest = max(_gain(wish, math.log(total / len(wishes))) for wish in distinct)

    def demand_at(price: float) -> dict[Wish, float]:
        return {wish: _demand(wish, price, total) for wish in distinct}

    def excess(price: float) -> float:
        demand = demand_at(price)
        return sum(demand[wish] for wish in wishes) - total

    # Kinks, where the best design changes, can leave a gap between two prices: the rest is divided in proportion.
    demand = demand_at(brentq(excess, lowest - 1, highest + 1, xtol=1e-12))
    scale = total / sum(demand[wish] for wish in wishes)
    return [demand[wish] * scale for wish in wishes]


def _demand(wish: Wish, price: float, total: float) -> float:
    """Return the epsilon at which the gain from slightly more is this price, at most the total."""
    low, high = math.log(total * 1e-6), math.log(total)
    if _gain(wish, high) >= price:
        return total
    if _gain(wish, low) <= price:
        return total * 1e-6
    return math.exp(brentq(lambda place: _gain(wish, place) - price, low, high, xtol=1e-12))


def _gain(wish: Wish, place: float) -> float:
    """Return ln(−w·dV/dε) at ε = e^place."""
    epsilon, step = math.exp(place), 1e-5
    fall = wish.curve(epsilon * (1 - step)) - wish.curve(epsilon * (1 + step))
    # A flat curve gains nothing.
    return math.log(wish.weight * max(fall, 1e-300) / (2 * step * epsilon))


@lru_cache(maxsize=64)
def _category_curve(size: int) -> Curve:
    return lambda epsilon: ye_barg_bound(size, math.exp(epsilon)) / size


def _mean_curve(epsilon: float) -> float:
    """Return E/(E − 1)² plus the variance of uniform answers.

    This is the bound for the two ends of the range. The channel that is used is 2, 8 and 20 % above it at epsilon
    0.5, 1 and 2: near enough to divide a budget, without solving a linear program at every step.
    """
    return math.exp(epsilon) / math.expm1(epsilon) ** 2 + UNIFORM_VARIANCE


@lru_cache(maxsize=64)
def _tabulated_curve(question_type: QuestionType, mechanism: str | None, likely_share: AtShare | None) -> Curve:
    bounds = [Bound.of_epsilon(epsilon) for epsilon in _TABULATED_EPSILONS]
    best = (choose_mechanism(question_type, bound, measure=likely_share, mechanism=mechanism) for bound in bounds)
    variances = [typical_variance(each, likely_share) for each in best]
    places = np.log([float(epsilon) for epsilon in _TABULATED_EPSILONS])
    # A square wave has whole bins, so more epsilon can be slightly worse; here it counts as no worse.
    return partial(_interpolated, places, np.minimum.accumulate(np.log(variances)))


def _interpolated(places: np.ndarray, heights: np.ndarray, epsilon: float) -> float:
    place = math.log(epsilon)
    # Below the table V ∝ 1/ε².
    beyond = 2 * max(0.0, float(places[0]) - place)
    return math.exp(float(np.interp(place, places, heights)) + beyond)


def _epsilon(steps: int) -> Epsilon:
    if steps < 1:
        raise InvalidValue(_TOO_SMALL)
    return Epsilon(steps * STEP)
