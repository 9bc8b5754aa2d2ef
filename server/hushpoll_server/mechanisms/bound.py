"""What a researcher allows a question to reveal, read exactly.

The rule here: an epsilon is converted to odds rounded down, so that a design that keeps the odds keeps the epsilon.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from hushpoll_shared.epsilon import Epsilon, parse_odds
from hushpoll_shared.errors import InvalidValue

# With a smaller epsilon a report is useless, and its variance beyond what can be computed.
SMALLEST_EPSILON, LARGEST_EPSILON = Epsilon.parse("0.000000001"), Epsilon.parse("40")
# e^epsilon is computed to 80 digits; times this, it is below the true value.
_ROUNDING_DOWN = 1 - Fraction(1, 10**70)


@dataclass(frozen=True)
class Bound:
    """The largest odds, and the epsilon that was stated or that follows from them."""

    odds: Fraction
    epsilon: Epsilon

    def __post_init__(self) -> None:
        """Refuse bounds under which a report would say nothing."""
        if self.odds <= 1 or self.epsilon < SMALLEST_EPSILON:
            raise InvalidValue(f"epsilon must be at least {SMALLEST_EPSILON}: the report would say nothing")

    @classmethod
    def of_epsilon(cls, value: object) -> Self:
        """Return the bound with odds of e^epsilon."""
        stated = Epsilon.parse(value)
        if stated > LARGEST_EPSILON:
            raise InvalidValue(f"epsilon must not be above {LARGEST_EPSILON}: there is no protection left to give")
        return cls(Fraction(stated.exp()) * _ROUNDING_DOWN, stated)

    @classmethod
    def of_odds(cls, value: object) -> Self:
        """Return the bound with these odds."""
        odds = parse_odds(value)
        if odds <= 1:
            raise InvalidValue("odds must be above 1:1: otherwise the report says nothing")
        return cls(odds, Epsilon.of_odds(odds))

    @classmethod
    def read(cls, privacy: Mapping[str, object]) -> Self:
        """Read exactly one of epsilon and odds."""
        if len(privacy) != 1 or not privacy.keys() <= {"epsilon", "odds"}:
            raise InvalidValue('privacy must give exactly one of epsilon, odds: for example {epsilon: "1"}')
        [(parameter, value)] = privacy.items()
        return cls.of_epsilon(value) if parameter == "epsilon" else cls.of_odds(value)
