"""Divide one epsilon over several questions, or ask each device only some of them, and say which gives better figures.

The measure is the variance of one figure for each respondent: of the share of an answer, or of a mean as a part of its
range, when answers are spread evenly over what is possible. Splitting minimises Σ w_i·V_i(ε_i) under Σ ε_i = ε; at
small epsilons V ≈ c/ε², and then ε_i ∝ (w_i c_i)^(1/3). Asking a of k questions gives each ε/a and n·a/k respondents.

The law here: what is given out is rounded down to 4 decimals, and never adds up to more than the total.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from scipy.optimize import brentq

from hushpoll_server.plan.choose import choose_design
from hushpoll_server.plan.sizes import Sample
from hushpoll_shared.designs import Ball, Bound, Design, Laplace, Padded, Projective, Repeated, SubsetSelection
from hushpoll_shared.designs.subset import ye_barg_bound
from hushpoll_shared.epsilon import DIGITS, Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.questions import Choice, Kind, Number, Scale

Curve = Callable[[float], float]

# One step of what is given out, in units of epsilon: the fourth decimal.
STEP = 10 ** (DIGITS - 4)
# A share of one half, and a number spread evenly over a range of length 1, vary by so much among people.
_TICKED, _SPREAD = 1 / 4, 1 / 12
_TOO_SMALL = "epsilon_total is too small for so many questions: raise it, or ask fewer questions"
_TABULATED = [f"{epsilon:.4f}" for epsilon in np.geomspace(0.02, 20, 25)]


@dataclass(frozen=True)
class Wish:
    """A question that waits for its epsilon: its variance as a function of epsilon, and how much it counts."""

    curve: Curve
    weight: float = 1.0


@dataclass(frozen=True)
class Comparison:
    """The ± of a typical figure (at 95 %) if the budget is split, and if each device answers `ask` questions."""

    split: float
    ask: int
    asked: float


def figure_variance(design: Design) -> float:
    """Give the variance of one figure for each respondent, sampling included."""
    if isinstance(design, SubsetSelection | Projective | Repeated):
        return design.variance() / design.size
    if isinstance(design, Ball | Padded):
        return design.variance() + _TICKED
    # Means are measured on [−1, 1], which is 2 long.
    return design.variance() / 4 + _SPREAD


def curve_of(kind: Kind, mechanism: str | None = None) -> Curve:
    """Give the variance of a figure of this question as a function of epsilon."""
    is_mean = isinstance(kind, Number | Scale) and kind.report == "mean"
    if is_mean and mechanism != Laplace.NAME:
        return _mean_curve
    if isinstance(kind, Choice) and not is_mean:
        return _category_curve(len(kind.cells))
    return _tabulated_curve(kind, mechanism)


def split(total: Epsilon, wishes: Sequence[Wish]) -> tuple[Epsilon, ...]:
    """Divide an epsilon so that Σ w·V is least."""
    steps = total.units // STEP
    if steps < len(wishes):
        raise InvalidValue(_TOO_SMALL)
    best = _best_split(steps * STEP / 10**DIGITS, wishes)
    # What is 0.5 but for the last bit of a float stays 0.5.
    given = [math.floor(epsilon * 10**4 + 1e-6) for epsilon in best]
    while sum(given) > steps:
        given[given.index(max(given))] -= 1
    return tuple(_epsilon(count) for count in given)


def part_for_each(total: Epsilon, asked: int) -> Epsilon:
    """Give the epsilon of each question if a device answers only so many of them."""
    return _epsilon(total.units // asked // STEP)


def compare(total: Epsilon, wishes: Sequence[Wish], respondents: int, ask: int | None = None) -> Comparison:
    """Compare splitting with asking so many of the questions, or with the best number of them."""
    parts = _best_split(float(total), wishes)
    divided = _mean_variance(wishes, parts)
    if ask is None:
        ask = min(range(1, len(wishes)), key=lambda number: _asked_variance(float(total), wishes, number))
    asked = _asked_variance(float(total), wishes, ask)
    half_width = Sample().half_width
    return Comparison(half_width(divided / respondents), ask, half_width(asked / respondents))


def _asked_variance(total: float, wishes: Sequence[Wish], ask: int) -> float:
    # Each question is answered by a part a/k of the respondents.
    return _mean_variance(wishes, [total / ask] * len(wishes)) * len(wishes) / ask


def _mean_variance(wishes: Sequence[Wish], epsilons: Sequence[float]) -> float:
    weighted = sum(wish.weight * wish.curve(epsilon) for wish, epsilon in zip(wishes, epsilons, strict=True))
    return weighted / sum(wish.weight for wish in wishes)


def _best_split(total: float, wishes: Sequence[Wish]) -> list[float]:
    # At the best split all questions gain equally by a little more epsilon: −w·V' is the same price for all.
    different = set(wishes)
    lowest = min(_gain(wish, math.log(total)) for wish in different)
    highest = max(_gain(wish, math.log(total / len(wishes))) for wish in different)

    def taken(price: float) -> dict[Wish, float]:
        return {wish: _demand(wish, price, total) for wish in different}

    def excess(price: float) -> float:
        demand = taken(price)
        return sum(demand[wish] for wish in wishes) - total

    # Kinks, where the best design changes, can leave a gap between two prices: the rest is shared in proportion.
    demand = taken(brentq(excess, lowest - 1, highest + 1, xtol=1e-12))
    scale = total / sum(demand[wish] for wish in wishes)
    return [demand[wish] * scale for wish in wishes]


def _demand(wish: Wish, price: float, total: float) -> float:
    """Give the epsilon at which a little more is worth this price, at most all of it."""
    low, high = math.log(total * 1e-6), math.log(total)
    if _gain(wish, high) >= price:
        return total
    if _gain(wish, low) <= price:
        return total * 1e-6
    return math.exp(brentq(lambda place: _gain(wish, place) - price, low, high, xtol=1e-12))


def _gain(wish: Wish, place: float) -> float:
    """Give ln(−w·dV/dε) at ε = e^place."""
    epsilon, step = math.exp(place), 1e-5
    fall = wish.curve(epsilon * (1 - step)) - wish.curve(epsilon * (1 + step))
    # A curve that is flat has no more to give.
    return math.log(wish.weight * max(fall, 1e-300) / (2 * step * epsilon))


@lru_cache(maxsize=64)
def _category_curve(size: int) -> Curve:
    return lambda epsilon: ye_barg_bound(size, math.exp(epsilon)) / size


def _mean_curve(epsilon: float) -> float:
    """Give E/(E − 1)² and the spread.

    This is the bound for the two ends of the range. The channel that is used lies 2, 8 and 20 % above it at epsilon
    0.5, 1 and 2: near enough to divide a budget, and no linear program is solved at every step.
    """
    return math.exp(epsilon) / math.expm1(epsilon) ** 2 + _SPREAD


@lru_cache(maxsize=64)
def _tabulated_curve(kind: Kind, mechanism: str | None) -> Curve:
    bounds = [Bound.of_epsilon(epsilon) for epsilon in _TABULATED]
    variances = [figure_variance(choose_design(kind, bound, mechanism=mechanism)) for bound in bounds]
    places = np.log([float(epsilon) for epsilon in _TABULATED])
    # A wave takes whole bins, and some steps of it lose; more epsilon counts as no worse all the same.
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
