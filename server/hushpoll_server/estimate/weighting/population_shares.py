"""Known shares of a population: by stratum, or by label of a public variable.

The rule here: shares are read exactly and add up to 1. A sum that is 1 up to rounding is divided out; any other is a
mistake in the figures, and is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from hushpoll_server.estimate.errors import EstimateError

Share = Fraction | float | str

# Shares with six digits may miss 1 by this much for every label.
_ROUNDING = Fraction(1, 10**6)


def read_shares(shares: Mapping[str, Share], what: str) -> dict[str, Fraction]:
    """Return exact shares that add up to 1."""
    exact = {name: _read(value, name) for name, value in shares.items()}
    total = sum(exact.values(), Fraction(0))
    if abs(total - 1) > _ROUNDING * max(1, len(exact)):
        raise EstimateError(f"the population's shares of the {what} add up to {float(total):.6g}, not to 1: check them")
    return {name: share / total for name, share in exact.items()}


def _read(value: Share, name: str) -> Fraction:
    try:
        share = Fraction(value)
    except (ValueError, OverflowError, ZeroDivisionError, TypeError):
        raise EstimateError(f"the population's share of {name} is not a number: give one such as 0.4 or 2/5") from None
    if not 0 <= share <= 1:
        raise EstimateError(f"the population's share of {name} is not between 0 and 1: give one such as 0.4 or 2/5")
    return share
