"""The most likely coefficients of a logistic regression with a randomized outcome, found by Fisher scoring.

Behind a design the log-likelihood is not concave: it can have several tops, and its highest can be at infinity even
though both outcomes occur in every group, because the reports of a group can say yes less often than the design makes
people without the trait say it. The rule here: several starts, and a top counts only if no step is higher and its score
is zero on the scale of its own standard errors. A score that is merely small is what a climb to infinity looks like.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from hushpoll_server.estimate.regression.randomized_outcome import RandomizedOutcome
from hushpoll_server.estimate.regression.separation import best_step
from hushpoll_server.estimate.support import Figures

MOST_STEPS = 500
# The distance to the top, in standard errors, at which a climb ends: √(sᵀ I⁻¹ s).
_NEAR = 1e-8
# No step changes a coefficient of a standardized column by more than this: on a plateau the information vanishes.
_LONGEST_STEP = 2.0
_MOST_HALVINGS = 40
# Beyond this variance of a coefficient, in log-odds per standard deviation, a climb has left the data behind.
_FLAT = 1e6
# A start is not put where the information has almost vanished.
_LEAST_SHARE = 0.05
_STEEPNESS = (0.0, 1.0, 4.0)
_WIDEST_START = 4.0
# From a step that is lower than the best top by more than this no higher top was found.
_WITHIN_REACH = 3.0
_ROUNDING = 1e-7


@dataclass(frozen=True, eq=False)
class Top:
    """Where a climb ended: the coefficients of the standardized columns, and whether the score is zero there."""

    coefficients: Figures
    log_likelihood: float
    reached: bool


def highest(outcome: RandomizedOutcome, matrix: Figures) -> Top:
    """Return the highest point that climbs from several starts come to, or a step that is higher."""
    top = _best([_climb(outcome, matrix, start) for start in _starts(outcome, matrix)])
    steps = [
        step
        for step in (best_step(outcome, matrix, direction) for direction in _directions(top))
        if step.log_likelihood > top.log_likelihood - _WITHIN_REACH
    ]
    climbed = [_climb(outcome, matrix, step.start()) for step in steps]
    upright = [Top(step.upright(), step.log_likelihood, reached=False) for step in steps]
    return _best([top, *climbed, *upright])


def information(matrix: Figures, weights: Figures) -> Figures:
    """Return the sum of the rows' information."""
    return np.asarray((matrix.T * weights) @ matrix)


def _best(tops: Sequence[Top]) -> Top:
    best = max(top.log_likelihood for top in tops)
    # Of points that are equally high within rounding, one with a score of zero is preferred.
    level = [top for top in tops if top.log_likelihood >= best - _ROUNDING]
    return max(level, key=lambda top: top.reached)


def _directions(top: Top) -> Iterator[Figures]:
    """Yield the direction of each covariate by itself, and that of the fit."""
    yield from np.eye(len(top.coefficients) - 1)
    if len(top.coefficients) > 2 and top.coefficients[1:].any():
        yield top.coefficients[1:]


def _starts(outcome: RandomizedOutcome, matrix: Figures) -> Iterator[Figures]:
    """Yield the common share, and slopes of the linear model turned into log-odds, as they are and steeper."""
    share = min(1 - _LEAST_SHARE, max(_LEAST_SHARE, outcome.common_share()))
    root = np.sqrt(outcome.times)
    slopes = np.linalg.lstsq(matrix * root[:, np.newaxis], outcome.unbiased * root, rcond=None)[0]
    linear = np.asarray(slopes, np.float64) / (share * (1 - share))
    linear[0] = 0.0
    widest = float(np.abs(matrix @ linear).max())
    for steepness in _STEEPNESS:
        start: Figures = linear * steepness * min(1.0, _WIDEST_START / max(widest, 1e-300))
        start[0] = special.logit(share)
        yield start


def _climb(outcome: RandomizedOutcome, matrix: Figures, start: Figures) -> Top:
    here, height = start, outcome.log_likelihood(matrix @ start)
    for _ in range(MOST_STEPS):
        predictor = matrix @ here
        score = matrix.T @ (outcome.times * outcome.slopes(predictor))
        step = _step(information(matrix, outcome.times * outcome.expected(predictor)), score)
        if step is None:
            return Top(here, height, reached=False)
        if score @ step < _NEAR**2:
            return Top(here, height, reached=True)
        step *= min(1.0, _LONGEST_STEP / float(np.abs(step).max()))
        forward = _forward(outcome, matrix, here, height, step)
        if forward is None:
            # Rounding hides what is left of the climb; the distance tells whether this is the top.
            return Top(here, height, reached=bool(score @ step < 1e-10))
        here, height = forward
    return Top(here, height, reached=False)


def _step(matrix: Figures, score: Figures) -> Figures | None:
    """Return I⁻¹ s, or None where the information has all but vanished in some direction."""
    values, vectors = np.linalg.eigh(matrix)
    if values[0] * _FLAT < 1 or values[0] < 1e-14 * values[-1]:
        return None
    return np.asarray(vectors @ ((vectors.T @ score) / values))


def _forward(
    outcome: RandomizedOutcome, matrix: Figures, here: Figures, height: float, step: Figures
) -> tuple[Figures, float] | None:
    """Return the first higher point of the step, its half, its quarter …, or None if there is none."""
    for halving in range(_MOST_HALVINGS):
        there = here + step / 2**halving
        reached = outcome.log_likelihood(matrix @ there)
        if reached > height:
            return there, reached
    return None
