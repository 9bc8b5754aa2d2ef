"""The discrete Laplace law: whole numbers k with P(k) ∝ exp(−rate · |k|), drawn exactly.

Privacy: a whole number that one row changes by at most Δ, released with noise of rate ε/Δ, is ε-differentially private.
The ratio of the chances of an output is exp(rate · (|k − f'| − |k − f|)), and the difference is at most Δ. The constant
of the law cancels, so the loss is a rational number and is exactly ε at its largest.

Utility: of all ε-private mechanisms for a count, this one is best for every loss and every prior (Ghosh, Roughgarden
and Sundararajan). The standard deviation is √(2α)/(1 − α) with α = exp(−rate).

References: Dwork, McSherry, Nissim and Smith, 2006; Ghosh, Roughgarden and Sundararajan, 2009; Canonne, Kamath and
Steinke, 2020, algorithm 2. Proofs: docs/lab.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Self

from hushpoll_server.lab.noise.coins import survives
from hushpoll_shared.epsilon import UNITS, Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import ByteSource, uniform

_EXACT = Context(prec=80)
# More than the error of a few operations on 80 digits: limits are rounded outward.
_SLACK = Decimal("1e-60")
_ONE = Fraction(1)


def rate_of(epsilon: Epsilon, sensitivity: int = 1) -> Fraction:
    """Return ε/Δ: the loss for each step by which one row changes the result."""
    if epsilon.units == 0 or sensitivity < 1:
        raise InvalidValue("noise needs an epsilon above 0 and a sensitivity of at least 1")
    return Fraction(epsilon.units, UNITS * sensitivity)


@dataclass(frozen=True)
class DiscreteLaplace:
    """Noise with P(k) ∝ exp(−rate · |k|)."""

    rate: Fraction

    def __post_init__(self) -> None:
        """Refuse a rate that is no law."""
        if self.rate <= 0:
            raise InvalidValue("the rate of the noise must be above 0")

    @classmethod
    def of(cls, epsilon: Epsilon, *, sensitivity: int = 1) -> Self:
        """Return the noise that makes a result of this sensitivity ε-differentially private."""
        return cls(rate_of(epsilon, sensitivity))

    def draw(self, source: ByteSource) -> int:
        """Return noise of exactly this law."""
        while True:
            negative, size = uniform(source, 2), self._size(source)
            # Zero has two signs and would come twice as often.
            if not (negative and size == 0):
                return -size if negative else size

    def reach(self, beta: Fraction) -> int:
        """Return the least m, rounded outward, of which |noise| is above with chance at most beta."""
        # P(|K| > m) = 2 α^(m+1) / (1 + α)
        rate = _decimal(self.rate)
        twice = _EXACT.divide(Decimal(2), _EXACT.add(Decimal(1), _EXACT.exp(-rate)))
        steps = _EXACT.divide(_EXACT.ln(_EXACT.divide(twice, _decimal(beta))), rate)
        return max(0, _ceiling(steps) - 1)

    @property
    def deviation(self) -> float:
        """Return the standard deviation, for display."""
        rate = float(self.rate)
        return math.sqrt(2) * math.exp(-rate / 2) / -math.expm1(-rate)

    def _size(self, source: ByteSource) -> int:
        """Return a geometric number: at least k with chance exp(−rate · k)."""
        steps, scale = self.rate.numerator, self.rate.denominator
        # A geometric number at rate 1/scale, made of its remainder and its multiple of scale, in steps of `steps`.
        remainder = uniform(source, scale)
        while not survives(Fraction(remainder, scale), source):
            remainder = uniform(source, scale)
        multiples = 0
        while survives(_ONE, source):
            multiples += 1
        return (remainder + multiples * scale) // steps


def _decimal(number: Fraction) -> Decimal:
    return _EXACT.divide(Decimal(number.numerator), Decimal(number.denominator))


def _ceiling(number: Decimal) -> int:
    outward = _EXACT.multiply(number, _EXACT.add(Decimal(1), _SLACK))
    return int(outward.to_integral_value(rounding=ROUND_CEILING))
