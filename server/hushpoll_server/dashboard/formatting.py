"""Numbers for readers: no more digits than the standard error justifies.

The rule here: nothing is clipped. A share of −0.1 is written as −10 %, because hiding it would suggest false certainty.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import Protocol

from hushpoll_shared.epsilon import Epsilon, format_odds

# Odds such as 3:1 or 7:2 are easy to read; those computed from an epsilon have twenty digits on each side.
LARGEST_READABLE_ODDS = 1000
SMALLEST_P_VALUE = 0.001
_THREE_DECIMALS = Decimal("0.001")
# Shown where there is no figure.
NOTHING = "\N{EN DASH}"
# A line must not break between a number and its unit.
_SPACE = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Unit:
    """How a figure is written: its factor, the sign behind it, and the most decimals that it may have."""

    factor: int
    sign: str
    most: int


# No share is known better than to a millionth of a point; a mean has the unit of its question.
SHARE = Unit(100, f"{_SPACE}%", 6)
OWN = Unit(1, "", 15)


class Limited(Protocol):
    """A figure with two limits."""

    @property
    def low(self) -> float | None:
        """Return the lower limit."""

    @property
    def high(self) -> float | None:
        """Return the upper limit."""


class Estimated(Limited, Protocol):
    """A figure with limits, an estimate and its standard error: a cell, a bin, a mean, a sum."""

    @property
    def estimate(self) -> float | None:
        """Return the estimate."""

    @property
    def se(self) -> float | None:
        """Return the standard error."""


def decimals_of(se: float | None, unit: Unit = SHARE) -> int:
    """Return how many decimals to show: the last is the first one that the standard error leaves in doubt."""
    error = unit.factor * (se or 0.0)
    if error <= 0:
        return 1
    # 2.3 points: 31 %; 0.23 points: 31.4 %
    return min(unit.most, max(0, -math.floor(math.log10(error))))


def number(value: float | None, decimals: int, unit: Unit = SHARE) -> str:
    """Format a figure without its unit; a share in percent."""
    if value is None:
        return NOTHING
    # Adding zero turns the −0.0 that rounding leaves behind into 0.0.
    rounded = round(unit.factor * value, decimals) + 0.0
    return f"{rounded:,.{decimals}f}".replace("-", _MINUS)


def signed(value: float | None, decimals: int, unit: Unit = SHARE) -> str:
    """Format a figure with its unit: 31 %."""
    return NOTHING if value is None else f"{number(value, decimals, unit)}{unit.sign}"


def headline(figure: Estimated, unit: Unit = SHARE) -> str:
    """Format an estimate with its margin of error: 31 % ± 4."""
    decimals = decimals_of(figure.se, unit)
    return f"{signed(figure.estimate, decimals, unit)} ±{_SPACE}{half_width(figure, decimals, unit)}"


def half_width(limits: Limited, decimals: int, unit: Unit = SHARE) -> str:
    """Format half the width of an interval, in points or in the unit of the mean."""
    if limits.low is None or limits.high is None:
        return NOTHING
    return number((limits.high - limits.low) / 2, decimals, unit)


def interval(figure: Estimated, unit: Unit = SHARE) -> str:
    """Format both limits, unclipped: 27 % to 36 %."""
    decimals = decimals_of(figure.se, unit)
    return f"{signed(figure.low, decimals, unit)} to {signed(figure.high, decimals, unit)}"


def limits(figure: Limited, decimals: int, unit: Unit = SHARE) -> str:
    """Format both limits for a table, unclipped and without their unit: 27.1 to 36.4."""
    return f"{number(figure.low, decimals, unit)} to {number(figure.high, decimals, unit)}"


def p_value(value: float) -> str:
    """Format a p-value, or that it is below the smallest one worth reporting."""
    return f"p < {SMALLEST_P_VALUE:g}" if value < SMALLEST_P_VALUE else f"p = {value:.2g}"


def p_number(value: float | None) -> str:
    """Format a p-value for a column of a table that is called p."""
    if value is None:
        return NOTHING
    return f"< {SMALLEST_P_VALUE:g}" if value < SMALLEST_P_VALUE else f"{value:.2g}"


def level_name(level: float) -> str:
    """Format a confidence level: 95 %."""
    return f"{100 * level:.10g}{_SPACE}%"


def whole(number: int) -> str:
    """Format a count with a thousands separator: 12,000."""
    return f"{number:,}"


def reports(number: int) -> str:
    """Format a number of reports."""
    return "1 report" if number == 1 else f"{whole(number)} reports"


def epsilon(value: Epsilon) -> str:
    """Format an epsilon with three decimals, rounded up: what is claimed is never below what is spent."""
    return f"{value.decimal.quantize(_THREE_DECIMALS, rounding=ROUND_CEILING).normalize():f}"


def odds(value: Fraction) -> str:
    """Format odds as 3:1, or rounded up as about 2.719:1 if the exact ratio has too many digits to read."""
    if value.numerator <= LARGEST_READABLE_ODDS:
        return format_odds(value)
    rounded = (Decimal(value.numerator) / Decimal(value.denominator)).quantize(_THREE_DECIMALS, rounding=ROUND_CEILING)
    return f"about {rounded.normalize():f}:1"
