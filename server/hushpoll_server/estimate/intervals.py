"""Confidence intervals for the rate of a binomial count, from a handful of reports to a thousand million.

The reports of respondents who are a sample are exactly binomial, so an interval for the rate,
mapped by the design, is one for the share. Law kept here: `exact` covers with at least its level,
whatever the rate; no limit is NaN.
"""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from scipy import special

from hushpoll_server.estimate.errors import EstimateError

Method = Literal["wilson", "exact", "wald"]
METHODS: tuple[Method, ...] = get_args(Method)

# From here on Wilson's worst coverage is near enough to the level to do without Clopper-Pearson.
_WILSON_FROM = 100
_WILSON_FROM_MANY_CELLS = 1000


@dataclass(frozen=True)
class Interval:
    """Hold two limits in order."""

    low: float
    high: float

    def __post_init__(self) -> None:
        """Refuse limits that are out of order or not numbers."""
        if not self.low <= self.high:
            raise EstimateError(f"the limits {self.low} and {self.high} are not in order: give the lower one first")

    def to_json(self) -> dict[str, float]:
        """Return the limits by name."""
        return {"low": self.low, "high": self.high}


def choose_method(n: int, cells: int = 2) -> Method:
    """Return the method whose coverage can be trusted at n reports, exact below."""
    enough = _WILSON_FROM if cells <= 2 else _WILSON_FROM_MANY_CELLS
    return "wilson" if n >= enough else "exact"


def check_method(method: str) -> Method:
    """Return a known method's name, or refuse it."""
    for known in METHODS:
        if method == known:
            return known
    raise EstimateError(f"there is no method {method!r}: choose one of {', '.join(METHODS)}")


def normal_quantile(level: float) -> float:
    """Return the z of a two-sided normal interval."""
    # z = Φ⁻¹(1 - α/2) = -Φ⁻¹(α/2)
    return -float(special.ndtri((1 - level) / 2))


def wald(count: int, n: int, level: float) -> Interval:
    """Return the textbook interval, too short near 0 and n and without width at them."""
    rate = count / n
    # λ̂ ± z √(λ̂(1 - λ̂)/n)
    half = normal_quantile(level) * math.sqrt(rate * (1 - rate) / n)
    return Interval(rate - half, rate + half)


def wilson(count: int, n: int, level: float) -> Interval:
    """Return the rates that a score test does not reject."""
    z = normal_quantile(level)
    return Interval(_wilson_low(count, n, z), 1 - _wilson_low(n - count, n, z))


def clopper_pearson(count: int, n: int, level: float) -> Interval:
    """Return the rates that neither exact binomial tail rejects."""
    tail = (1 - level) / 2
    # P(Bin(n, low) ≥ c) = α/2 and P(Bin(n, high) ≤ c) = α/2, both by the beta distribution
    low = 0.0 if count == 0 else float(special.betaincinv(count, n - count + 1, tail))
    high = 1.0 if count == n else float(special.betainccinv(count + 1, n - count, tail))
    return Interval(low, high)


def _wilson_low(count: int, n: int, z: float) -> float:
    rate, t = count / n, z * z / n
    # The limits solve (λ̂ - λ)² = t λ(1 - λ); their product is λ̂²/(1 + t), so the smaller one needs
    # no subtraction: low = λ̂² / (λ̂ + t/2 + √(t λ̂(1 - λ̂) + t²/4))
    root = math.sqrt(t * rate * (1 - rate) + t * t / 4)
    return 0.0 if count == 0 else rate * rate / (rate + t / 2 + root)
