"""The figures of the order of answers: quantiles, shares at most a number, mean and standard deviation.

The rule here: the quantile of a share p is the least number t with P(X ≤ t) ≥ p. Its limits enclose the numbers that
the limits of P(X ≤ t) do not exclude, so they need no density and no normal law. What does not exist is None, and a
warning says why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.numbers.distribution import QUANTILES, Quantile
from hushpoll_server.estimate.numbers.means import Mean
from hushpoll_server.estimate.results import Json

Number = TypeVar("Number", bound=float | Fraction)

# More figures than these are of no use to a reader, and each costs time.
MOST_FIGURES = 2000


@dataclass(frozen=True, kw_only=True)
class AtMost:
    """The share of answers that are at most a number; `se` is None where the limits come from bounds."""

    at: float
    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    method: str | None = None

    def to_json(self) -> Json:
        """Return the figures by name, with full precision."""
        limits: Json = {"se": self.se, "low": self.low, "high": self.high, "method": self.method}
        return {"at": self.at, "estimate": self.estimate, **limits}


@dataclass(frozen=True, kw_only=True)
class ScaleQuantile(Quantile):
    """The quantile of a scale, which is one of its points, and beside it the interpolated one.

    For the latter the answers at a point are spread evenly around it, halfway to the points beside it.
    """

    interpolated: Mean = field(default_factory=Mean)

    def to_json(self) -> Json:
        """Return the figures by name, with full precision."""
        limits: Json = {"low": self.interpolated.low, "high": self.interpolated.high}
        return super().to_json() | {"interpolated": {"estimate": self.interpolated.estimate, **limits}}


@dataclass(frozen=True, kw_only=True)
class QuantilesResult:
    """Quantiles, shares at most a number, mean and standard deviation of one question."""

    n: int
    level: float
    quantiles: tuple[Quantile, ...]
    at: tuple[AtMost, ...]
    mean: Mean
    deviation: Mean
    warnings: tuple[str, ...] = ()
    method: str = "inversion"

    def to_json(self) -> Json:
        """Return what `hushpoll quantiles --json` prints."""
        return {
            "n": self.n,
            "level": self.level,
            "method": self.method,
            "quantiles": [each.to_json() for each in self.quantiles],
            "at": [each.to_json() for each in self.at],
            "mean": self.mean.to_json(),
            "deviation": self.deviation.to_json(),
            "warnings": list(self.warnings),
        }

    def quantile(self, share: float) -> Quantile:
        """Return the quantile of a share that was asked for, or refuse the share."""
        for each in self.quantiles:
            if each.share == share:
                return each
        raise EstimateError(f"there is no quantile of the share {share}: ask for it when the figures are made")


@dataclass(frozen=True, kw_only=True)
class QuantileDifference:
    """How much larger a quantile is in one group than in another; all figures are None where one group has none."""

    share: float
    level: float
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    method: str = "both"

    def to_json(self) -> Json:
        """Return the figures by name."""
        limits: Json = {"low": self.low, "high": self.high, "level": self.level, "method": self.method}
        return {"share": self.share, "estimate": self.estimate, **limits}


def quantile_difference(first: QuantilesResult, second: QuantilesResult, share: float = 0.5) -> QuantileDifference:
    """Return how much larger a quantile is among the first people than among others.

    Its level is the product of both levels, because both intervals hold together with that probability: 95 % needs two
    results at √0.95. Variance recovery is not used: on a scale with two camps it covered 72 % where it promised 95 %.
    """
    one, other, level = first.quantile(share), second.quantile(share), first.level * second.level
    figures = (one.estimate, one.low, one.high, other.estimate, other.low, other.high)
    known = [figure for figure in figures if figure is not None]
    if len(known) < len(figures):
        return QuantileDifference(share=share, level=level)
    x, low_x, high_x, y, low_y, high_y = known
    return QuantileDifference(share=share, level=level, estimate=x - y, low=low_x - high_y, high=high_x - low_y)


def check_shares(shares: Sequence[float] | None) -> tuple[float, ...]:
    """Return the shares whose quantiles are wanted, the quartiles if none are named."""
    wanted = QUANTILES if shares is None else tuple(shares)
    if not all(0 < share < 1 for share in wanted):
        raise EstimateError("a share of a quantile is not between 0 and 1: give shares such as 0.5")
    return _few(wanted)


def check_numbers(numbers: Sequence[Number]) -> tuple[Number, ...]:
    """Return the numbers up to which shares are wanted."""
    if not all(math.isfinite(number) for number in numbers):
        raise EstimateError("a number to count up to is not finite: give numbers of the question's range")
    return _few(tuple(numbers))


def _few(figures: tuple[Number, ...]) -> tuple[Number, ...]:
    if len(figures) > MOST_FIGURES:
        raise EstimateError(f"{len(figures)} figures are too many: ask for at most {MOST_FIGURES}")
    return figures
