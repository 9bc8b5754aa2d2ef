"""The standard deviation of a number, from the mean square of the outputs.

With m the estimated mean, E[(x − m)²] is the mean of a score of the outputs, and has limits like every such mean
(gaffke.py). It exceeds the variance by the square of the error of m, which only the lower limit must allow for: there
the error is the larger distance of m from the limits of the mean. The rule here: a variance is not negative, so the
limits of its root are not either.
"""

from __future__ import annotations

import math

import numpy as np

from hushpoll_server.estimate.numbers.gaffke import ratio_high
from hushpoll_server.estimate.numbers.means import Mean
from hushpoll_server.estimate.numbers.number_law import NumberLaw
from hushpoll_server.estimate.support import Figures

# Limits are searched for up to this many times the square of the range.
_FAR = 50.0
# A smaller part of a mean square is rounding.
_NO_ERROR = 1e-9


def deviation(counts: Figures, law: NumberLaw, mean: Mean, level: float | None) -> Mean:
    """Return the standard deviation of the places, given their mean; without a level it has no limits."""
    assert mean.estimate is not None, "without a mean there is no deviation"
    offset, n = mean.estimate - 0.5, float(counts.sum())
    # (x − m)² = (x − ½)² − 2(m − ½)(x − ½) + (m − ½)², among those who gave a number
    squares = law.squares - 2 * offset * law.numbers + offset**2 * law.answered
    answered = float(counts @ law.answered) / n
    variance = float(counts @ squares) / n / answered
    error = _error(counts, squares - variance * law.answered) / answered
    low, high = (None, None) if level is None else _limits(counts, law, squares, level)
    return root_of(Mean(estimate=variance, se=error, low=low, high=high), mean)


def root_of(squares: Mean, mean: Mean) -> Mean:
    """Return the standard deviation, given the mean square of the distance from an estimated mean."""
    assert squares.estimate is not None, "without a mean square there is no deviation"
    assert squares.se is not None, "a mean square has a standard error"
    estimate = math.sqrt(max(0.0, squares.estimate))
    # The delta method; where the variance is 0, the largest deviation within one error of it.
    se = squares.se / (2 * estimate) if estimate > 0 else math.sqrt(squares.se)
    if estimate > 0 and squares.se <= _NO_ERROR * squares.estimate:
        # All answers are as far from the mean as they can be: only the error of the mean is left.
        squares = Mean(estimate=squares.estimate, se=0.0, low=squares.estimate, high=squares.estimate)
    if mean.estimate is None or None in (mean.low, mean.high, squares.low) or (squares.high or 0.0) <= 0:
        # Reports that differ less than any answers let them have no deviation that is not rejected.
        return Mean(estimate=estimate, se=se)
    shift = max(mean.estimate - (mean.low or 0.0), (mean.high or 0.0) - mean.estimate) ** 2
    low, high = math.sqrt(max(0.0, (squares.low or 0.0) - shift)), math.sqrt(squares.high or 0.0)
    return Mean(estimate=estimate, se=se or (estimate - low) / 2, low=min(low, estimate), high=max(high, estimate))


def _error(counts: Figures, values: Figures) -> float:
    """Return the standard error of the mean value."""
    n = float(counts.sum())
    average = float(counts @ values) / n
    return math.sqrt(float(counts @ (values - average) ** 2) / max(1.0, n - 1) / n)


def _limits(counts: Figures, law: NumberLaw, squares: Figures, level: float) -> tuple[float | None, float | None]:
    """Return the limits of the mean square; None for both where one does not exist."""
    least, most = (
        float(
            sign
            * ratio_high(
                sign * squares[:, np.newaxis],
                law.answered[:, np.newaxis],
                counts[:, np.newaxis],
                law.chances,
                (1 - level) / 2,
                far=_FAR,
            )[0]
        )
        for sign in (-1, 1)
    )
    return (least, most) if math.isfinite(least) and math.isfinite(most) else (None, None)
