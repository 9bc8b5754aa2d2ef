"""Warner's own parameters for a yes/no question (1965). The design itself is subset selection with k = 2, d = 1.

The report is the answer with probability p, the opposite answer otherwise. A spinner with p below one half is the
same design with the two reports exchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.thresholds import largest_threshold
from hushpoll_shared.epsilon import Epsilon, parse_number, parse_odds
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN

PARAMETERS = ("epsilon", "odds", "p", "truth")


@dataclass(frozen=True)
class Spinner:
    """The probability that the report is the answer, and the bound that it keeps."""

    p: Fraction
    bound: Bound

    @classmethod
    def read(cls, privacy: Mapping[str, object]) -> Self:
        """Read exactly one of epsilon, odds, p or truth."""
        if len(privacy) != 1 or not privacy.keys() <= set(PARAMETERS):
            raise InvalidValue('privacy must give exactly one of epsilon, odds, p, truth: for example {odds: "3:1"}')
        [(parameter, value)] = privacy.items()
        if parameter == "epsilon":
            bound = Bound.of_epsilon(value)
            return cls(Fraction(largest_threshold(bound, 1, 1), SPAN), bound)
        return cls.of_p(_PROBABILITIES[parameter](value))

    @classmethod
    def of_p(cls, p: Fraction) -> Self:
        """Return the spinner that reports the answer with probability p."""
        if not 0 < p < 1:
            raise InvalidValue("p must be above 0 and below 1: otherwise the report reveals the answer")
        if 2 * p == 1:
            raise InvalidValue("p must not be 1/2 (epsilon must not be 0): the report would say nothing")
        odds = max(p / (1 - p), (1 - p) / p)
        return cls(p, Bound(odds, Epsilon.of_odds(odds)))


def _of_odds(value: object) -> Fraction:
    odds = parse_odds(value)
    return odds / (odds + 1)


def _of_p(value: object) -> Fraction:
    return parse_number(value, "p")


def _of_truth(value: object) -> Fraction:
    # The true answer with probability r, otherwise a fair coin: p = r + (1 − r)/2
    return (1 + parse_number(value, "truth")) / 2


_PROBABILITIES = {"odds": _of_odds, "p": _of_p, "truth": _of_truth}
