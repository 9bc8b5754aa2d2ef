"""The part of an interval that is due to sampling: the limits that a figure would have without the randomizing.

By the normal approximation, with as many respondents. The rule here: where a figure is impossible, or its price is not
known, there is no such interval.
"""

from __future__ import annotations

import math

from hushpoll_server.estimate.intervals import Interval, normal_quantile
from hushpoll_server.estimate.numbers.means import MeanResult
from hushpoll_server.estimate.results import Cell


def share_sampling(cell: Cell, *, n: int, population: int | None, level: float) -> Interval | None:
    """Return the interval of a share, with n reports that asked about it."""
    f, asked = cell.estimate, n if cell.asked is None else cell.asked
    if f is None or not 0 < f < 1:
        return None
    part = 0.0 if population is None else asked / population
    # z √((1 − n/N) f(1 − f)/n): a finite population shrinks the sampling variance, and here there is no other
    return _around(f, math.sqrt((1 - part) * f * (1 - f) / asked), level)


def mean_sampling(result: MeanResult, *, low: float, high: float) -> Interval | None:
    """Return the interval of a mean on a range."""
    mean, price = result.mean, result.price_of_privacy
    if mean.estimate is None or mean.se is None or price is None or not low <= mean.estimate <= high:
        return None
    # The rest of the variance is the sampling variance.
    return _around(mean.estimate, mean.se * math.sqrt(1 - price), result.level)


def _around(estimate: float, se: float, level: float) -> Interval:
    half = normal_quantile(level) * se
    return Interval(estimate - half, estimate + half)
