"""Thresholds of designs with two weights: the largest one within a bound, and the largest probability of a draw.

The rule here: a bound becomes an integer threshold by one rounding, toward privacy.
"""

from __future__ import annotations

import math
from fractions import Fraction

from hushpoll_server.mechanisms.bound import Bound
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.two_weights import TwoWeights
from hushpoll_shared.randomness import SPAN


def largest_threshold(bound: Bound, inside: int, outside: int) -> int:
    """Return the largest threshold whose odds do not exceed the bound."""
    # T = ⌊M · inside·E / (inside·E + outside)⌋
    scaled = SPAN * bound.odds * inside / (inside * bound.odds + outside)
    threshold = min(SPAN - 1, scaled.numerator // scaled.denominator)
    if threshold < 1:
        raise InvalidValue("the privacy is too strict for so many possible answers: raise epsilon")
    # 70 digits leave no doubt about the floor; this check guarantees it.
    odds = max(Fraction(1), Fraction(threshold * outside, (SPAN - threshold) * inside))
    return threshold if Epsilon.of_odds(odds) <= bound.epsilon else threshold - 1


def log_ratio(numerator: int, denominator: int) -> float:
    """Return ln(numerator / denominator) of whole numbers of any size."""
    return math.log(numerator) - math.log(denominator)


def log_likelier(design: TwoWeights, inside: int, outside: int) -> float:
    """Return ln of the larger of the two probabilities of a draw, for these numbers of draws inside and outside."""
    return max(log_ratio(design.threshold, SPAN * inside), log_ratio(SPAN - design.threshold, SPAN * outside))
