"""Numbers as a reader wants to see them: no more digits than the standard error bears.

The law here: nothing is clipped. A share of −0.1 is written as −10 %, because hiding it would feign certainty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import Protocol

from hushpoll_shared.epsilon import Epsilon, format_odds

# Odds such as 3:1 or 7:2 are read at a glance; those made from an epsilon have twenty digits on each side.
LARGEST_READABLE_ODDS = 1000
SMALLEST_P_VALUE = 0.001
_THREE_DECIMALS = Decimal("0.001")
# Stands where there is no figure.
NOTHING = "\N{EN DASH}"
# The number and its sign must not be parted at a line's end.
_SPACE = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Unit:
    """How a figure is written: `most` is the most decimals that anybody could want."""

    factor: int
    sign: str
    most: int


# No share is known better than to a millionth of a point; a mean is in whatever unit its question has.
SHARE = Unit(100, f"{_SPACE}%", 6)
OWN = Unit(1, "", 15)


class Limited(Protocol):
    """What has two limits."""

    @property
    def low(self) -> float | None:
        """Give the lower limit."""

    @property
    def high(self) -> float | None:
        """Give the upper limit."""


class Estimated(Limited, Protocol):
    """What has an estimate with its standard error too: a cell, a bin, a mean, a sum."""

    @property
    def estimate(self) -> float | None:
        """Give the estimate."""

    @property
    def se(self) -> float | None:
        """Give the standard error."""


def decimals_of(se: float | None, unit: Unit = SHARE) -> int:
    """Give the decimals of a figure whose last one is the first that the standard error leaves in doubt."""
    error = unit.factor * (se or 0.0)
    if error <= 0:
        return 1
    # 2.3 points: 31 %; 0.23 points: 31.4 %
    return min(unit.most, max(0, -math.floor(math.log10(error))))


def number(value: float | None, decimals: int, unit: Unit = SHARE) -> str:
    """Write a figure without its sign: a share in points of a hundred."""
    if value is None:
        return NOTHING
    # Adding zero turns the −0.0 that rounding leaves behind into 0.0.
    rounded = round(unit.factor * value, decimals) + 0.0
    return f"{rounded:,.{decimals}f}".replace("-", _MINUS)


def signed(value: float | None, decimals: int, unit: Unit = SHARE) -> str:
    """Write a figure with its sign: 31 %."""
    return NOTHING if value is None else f"{number(value, decimals, unit)}{unit.sign}"


def headline(figure: Estimated, unit: Unit = SHARE) -> str:
    """Write the estimate with half the width of its interval: 31 % ± 4."""
    decimals = decimals_of(figure.se, unit)
    return f"{signed(figure.estimate, decimals, unit)}{_SPACE}±{_SPACE}{half_width(figure, decimals, unit)}"


def half_width(limits: Limited, decimals: int, unit: Unit = SHARE) -> str:
    """Write half the width of an interval, in points or in the unit of the mean."""
    if limits.low is None or limits.high is None:
        return NOTHING
    return number((limits.high - limits.low) / 2, decimals, unit)


def interval(figure: Estimated, unit: Unit = SHARE) -> str:
    """Write both limits, unclipped: 27 % to 36 %."""
    decimals = decimals_of(figure.se, unit)
    return f"{signed(figure.low, decimals, unit)} to {signed(figure.high, decimals, unit)}"


def limits(figure: Limited, decimals: int, unit: Unit = SHARE) -> str:
    """Write both limits for a table, unclipped and without their sign: 27.1 to 36.4."""
    return f"{number(figure.low, decimals, unit)} to {number(figure.high, decimals, unit)}"


def p_value(value: float) -> str:
    """Write a p-value, or that it is below the smallest one worth telling."""
    return f"p < {SMALLEST_P_VALUE:g}" if value < SMALLEST_P_VALUE else f"p = {value:.2g}"


def level_name(level: float) -> str:
    """Write a confidence level: 95 %."""
    return f"{100 * level:.10g}{_SPACE}%"


def whole(number: int) -> str:
    """Write a count with its thousands set apart: 12,000."""
    return f"{number:,}"


def reports(number: int) -> str:
    """Write a number of reports."""
    return "1 report" if number == 1 else f"{whole(number)} reports"


def epsilon(value: Epsilon) -> str:
    """Write an epsilon to three decimals, rounded up: what is claimed is never below what is spent."""
    return f"{value.decimal.quantize(_THREE_DECIMALS, rounding=ROUND_CEILING).normalize():f}"


def odds(value: Fraction) -> str:
    """Write odds as 3:1, or rounded up as about 2.719:1 when the exact ratio has too many digits to read."""
    if value.numerator <= LARGEST_READABLE_ODDS:
        return format_odds(value)
    above = (Decimal(value.numerator) / Decimal(value.denominator)).quantize(_THREE_DECIMALS, rounding=ROUND_CEILING)
    return f"about {above.normalize():f}:1"
