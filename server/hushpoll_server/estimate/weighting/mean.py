"""The weighted mean of unbiased numbers: debiased reports, or randomized numbers as they arrive.

Nothing is known of the law of such numbers, so the limits are Student's with one degree of freedom less than the
effective number of reports, and the variance has the divisor n - 1, as that of an ordinary mean. The rule here: the
correction for a finite population needs the variance that the randomizing adds, and is refused without it.

References: as in linearized.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.weighting.shares import read_population
from hushpoll_server.estimate.weighting.weights import Weights

# Squares of numbers up to this are ordinary floats.
_LARGEST = 1e100
# A spread below this fraction of the largest number is rounding.
_NO_SPREAD = 1e-14
# A report of less than this fraction of the largest weight shows no spread of the others.
_NO_WEIGHT = 1e-6
# Two reports of equal weight are the least that shows a spread; rounding stays within the digits left off.
_FEWEST_EFFECTIVE = 2 - 1e-9

ONE_REPORT = "One report shows no spread: there is an estimate, but neither a standard error nor an interval."
ALL_THE_SAME = (
    "All numbers are the same, so nothing shows how uncertain their mean is: there is neither a standard error nor an "
    "interval."
)
OUTWEIGHED = (
    "One report outweighs all others together, so they hardly show how uncertain the mean is: there is neither a "
    "standard error nor an interval; trim the weights."
)


@dataclass(frozen=True, kw_only=True)
class WeightedMean:
    """A weighted mean; `effective_n` is Kish's number of reports."""

    n: int
    effective_n: float | None = None
    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    level: float
    method: str = "student"
    standard_errors: str = "linearized"
    population: int | None = None
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return the figures by name."""
        return dict(vars(self)) | {"warnings": list(self.warnings)}


def weighted_mean(
    values: ArrayLike,
    weights: ArrayLike,
    *,
    level: float = 0.95,
    population: SupportsIndex | None = None,
    privacy_variance: float | None = None,
) -> WeightedMean:
    """Return the weighted mean of unbiased numbers, one for each report.

    `privacy_variance` is what the randomizing adds to the variance of one number, on average over the population; it is
    needed with a population.
    """
    check_level(level)
    numbers = _read(values)
    known = Weights.of(weights, np.ones(numbers.size, np.int64), read_population(population))
    _check_privacy(known, privacy_variance)
    empty = WeightedMean(n=numbers.size, level=level, population=known.population, warnings=(NO_REPORTS,))
    return _filled(empty, numbers, known, privacy_variance or 0.0) if numbers.size else empty


def _filled(empty: WeightedMean, numbers: Figures, weights: Weights, privacy: float) -> WeightedMean:
    estimate = float(weights.values @ numbers / weights.total)
    figures = replace(empty, effective_n=weights.kish, estimate=estimate, warnings=())
    if sentence := _without_spread(numbers, weights):
        return replace(figures, warnings=(sentence,))
    se = math.sqrt(_variance(numbers - estimate, weights, privacy))
    half = se * float(special.stdtrit(weights.kish - 1, (1 + empty.level) / 2))
    return replace(figures, se=se, low=estimate - half, high=estimate + half)


def _without_spread(numbers: Figures, weights: Weights) -> str:
    """Return why nothing shows how uncertain the mean is, if that is so."""
    if numbers.size == 1:
        return ONE_REPORT
    if np.ptp(numbers) > 0 and weights.kish < _FEWEST_EFFECTIVE:
        return OUTWEIGHED
    weighty = numbers[weights.values > _NO_WEIGHT]
    return ALL_THE_SAME if np.ptp(weighty) <= _NO_SPREAD * np.abs(numbers).max() else ""


def _variance(residuals: Figures, weights: Weights, privacy: float) -> float:
    w, inclusion, n = weights.values, weights.inclusion, weights.reports
    # Var = [n/(n-1)·Σw²(1 - π)(r - r̄)² + V̄ Σπw²]/(Σw)²
    sampled = n / (n - 1) * float((w**2 * (1 - inclusion)) @ residuals**2)
    return (sampled + privacy * float(w**2 @ inclusion)) / weights.total**2


def _read(values: ArrayLike) -> Figures:
    try:
        numbers = np.asarray(values, float)
    except (TypeError, ValueError):
        raise EstimateError("a value is not a number: give numbers") from None
    if numbers.ndim != 1:
        raise EstimateError("the values are not a list: give one number for each report")
    wrong = np.flatnonzero(~(np.abs(numbers) < _LARGEST))
    if wrong.size:
        raise EstimateError(f"the value in row {wrong[0] + 1} is not an ordinary number: leave the row out")
    return numbers


def _check_privacy(weights: Weights, privacy_variance: float | None) -> None:
    if weights.population is not None and privacy_variance is None:
        raise EstimateError(
            "with a population the variance that the randomizing adds is needed, because asking everybody does not "
            "undo it: give privacy_variance"
        )
    if privacy_variance is not None and not 0 <= privacy_variance < math.inf:
        raise EstimateError("the privacy variance is not a finite number of 0 or more: give the design's")
