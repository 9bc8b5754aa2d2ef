"""The sampled Hamming ball for questions with several answers: the device asks itself about t of the m options.

The t options are drawn without looking at the answer. Of the 2^t ways to tick them, those that agree with the truth in
at least τ places weigh E, the others 1. With t = 1 one option is asked and its bit goes through Warner's design.

Privacy: epsilon is for the whole answer. As many patterns agree in τ places with one truth as with any other.
Utility: t and τ are those with the least computed variance.
Proof, variance and references: docs/mechanisms/ball.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from hushpoll_shared.designs.bound import Bound
from hushpoll_shared.designs.two_weights import TwoWeights, largest_threshold
from hushpoll_shared.errors import InvalidValue

MOST_OPTIONS = 258
# Patterns are numbers that both languages hold exactly.
MOST_ASKED = 32
_CHARACTERS = frozenset("-01")


@dataclass(frozen=True)
class Ball(TwoWeights):
    """The sampled Hamming ball: m = `options`, t = `asked`, τ = `agree`."""

    options: int
    asked: int
    agree: int
    threshold: int

    NAME: ClassVar = "ball"

    def __post_init__(self) -> None:
        """Refuse sizes that make no question."""
        if not 1 <= self.options <= MOST_OPTIONS or not 1 <= self.asked <= min(self.options, MOST_ASKED):
            raise InvalidValue(f"a ball needs 1 to {MOST_OPTIONS} options and at most {MOST_ASKED} asked ones")
        if not 1 <= self.agree <= self.asked:
            raise InvalidValue("a ball must agree in at least one and at most all asked options")
        self.check_threshold()

    @classmethod
    def from_bound(cls, bound: Bound, options: int) -> Self:
        """Make the design with the least variance of an option that half of the people tick."""
        odds = float(bound.odds)
        sizes = [(t, tau) for t in range(1, min(options, MOST_ASKED) + 1) for tau in range(t // 2 + 1, t + 1)]
        asked, agree = min(sizes, key=lambda size: option_variance(options, size[0], contrast(size[0], size[1], odds)))
        inside = ball_size(asked, agree)
        return cls(options, asked, agree, largest_threshold(bound, inside, (1 << asked) - inside))

    @cached_property
    def inside(self) -> int:
        """Give the number of patterns that agree in at least τ places."""
        return ball_size(self.asked, self.agree)

    @property
    def outside(self) -> int:
        """Give the number of all other patterns."""
        return (1 << self.asked) - self.inside

    @cached_property
    def p(self) -> Fraction:
        """Give P(an asked option is reported as ticked | it is ticked)."""
        near = _agreement(self.asked, range(self.agree, self.asked + 1))
        far = _agreement(self.asked, range(self.agree))
        return self.keep * near / self.inside + (1 - self.keep) * far / self.outside

    @property
    def q(self) -> Fraction:
        """Give P(an asked option is reported as ticked | it is not ticked)."""
        return 1 - self.p

    def variance_at(self, share: float) -> float:
        """Give the variance of an option with this share, by the randomizing and the choice of options alone."""
        # (m/t)·(1/c² − 1)/4 + (m/t − 1)·f(1 − f)
        rate, lean = self.asked / self.options, float(self.p - self.q)
        return (1 / lean**2 - 1) / (4 * rate) + (1 / rate - 1) * share * (1 - share)

    def variance(self) -> float:
        """Give the variance of an option that half of the people tick."""
        return self.variance_at(0.5)

    def lower_bound(self) -> float:
        """Give what no design with these odds can fall below, averaged over the options, at independent halves."""
        odds = float(self.odds)
        # One option alone cannot be asked better than by Warner's design, and all share what a report can tell.
        return max(odds / (odds - 1) ** 2, self.options / (4 * _most_information(odds, self.options)) - 0.25)

    @property
    def width(self) -> int:
        """Give the number of characters of a draw: one for each option."""
        return self.options

    def is_draw(self, value: object) -> bool:
        """Tell whether a value marks t options as ticked or not and leaves the others out."""
        if not isinstance(value, str) or len(value) != self.options or not _CHARACTERS.issuperset(value):
            return False
        return value.count("-") == self.options - self.asked

    def supported_cells(self, draw: Any) -> tuple[str, ...]:
        """Name the options that were asked, and those that are reported as ticked."""
        asked = (f"{option}?" for option, mark in enumerate(draw) if mark != "-")
        return (*asked, *(str(option) for option, mark in enumerate(draw) if mark == "1"))


def ball_size(asked: int, agree: int) -> int:
    """Count the patterns of t bits that agree with one in at least τ places."""
    return sum(math.comb(asked, a) for a in range(agree, asked + 1))


def pattern(asked: int, rank: int) -> int:
    """Give the pattern of flips with this rank, as a number whose bit i is place i: fewest flips first."""
    flips = 0
    while rank >= math.comb(asked, flips):
        rank -= math.comb(asked, flips)
        flips += 1
    marks = 0
    for place in reversed(range(asked)):
        if rank >= math.comb(place, flips):
            rank -= math.comb(place, flips)
            marks |= 1 << place
            flips -= 1
    return marks


def contrast(asked: int, agree: int, odds: float) -> float:
    """Give c = E[2·agreement/t − 1], by how much a report leans toward the truth."""
    weights = [math.comb(asked, a) * (odds if a >= agree else 1) for a in range(asked + 1)]
    # Divided before they are added up: the odds of a large epsilon would overflow.
    return sum((2 * a / asked - 1) * (weight / sum(weights)) for a, weight in enumerate(weights))


def option_variance(options: int, asked: int, lean: float) -> float:
    """Give the variance of one option at share one half, given the answers: (m/t)·(1/c² − 1)/4 + (m/t − 1)/4."""
    return options / asked / (4 * lean**2) - 0.25


def _agreement(asked: int, range_of_a: range) -> Fraction:
    return sum((Fraction(a * math.comb(asked, a), asked) for a in range_of_a), start=Fraction(0))


def _most_information(odds: float, options: int) -> float:
    """Bound Σ_j E[x_j | report]² over all reports that odds allow, for independent fair bits x_j = ±1.

    A report that a set A of answers makes E times as likely as the others has Σ_j E[x_j | report]² =
    (E−1)²·W(A) / (1 + (E−1)μ)², μ = |A|/2^m, with W(A) = Σ_j (2^−m Σ_{x∈A} x_j)². It is at most μ(1−μ) by Parseval, at
    most 2μ²·ln(1/μ) by the level-1 inequality, and at most mμ². A set of more than half has the W of its complement
    and less weight to gain by, so none is better.
    """
    # The best share is a few times 1/E; no set is smaller than 2^−m.
    shares = (2 ** (-step / 64) for step in range(64, 64 * min(options, 60) + 1))
    return max(((odds - 1) / (1 + (odds - 1) * share)) ** 2 * _level_one(share, options) for share in shares)


def _level_one(share: float, options: int) -> float:
    return min(share * (1 - share), 2 * share**2 * math.log(1 / share), options * share**2)
