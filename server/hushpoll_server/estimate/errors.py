"""The one error of the estimation package, and the guards that raise it."""

import operator
from typing import SupportsIndex

from hushpoll_shared.errors import InvalidValue

# Levels beyond these are of no use to a reader, and 1 - level soon loses its precision in a float.
LEAST_LEVEL, LARGEST_LEVEL = 0.01, 0.999999


class EstimateError(InvalidValue):
    """Figures that nothing can be estimated from; the message says what to change."""


def whole(value: SupportsIndex, what: str) -> int:
    """Return a count as a plain integer of zero or more."""
    try:
        number = operator.index(value)
    except TypeError:
        raise EstimateError(f"the {what} is not a whole number: give an integer") from None
    if number < 0:
        raise EstimateError(f"the {what} is negative ({number}): give zero or more")
    return number


def check_level(level: float) -> None:
    """Refuse a confidence level at which floating-point numbers give no interval."""
    if not LEAST_LEVEL <= level <= LARGEST_LEVEL:
        raise EstimateError(
            f"the level {level} is not between {LEAST_LEVEL} and {LARGEST_LEVEL}: give a share such as 0.95"
        )


def check_epsilon(epsilon: float) -> None:
    """Refuse an epsilon that is not a positive finite number."""
    if not 0 < epsilon < float("inf"):
        raise EstimateError(f"the epsilon {epsilon} is not a positive finite number: give the design's")


def check_population(population: int | None, n: int) -> None:
    """Refuse a population that is smaller than the number of reports."""
    if population is not None and population < n:
        raise EstimateError(f"the population {population} is smaller than n = {n}: count everybody who could be asked")
