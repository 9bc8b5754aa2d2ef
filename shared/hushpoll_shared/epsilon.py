"""Epsilon and odds as exact numbers.

The rule here: no binary floats. A stated epsilon is rounded down and a realised one up, so that what is claimed is
never smaller than what is spent. One unit is 10^-20; both languages add and compare plain integers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Self

from hushpoll_shared.errors import InvalidValue

DIGITS = 20
UNITS = 10**DIGITS
# Enough digits to keep the error of two logarithms of 64-bit numbers below 10^-56.
_EXACT = Context(prec=80)
_LOG_ERROR = Decimal("1e-56")

_INTEGER = r"\d{1,40}"
_DECIMAL = re.compile(rf"{_INTEGER}(\.\d{{1,40}})?", re.ASCII)
_RATIO = re.compile(rf"({_INTEGER})/({_INTEGER})", re.ASCII)
_ODDS = re.compile(rf"({_INTEGER}):({_INTEGER})", re.ASCII)

BANDS = (
    (Decimal("0.5"), "very strong"),
    (Decimal("1.1"), "strong"),
    (Decimal(2), "moderate"),
    (Decimal(4), "weak"),
)
WEAKEST_BAND = "little protection"


def parse_number(value: object, what: str) -> Fraction:
    """Read "0.75", "3/4" or 3 exactly."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise InvalidValue(f'{what} must be a whole number or a text such as "0.75" or "3/4", in quotes')
    if ratio := _RATIO.fullmatch(value):
        return _fraction(ratio, what)
    if _DECIMAL.fullmatch(value):
        return Fraction(value)
    raise InvalidValue(f'{what} must be a positive number such as "2", "0.75" or "3/4"')


def parse_odds(value: object, what: str = "odds") -> Fraction:
    """Read "3:1" (or 3, which means the same) exactly."""
    if isinstance(value, str) and (odds := _ODDS.fullmatch(value)):
        return _fraction(odds, what)
    try:
        return parse_number(value, what)
    except InvalidValue:
        raise InvalidValue(f'{what} must be written as "3:1", in quotes') from None


def format_odds(odds: Fraction) -> str:
    """Write odds as "3:1", reduced."""
    return f"{odds.numerator}:{odds.denominator}"


@dataclass(frozen=True, order=True)
class Epsilon:
    """A privacy loss: the largest change, in log odds, that one report makes to anybody's belief."""

    units: int

    def __post_init__(self) -> None:
        """Refuse a negative epsilon."""
        if self.units < 0:
            raise InvalidValue("epsilon must not be negative")

    @classmethod
    def parse(cls, value: object, what: str = "epsilon") -> Self:
        """Read a stated epsilon; digits beyond 20 decimals are dropped, which errs toward privacy."""
        number = parse_number(value, what)
        return cls(number.numerator * UNITS // number.denominator)

    @classmethod
    def of_odds(cls, odds: Fraction) -> Self:
        """Return ln(odds), rounded up, for odds of at least 1."""
        if odds < 1:
            raise InvalidValue("odds below 1:1 have no epsilon: put the larger side first")
        if odds == 1:
            return cls(0)
        log = _EXACT.subtract(_EXACT.ln(odds.numerator), _EXACT.ln(odds.denominator))
        above = _EXACT.multiply(_EXACT.add(log, _LOG_ERROR), Decimal(UNITS))
        return cls(int(above.to_integral_value(rounding=ROUND_CEILING)))

    @property
    def decimal(self) -> Decimal:
        """Return the exact decimal value."""
        return _EXACT.scaleb(Decimal(self.units), -DIGITS)

    @property
    def band(self) -> str:
        """Return the strength of the protection in words."""
        return next((words for limit, words in BANDS if self.decimal <= limit), WEAKEST_BAND)

    @property
    def protection(self) -> str:
        """Return the strength as a phrase, such as "strong protection" or "little protection"."""
        return self.band if self.band == WEAKEST_BAND else f"{self.band} protection"

    def exp(self) -> Decimal:
        """Return e^epsilon to 80 digits, correctly rounded."""
        return _EXACT.exp(self.decimal)

    def __add__(self, other: Epsilon) -> Epsilon:
        """Compose two losses: one person's epsilons add up."""
        return Epsilon(self.units + other.units)

    def __float__(self) -> float:
        """Return a binary float, for display and estimation only."""
        return float(self.decimal)

    def __str__(self) -> str:
        """Write the shortest exact decimal."""
        whole, part = divmod(self.units, UNITS)
        return f"{whole}.{part:0{DIGITS}d}".rstrip("0").rstrip(".")


def _fraction(match: re.Match[str], what: str) -> Fraction:
    top, bottom = int(match[1]), int(match[2])
    if bottom == 0:
        raise InvalidValue(f"{what} must not divide by zero")
    return Fraction(top, bottom)
