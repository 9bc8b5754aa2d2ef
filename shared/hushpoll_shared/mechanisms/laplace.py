"""Discrete Laplace noise on a grid: the textbook mechanism for a mean, exact, for teaching and comparison.

The number is rounded without bias to one of Δ + 1 points; the difference of two geometric numbers is added. Each is the
number of times in a row that a 64-bit draw is below the threshold A; with α = A/2^64, noise k has P(k) ∝ α^|k|.

Privacy: moving the truth over the whole range shifts the noise by at most Δ, so the odds are α^−Δ = (2^64/A)^Δ.
Outputs more than `reach` steps outside the range are clamped, which depends on the output alone. A is rounded up.
Proof, variance and references: docs/mechanisms/laplace.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import wire
from hushpoll_shared.mechanisms.design import Design
from hushpoll_shared.mechanisms.domains import Domain, Numbers
from hushpoll_shared.mechanisms.sentence import Sentence, guesses
from hushpoll_shared.randomness import SPAN

MOST_STEPS = 64
LARGEST_REACH = 2**24
# The most coins that one geometric number may take on average: more would keep a phone busy. Enough for an epsilon of
# 0.01 on the finest grid.
MOST_COINS = 6500


@dataclass(frozen=True)
class Laplace(Design):
    """Discrete Laplace noise: Δ = `steps`, outputs up to `reach` steps outside the range."""

    steps: int
    reach: int
    threshold: int

    NAME: ClassVar = "laplace"

    def __post_init__(self) -> None:
        """Refuse parameters that are out of range."""
        if not 1 <= self.steps <= MOST_STEPS or not 1 <= self.reach <= LARGEST_REACH:
            raise InvalidValue(f"Laplace noise needs 1 to {MOST_STEPS} steps and a reach that is not too large")
        if not 0 < self.threshold < SPAN:
            raise InvalidValue("a threshold reveals everything or nothing")
        # A geometric number takes M/(M − A) coins on average.
        if (SPAN - self.threshold) * MOST_COINS < SPAN:
            raise InvalidValue("Laplace noise would take too many coins: raise epsilon")

    @cached_property
    def odds(self) -> Fraction:
        """Return the ratio over the whole range, (M/A)^Δ."""
        return Fraction(SPAN, self.threshold) ** self.steps

    @property
    def outputs(self) -> int:
        """Return the number of outputs."""
        return self.steps + 2 * self.reach + 1

    @cached_property
    def domain(self) -> Domain:
        """Return the domain: the numbers of the range."""
        return Numbers("mean", 0)

    @property
    def width(self) -> int:
        """Return the number of characters of a draw."""
        return wire.index_width(self.outputs - 1)

    def is_draw(self, value: object) -> bool:
        """Return whether a value is an output."""
        return wire.is_index(value, self.outputs - 1)

    def odds_sentence(self) -> Sentence:
        """Return the sentence on how often a guess is right."""
        return Sentence("odds", phrases=guesses(self.odds))

    def sent_sentence(self, question_type: str) -> Sentence:  # noqa: ARG002 (the same for all types)
        """Return the sentence on what an output is on the wire."""
        return Sentence("sent", {"size": self.outputs})
