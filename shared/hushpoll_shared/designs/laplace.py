"""Discrete Laplace noise on a grid: the textbook mechanism for a mean, exact, for teaching and comparison.

The number is rounded without bias to one of Δ + 1 points; the difference of two geometric numbers is added. Each is the
number of times in a row that a 64-bit draw is below the threshold A; with α = A/2^64, noise k has P(k) ∝ α^|k|.

Privacy: moving the truth over the whole range shifts the noise by Δ at most, so the odds are α^−Δ = (2^64/A)^Δ.
Outputs beyond `reach` steps outside the range are clamped, which looks at the output alone. A is rounded up.
Proof, variance and references: docs/mechanisms/laplace.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from hushpoll_shared.designs import wire
from hushpoll_shared.designs.bound import Bound
from hushpoll_shared.designs.design import Design
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN

STEPS = 16
MOST_STEPS = 64
LARGEST_REACH = 2**24
# Of noise beyond the reach there is less than 2^−40.
_REACH_BITS = 40
# More would keep a phone busy: enough for an epsilon of 0.01 on the finest grid.
MOST_COINS = 6500
SMALLEST_EPSILON = Decimal("0.01")


@dataclass(frozen=True)
class Laplace(Design):
    """Discrete Laplace noise: Δ = `steps`, outputs up to `reach` steps outside the range."""

    steps: int
    reach: int
    threshold: int

    NAME: ClassVar = "laplace"

    def __post_init__(self) -> None:
        """Refuse sizes that make no question."""
        if not 1 <= self.steps <= MOST_STEPS or not 1 <= self.reach <= LARGEST_REACH:
            raise InvalidValue(f"Laplace noise needs 1 to {MOST_STEPS} steps and a reach that is not too large")
        if not 0 < self.threshold < SPAN:
            raise InvalidValue("a threshold reveals everything or nothing")
        # A geometric number takes M/(M − A) coins on average.
        if (SPAN - self.threshold) * MOST_COINS < SPAN:
            raise InvalidValue("Laplace noise would take too many coins: raise epsilon")

    @classmethod
    def from_bound(cls, bound: Bound, steps: int = STEPS) -> Self:
        """Make the design with the smallest threshold whose epsilon is not above the stated one."""
        if bound.epsilon.decimal < SMALLEST_EPSILON:
            raise InvalidValue(f"Laplace noise needs an epsilon of at least {SMALLEST_EPSILON}: leave mechanism out")
        with localcontext(prec=80):
            # A = ⌈M · e^(−ε/Δ)⌉
            odds = Decimal(bound.odds.numerator) / bound.odds.denominator
            threshold = int((Decimal(SPAN) * (-odds.ln() / steps).exp()).to_integral_value(rounding=ROUND_CEILING))
        reach = math.ceil(_REACH_BITS * math.log(2) / -math.log(threshold / SPAN))
        design = cls(steps, reach, threshold)
        return design if design.epsilon <= bound.epsilon else cls(steps, reach, threshold + 1)

    @cached_property
    def odds(self) -> Fraction:
        """Give the ratio over the whole range, (M/A)^Δ."""
        return Fraction(SPAN, self.threshold) ** self.steps

    def variance(self) -> float:
        """Give the variance on [−1, 1], halfway between two points of the grid, where it is largest."""
        alpha = self.threshold / SPAN
        # 2α/(1 − α)² for the noise, 1/4 for the rounding to a point
        return (2 * alpha / (1 - alpha) ** 2 + 0.25) * (2 / self.steps) ** 2

    def lower_bound(self) -> float:
        """Give the least variance for the two ends of the range alone, 4E/(E − 1)²."""
        odds = float(self.odds)
        return 4 * odds / (odds - 1) ** 2

    @property
    def outputs(self) -> int:
        """Give the number of outputs."""
        return self.steps + 2 * self.reach + 1

    @property
    def width(self) -> int:
        """Give the number of characters of a draw."""
        return wire.index_width(self.outputs - 1)

    def is_draw(self, value: object) -> bool:
        """Tell whether a value is an output."""
        return wire.is_index(value, self.outputs - 1)

    def supported_cells(self, draw: Any) -> tuple[str, ...]:
        """Name the counter of the output."""
        return (draw,)
