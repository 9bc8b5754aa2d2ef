"""Warner's randomized response (1965) for a yes/no question.

The report is the answer with probability p, the opposite answer otherwise. It is subset selection with two categories
and one pick, in the spelling that it always had: a draw is 1 for yes and 0 for no.

Privacy: P(report | yes) / P(report | no) is p/(1−p) or its inverse, so epsilon = |ln(p/(1−p))|.
Utility: no other epsilon-private randomizer of one bit has a smaller variance (Kairouz, Oh, Viswanath 2016).
Proof, variance and references: docs/mechanisms/warner.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from hushpoll_shared.designs.bound import Bound
from hushpoll_shared.designs.subset import SubsetSelection
from hushpoll_shared.designs.two_weights import largest_threshold
from hushpoll_shared.epsilon import parse_number, parse_odds
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN

PARAMETERS = ("epsilon", "odds", "p", "truth")


@dataclass(frozen=True)
class Warner(SubsetSelection):
    """Warner's design: the report is the answer when a 64-bit draw is below the threshold."""

    threshold: int

    NAME: ClassVar = "warner"
    # Fixed here, where subset selection in general has a choice.
    size: ClassVar[int] = 2  # type: ignore[misc]
    picks: ClassVar[int] = 1  # type: ignore[misc]
    width: ClassVar = 1

    def __post_init__(self) -> None:
        """Refuse thresholds that reveal everything or nothing."""
        if not 0 < self.threshold < SPAN:
            raise InvalidValue("p must be above 0 and below 1: otherwise the report reveals the answer")
        if 2 * self.threshold == SPAN:
            raise InvalidValue("p must not be 1/2 (epsilon must not be 0): the report would say nothing")

    @classmethod
    def from_privacy(cls, privacy: Mapping[str, object]) -> Self:
        """Make the design from exactly one of epsilon, odds, p or truth."""
        if len(privacy) != 1 or not privacy.keys() <= set(PARAMETERS):
            raise InvalidValue('privacy must give exactly one of epsilon, odds, p, truth: for example {odds: "3:1"}')
        [(parameter, value)] = privacy.items()
        make = {"epsilon": cls.from_epsilon, "odds": cls.from_odds, "p": cls.from_p, "truth": cls.from_truth}
        return make[parameter](value)

    @classmethod
    def from_epsilon(cls, value: object) -> Self:
        """Make the design with the largest threshold whose epsilon is not above the stated one."""
        return cls(largest_threshold(Bound.of_epsilon(value), 1, 1))

    @classmethod
    def from_odds(cls, value: object) -> Self:
        """Make the design whose report is the answer with odds a:b."""
        odds = parse_odds(value)
        return cls._of_probability(odds / (odds + 1))

    @classmethod
    def from_p(cls, value: object) -> Self:
        """Make the design of Warner's spinner: p is the probability of the question, 1−p of its negation."""
        return cls._of_probability(parse_number(value, "p"))

    @classmethod
    def from_truth(cls, value: object) -> Self:
        """Make the design that answers truthfully with probability r and else tosses a fair coin."""
        truth = parse_number(value, "truth")
        # p = r + (1 − r)/2
        return cls._of_probability((1 + truth) / 2)

    @classmethod
    def _of_probability(cls, p: Fraction) -> Self:
        # Toward privacy is toward 1/2: down above it, up below it.
        scaled = p * SPAN
        rounded_up = -(-scaled.numerator // scaled.denominator)
        return cls(scaled.numerator // scaled.denominator if 2 * p > 1 else rounded_up)

    @property
    def odds(self) -> Fraction:
        """Give the exact worst ratio; a spinner below one half only exchanges the two reports."""
        odds = super().odds
        return max(odds, 1 / odds)

    def is_draw(self, value: object) -> bool:
        """Tell whether a value from a report is a draw of this design: 1 for yes, 0 for no."""
        return type(value) is int and value in (0, 1)

    def supported_cells(self, draw: Any) -> tuple[str, ...]:
        """Name the cells that a draw counts for."""
        return ("yes",) if draw else ()
