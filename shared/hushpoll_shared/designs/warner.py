"""Warner's randomized response (1965) for a yes/no question.

The report is the answer with probability p, the opposite answer otherwise.

Privacy: P(report | yes) / P(report | no) is p/(1−p) or its inverse, so epsilon = |ln(p/(1−p))|.
Utility: no other epsilon-private randomizer of one bit has a smaller variance (Kairouz, Oh, Viswanath 2016).
Proof, variance and references: docs/mechanisms/warner.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from typing import Any, ClassVar, Self

from hushpoll_shared.epsilon import Epsilon, format_odds, parse_number, parse_odds
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN

PARAMETERS = ("epsilon", "odds", "p", "truth")
_THRESHOLD = re.compile(r"[1-9]\d{0,19}", re.ASCII)
LARGEST_EPSILON = Epsilon.parse("40")


@dataclass(frozen=True)
class Warner:
    """Warner's design: the report is the answer when a 64-bit draw is below the threshold."""

    threshold: int

    NAME: ClassVar = "warner"
    CELLS: ClassVar = ("yes",)

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
        stated = Epsilon.parse(value)
        if stated > LARGEST_EPSILON:
            raise InvalidValue(f"epsilon must not be above {LARGEST_EPSILON}: there is no protection left to give")
        design = cls(_threshold_of_epsilon(stated))
        # The 80 digits leave no doubt about the floor; this line makes it a law and not an estimate.
        return design if design.epsilon <= stated else cls(design.threshold - 1)

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
    def p(self) -> Fraction:
        """Give P(report is yes | answer is yes)."""
        return Fraction(self.threshold, SPAN)

    @property
    def q(self) -> Fraction:
        """Give P(report is yes | answer is no)."""
        return 1 - self.p

    @property
    def odds(self) -> Fraction:
        """Give the exact worst ratio of the probabilities of one report under two answers."""
        return max(self.p / self.q, self.q / self.p)

    @property
    def epsilon(self) -> Epsilon:
        """Give ln(odds), rounded up."""
        return Epsilon.of_odds(self.odds)

    @property
    def times_in_100(self) -> int:
        """Give, to the nearest whole number, how often in 100 the report is the answer."""
        return (200 * self.threshold + SPAN) // (2 * SPAN)

    def to_json(self) -> dict[str, object]:
        """Give the fields that a manifest holds, claims included."""
        return {
            "name": self.NAME,
            "threshold": str(self.threshold),
            "odds": format_odds(self.odds),
            "epsilon": str(self.epsilon),
        }

    @classmethod
    def read(cls, fields: Any) -> Self:
        """Read the design from a manifest; refuse claims that the threshold does not bear out."""
        if not isinstance(fields, dict) or fields.get("name") != cls.NAME:
            raise InvalidValue("a yes/no question needs the mechanism warner")
        design = cls(_read_threshold(fields.get("threshold")))
        computed = design.to_json()
        if fields.keys() != computed.keys() or fields["odds"] != computed["odds"]:
            raise InvalidValue("a mechanism claims odds that its threshold does not bear out")
        if Epsilon.parse(fields["epsilon"]) < design.epsilon:
            raise InvalidValue("a mechanism claims a smaller epsilon than its threshold gives")
        return design

    @staticmethod
    def is_draw(value: object) -> bool:
        """Tell whether a value from a report is a draw of this design: 1 for yes, 0 for no."""
        return type(value) is int and value in (0, 1)

    @staticmethod
    def supported_cells(draw: int) -> tuple[str, ...]:
        """Name the cells that a draw counts for."""
        return ("yes",) if draw else ()


def _threshold_of_epsilon(epsilon: Epsilon) -> int:
    with localcontext(prec=80):
        odds = epsilon.exp()
        # t = ⌊2^64 · E/(1+E)⌋
        return int((Decimal(SPAN) * odds / (1 + odds)).to_integral_value(rounding=ROUND_FLOOR))


def _read_threshold(value: object) -> int:
    if not isinstance(value, str) or not _THRESHOLD.fullmatch(value):
        raise InvalidValue("a threshold must be a whole number written as a text")
    return int(value)
