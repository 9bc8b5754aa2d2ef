"""The square wave on a grid, for the distribution of numbers: outputs near the truth weigh E, the others 1.

A number falls into one of g bins. Outputs are g + 2h places; those within h of the bin (2h + 1 of them) are near.

An extra (prefer not to say, does not apply, a point mass) is a bin far away, with 2h + 1 near outputs of its own.

Privacy: every bin and every extra has 2h + 1 near outputs, and the same number of others.
Utility: the distribution is recovered by estimate/numbers/distribution_fit.py, shares below a number by
estimate/numbers/cumulative.py.
Reference: Li, Wang, Lopuhaä-Zwakenberg, Skoric, Li (2020). Proof: docs/mechanisms/square_wave.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import wire
from hushpoll_shared.mechanisms.domains import Domain, Numbers
from hushpoll_shared.mechanisms.sentence import Sentence, rounded, times_of
from hushpoll_shared.mechanisms.two_weights import TwoWeights

MOST_BINS = 1024
# Two extras, and the point masses that a question can have.
MOST_EXTRAS = 6


@dataclass(frozen=True)
class SquareWave(TwoWeights):
    """The square wave with g = `bins` and h = `half`."""

    bins: int
    half: int
    extras: int
    threshold: int

    NAME: ClassVar = "square_wave"

    def __post_init__(self) -> None:
        """Refuse parameters that are out of range."""
        if not 2 <= self.bins <= MOST_BINS or not 0 <= self.half <= MOST_BINS or not 0 <= self.extras <= MOST_EXTRAS:
            raise InvalidValue(f"a square wave needs 2 to {MOST_BINS} bins and at most {MOST_EXTRAS} extras")
        self.check_threshold()

    @property
    def inside(self) -> int:
        """Return the number of outputs near the truth."""
        return 2 * self.half + 1

    @property
    def outside(self) -> int:
        """Return the number of all other outputs."""
        return self.bins - 1 + self.extras * self.inside

    @property
    def numbers(self) -> int:
        """Return the number of outputs that stand for numbers; those of the extras follow."""
        return self.bins + 2 * self.half

    @property
    def outputs(self) -> int:
        """Return the number of all outputs."""
        return self.numbers + self.extras * self.inside

    def first_near(self, extra: int) -> int:
        """Return the first of the outputs near an extra."""
        return self.numbers + extra * self.inside

    @property
    def slope(self) -> Fraction:
        """Return how much the mean output rises with each bin: P(near) − (2h + 1)·P(one output that is not near)."""
        return self.keep - (1 - self.keep) * Fraction(self.inside, self.outside)

    @cached_property
    def domain(self) -> Domain:
        """Return the domain: the numbers of the range, and the extras."""
        return Numbers("distribution", self.extras)

    @property
    def width(self) -> int:
        """Return the number of characters of a draw."""
        return wire.index_width(self.outputs - 1)

    def is_draw(self, value: object) -> bool:
        """Return whether a value is an output."""
        return wire.is_index(value, self.outputs - 1)

    def odds_sentence(self) -> Sentence:
        """Return the sentence on how often the place is near the answer, and what near means."""
        near = rounded(100 * Fraction(self.inside, 2 * self.bins))
        times = times_of(self.keep, Fraction(self.inside, self.outputs))
        return Sentence("odds_extras" if self.extras else "odds", {"near": near}, times)

    def sent_sentence(self, question_type: str) -> Sentence:  # noqa: ARG002 (the same for all types)
        """Return the sentence on what a place is on the wire."""
        return Sentence("sent", {"size": self.outputs})
