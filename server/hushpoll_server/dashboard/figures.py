"""Numbers as a reader wants to see them: no more digits than the standard error bears.

The law here: nothing is clipped. A share of −0.1 is written as −10 %, because hiding it would feign certainty.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction

from hushpoll_server.estimate import Cell, Interval
from hushpoll_shared.epsilon import Epsilon, format_odds

# No figure of a survey is known better than to a millionth of a point.
MOST_DECIMALS = 6
# Odds such as 3:1 or 7:2 are read at a glance; those made from an epsilon have twenty digits on each side.
LARGEST_READABLE_ODDS = 1000
_THREE_DECIMALS = Decimal("0.001")
# Stands where there is no figure.
NOTHING = "\N{EN DASH}"
# The number and its sign must not be parted at a line's end.
_SPACE = "\N{NO-BREAK SPACE}"
_MINUS = "\N{MINUS SIGN}"


def decimals_of(se: float | None) -> int:
    """Give the decimals of a percentage whose last one is the first that the standard error leaves in doubt."""
    points = 100 * (se or 0.0)
    if points <= 0:
        return 1
    # 2.3 points: 31 %; 0.23 points: 31.4 %
    return min(MOST_DECIMALS, max(0, -math.floor(math.log10(points))))


def points(share: float | None, decimals: int) -> str:
    """Write a share in points of a hundred, without a unit."""
    if share is None:
        return NOTHING
    # Adding zero turns the −0.0 that rounding leaves behind into 0.0.
    rounded = round(100 * share, decimals) + 0.0
    return f"{rounded:.{decimals}f}".replace("-", _MINUS)


def percent(share: float | None, decimals: int) -> str:
    """Write a share as a percentage: 31 %."""
    return NOTHING if share is None else f"{points(share, decimals)}{_SPACE}%"


def headline(cell: Cell) -> str:
    """Write the estimate with half the width of its interval, in points: 31 % ± 4."""
    decimals = decimals_of(cell.se)
    return f"{percent(cell.estimate, decimals)}{_SPACE}±{_SPACE}{half_width(cell, decimals)}"


def half_width(limits: Cell | Interval, decimals: int) -> str:
    """Write half the width of an interval, in points."""
    if limits.low is None or limits.high is None:
        return NOTHING
    return points((limits.high - limits.low) / 2, decimals)


def interval(cell: Cell) -> str:
    """Write both limits, unclipped: 27 % to 36 %."""
    decimals = decimals_of(cell.se)
    return f"{percent(cell.low, decimals)} to {percent(cell.high, decimals)}"


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
