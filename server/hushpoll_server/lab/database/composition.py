"""What several answers cost together, and what a budget still allows.

Answers add up: an analyst who asked for ε₁, ε₂, … has (Σεᵢ)-differentially private answers, whatever each question
depended on (Dwork, McSherry, Nissim and Smith, 2006). With a δ above 0 the same answers are also (ε, δ)-private for

    ε = √(2 ln(1/δ) · Σεᵢ²) + Σεᵢ²/2

which is less for many small questions (advanced composition: Dwork, Rothblum and Vadhan, 2010). Here questions *and*
their εᵢ may depend on earlier answers; the formula holds for a filter that refuses what would go beyond it (Whitehouse,
Ramdas, Rogers and Wu, 2023), and a filter may allow what either of both allows (proof in docs/lab.md). All of it is
computed in rationals, rounded against the analyst.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Self

from hushpoll_shared.epsilon import UNITS, Epsilon, parse_number
from hushpoll_shared.errors import InvalidValue

_EXACT = Context(prec=80)
_LOG_ERROR = Fraction(1, 10**60)
# With a δ near one over the number of people, somebody's whole row could be published.
LARGEST_DELTA = Fraction(1, 1000)
_SMALL = re.compile(r"\d(\.\d{1,20})?[eE]-\d{1,2}", re.ASCII)


def parse_delta(value: object) -> Fraction:
    """Read "0", "0.000001" or "1e-6" exactly."""
    delta = Fraction(value) if isinstance(value, str) and _SMALL.fullmatch(value) else parse_number(value, "delta")
    if delta > LARGEST_DELTA:
        raise InvalidValue(
            f"delta may be at most {LARGEST_DELTA}: it is the chance that the promise fails, so choose one far below "
            "1 over the number of people, such as 1e-6, or 0"
        )
    return delta


@dataclass(frozen=True)
class Spent:
    """What was spent: the sum of all epsilons, and of their squares."""

    sum: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)

    @classmethod
    def of(cls, epsilons: Iterable[Epsilon]) -> Self:
        """Return what these questions cost."""
        units = [epsilon.units for epsilon in epsilons]
        return cls(Fraction(sum(units), UNITS), Fraction(sum(unit * unit for unit in units), UNITS**2))

    def __add__(self, epsilon: Epsilon) -> Spent:
        """Return what one more question costs."""
        more = Fraction(epsilon.units, UNITS)
        return Spent(self.sum + more, self.squares + more * more)


@dataclass(frozen=True)
class Budget:
    """The most that may be spent: ε, with chance 1 − δ."""

    epsilon: Epsilon
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        """Refuse a budget for nothing."""
        if self.epsilon.units == 0:
            raise InvalidValue("the budget must be above 0: write --epsilon 1")

    def allows(self, spent: Spent) -> bool:
        """Return whether so much may be spent, by one composition or the other."""
        limit = Fraction(self.epsilon.units, UNITS)
        return spent.sum <= limit or (self.delta > 0 and self._fits(spent.squares, limit))

    def loss(self, spent: Spent) -> Epsilon:
        """Return the ε that was spent, by the better composition, rounded up."""
        return min(_rounded_up(spent.sum), self._advanced(spent.squares)) if self.delta else _rounded_up(spent.sum)

    def left(self, spent: Spent) -> Epsilon:
        """Return the largest ε that one more question may cost."""
        least, most = 0, self.epsilon.units + 1
        while most - least > 1:
            middle = (least + most) // 2
            least, most = (middle, most) if self.allows(spent + Epsilon(middle)) else (least, middle)
        return Epsilon(least)

    def for_group(self, people: int) -> tuple[Epsilon, Fraction]:
        """Return ε and δ for so many people together: cε, and c·exp((c − 1)ε)·δ."""
        together = Epsilon(self.epsilon.units * people)
        if not self.delta:
            return together, Fraction(0)
        growth = Fraction(Epsilon(self.epsilon.units * (people - 1)).exp()) * (1 + _LOG_ERROR)
        return together, min(Fraction(1), people * growth * self.delta)

    def _fits(self, squares: Fraction, limit: Fraction) -> bool:
        # √(2 L V) + V/2 ≤ ε without the root; L is above ln(1/δ).
        return squares / 2 <= limit and 2 * self._log * squares <= (limit - squares / 2) ** 2

    def _advanced(self, squares: Fraction) -> Epsilon:
        inside = 2 * self._log * squares * UNITS**2
        root = Fraction(math.isqrt(math.ceil(inside)) + 1, UNITS) if squares else Fraction(0)
        return _rounded_up(root + squares / 2)

    @property
    def _log(self) -> Fraction:
        inverse = _EXACT.divide(Decimal(self.delta.denominator), Decimal(self.delta.numerator))
        return Fraction(_EXACT.ln(inverse)) + _LOG_ERROR


def _rounded_up(epsilon: Fraction) -> Epsilon:
    return Epsilon(math.ceil(epsilon * UNITS))
