"""The square wave on a grid, for the distribution of numbers: outputs near the truth weigh E, the others 1.

A number falls into one of g bins. Outputs are g + 2h places; those within h of the bin (2h + 1 of them) are near.

An extra (prefer not to say, does not apply) is a bin far away, with 2h + 1 near outputs of its own.

Privacy: every bin and every extra has 2h + 1 near outputs, and equally many others.
Utility: the distribution is recovered by expectation maximisation with smoothing (estimate/distribution.py).
Reference: Li, Wang, Lopuhaä-Zwakenberg, Skoric, Li (2020). Proof: docs/mechanisms/wave.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from hushpoll_shared.designs import wire
from hushpoll_shared.designs.bound import Bound
from hushpoll_shared.designs.two_weights import TwoWeights, largest_threshold
from hushpoll_shared.errors import InvalidValue

MOST_BINS = 1024


@dataclass(frozen=True)
class Wave(TwoWeights):
    """The square wave with g = `bins` and h = `half`."""

    bins: int
    half: int
    extras: int
    threshold: int

    NAME: ClassVar = "wave"

    def __post_init__(self) -> None:
        """Refuse sizes that make no question."""
        if not 2 <= self.bins <= MOST_BINS or not 0 <= self.half <= MOST_BINS or not 0 <= self.extras <= 2:
            raise InvalidValue(f"a square wave needs 2 to {MOST_BINS} bins and at most 2 extras")
        self.check_threshold()

    @classmethod
    def from_bound(cls, bound: Bound, bins: int, half: int, extras: int = 0) -> Self:
        """Make the design with the largest threshold."""
        near = 2 * half + 1
        return cls(bins, half, extras, largest_threshold(bound, near, bins - 1 + extras * near))

    @property
    def inside(self) -> int:
        """Give the number of outputs near the truth."""
        return 2 * self.half + 1

    @property
    def outside(self) -> int:
        """Give the number of all other outputs."""
        return self.bins - 1 + self.extras * self.inside

    @property
    def numbers(self) -> int:
        """Give the number of outputs that stand for numbers; those of the extras follow."""
        return self.bins + 2 * self.half

    @property
    def outputs(self) -> int:
        """Give the number of all outputs."""
        return self.numbers + self.extras * self.inside

    def first_near(self, extra: int) -> int:
        """Give the first of the outputs near an extra."""
        return self.numbers + extra * self.inside

    @property
    def slope(self) -> Fraction:
        """Give by how much the mean output rises with each bin: P(near) − (2h + 1)·P(one output that is not near)."""
        return self.keep - (1 - self.keep) * Fraction(self.inside, self.outside)

    def variance(self) -> float:
        """Give the worst variance on [−1, 1] of the mean that the outputs give without bias."""
        worst = max(self._output_variance(start) for start in (0, self.bins // 2, self.bins - 1))
        return worst / float(self.slope) ** 2 * (2 / self.bins) ** 2

    def lower_bound(self) -> float:
        """Give the least variance for the two ends of the range alone, 4E/(E − 1)²."""
        odds = float(self.odds)
        return 4 * odds / (odds - 1) ** 2

    def _output_variance(self, start: int) -> float:
        far, near = float(1 - self.keep) / self.outside, float(self.keep) / self.inside
        weights = [near if start <= output < start + self.inside else far for output in range(self.numbers)]
        # Reports near an extra say nothing about the number: they count as its middle.
        places = [output - (self.numbers - 1) / 2 for output in range(self.numbers)]
        mean = sum(place * weight for place, weight in zip(places, weights, strict=True))
        return sum(place**2 * weight for place, weight in zip(places, weights, strict=True)) - mean**2

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
