"""A lower bound on the variance of every private unbiased mechanism, whatever its outputs: the dual of the program.

Proof. Take any epsilon-private mechanism with unbiased outputs y, E = e^epsilon, and numbers μ_x ≥ 0 with Σ μ_x = 1,
α_x, β_x for some inputs x. Q(·|x) adds up to 1 and has mean x, so with r_x(y) = μ_x y² − α_x − β_x y

    worst variance ≥ Σ_x μ_x Var_x = Σ_x (α_x + β_x x − μ_x x²) + ∫ Σ_x r_x(y) Q(dy|x).

Let m be the largest measure below all Q(·|x). Privacy says m ≤ Q(·|x) ≤ E·m, so the integral is at least ∫ g dm with
g(y) = Σ_x [E·min(r_x(y), 0) + max(r_x(y), 0)]. If g ≥ −v on the whole line, v ≥ 0, it is at least −v·m(ℝ) ≥ −v
(the same as subtracting v/inputs from every α). Hence the bound Σ_x (α_x + β_x x − μ_x x²) − v, for every choice of the
numbers. The program's duals are the best choice; g is a convex parabola between neighbouring roots of the r_x, so v is
found exactly, over all real outputs and not only those of a grid. ∎
"""

from functools import lru_cache

import numpy as np

from hushpoll_server.mechanisms.channel_program import (
    LARGEST_ODDS,
    NEGLIGIBLE,
    Duals,
    Program,
    mirrored_points,
    on_unit_range,
)
from hushpoll_server.mechanisms.closed_forms import duchi_reach

# Far more than the error of summing some hundred floats, far less than the fourth digit of the bound.
_FLOAT_ERROR = 1e-9
# A bound from some of the inputs holds for all; with these it is within 0.1 % of the one from twice as many.
_MOST_POINTS = 17


@lru_cache(maxsize=256)
def variance_bound(odds: float, inputs: int = _MOST_POINTS) -> float:
    """Return a lower bound, on [−1, 1], for the worst variance of every private unbiased mechanism on these inputs."""
    if odds > LARGEST_ODDS:
        return _two_point_bound(odds)
    points = on_unit_range(mirrored_points(inputs, _MOST_POINTS))
    program = Program(odds, points, points)
    solved = program.solve(np.linspace(0, 1.3 * duchi_reach(odds), 24), free=True).duals
    # The proof needs μ ≥ 0 and Σ μ = 1 exactly; the solver returns them up to its tolerance.
    square = np.where(solved.square > NEGLIGIBLE, solved.square, 0)
    square /= square.sum()
    value = float(solved.total.sum() + solved.mean @ points - square @ points**2)
    duals = Duals(square, solved.total, solved.mean, value)
    bound = value + min(0.0, program.least_gain(duals))
    return max(_two_point_bound(odds), bound * (1 - _FLOAT_ERROR) - _FLOAT_ERROR)


def _two_point_bound(odds: float) -> float:
    """Return the bound from the inputs −1 and 1 alone, where no mechanism is better than Warner's: B² − 1."""
    # B² − 1 = 4E/(E−1)²: weak, but valid where e^epsilon is too large for sums of floats
    return 4 * odds / (odds - 1) ** 2
