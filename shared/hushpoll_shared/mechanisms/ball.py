"""The sampled Hamming ball for questions with several answers: the device asks itself about t of the m options.

The t options are drawn without looking at the answer. Of the 2^t ways to tick them, those that agree with the truth in
at least τ places weigh E, the others 1. With t = 1 one option is asked and its bit goes through Warner's design.

Privacy: epsilon is for the whole answer. The number of patterns that agree in τ places is the same for every truth.
Utility: t and τ are those with the least computed variance.
Proof, variance and references: docs/mechanisms/ball.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.design import SupportingDesign
from hushpoll_shared.mechanisms.domains import Domain, Ticks
from hushpoll_shared.mechanisms.sentence import Sentence, times_of
from hushpoll_shared.mechanisms.two_weights import TwoWeights

MOST_OPTIONS = 258
# Patterns are numbers that Python and JavaScript must both hold exactly.
MOST_ASKED = 32
_CHARACTERS = frozenset("-01")


@dataclass(frozen=True)
class Ball(TwoWeights, SupportingDesign):
    """The sampled Hamming ball: m = `options`, t = `asked`, τ = `agree`."""

    options: int
    asked: int
    agree: int
    threshold: int

    NAME: ClassVar = "ball"

    def __post_init__(self) -> None:
        """Refuse parameters that are out of range."""
        if not 1 <= self.options <= MOST_OPTIONS or not 1 <= self.asked <= min(self.options, MOST_ASKED):
            raise InvalidValue(f"a ball needs 1 to {MOST_OPTIONS} options and at most {MOST_ASKED} asked ones")
        if not 1 <= self.agree <= self.asked:
            raise InvalidValue("a ball must agree in at least one and at most all asked options")
        self.check_threshold()

    @cached_property
    def inside(self) -> int:
        """Return the number of patterns that agree in at least τ places."""
        return ball_size(self.asked, self.agree)

    @property
    def outside(self) -> int:
        """Return the number of all other patterns."""
        return (1 << self.asked) - self.inside

    @cached_property
    def p(self) -> Fraction:
        """Return P(an asked option is reported as ticked | it is ticked)."""
        near = _agreement(self.asked, range(self.agree, self.asked + 1))
        far = _agreement(self.asked, range(self.agree))
        return self.keep * near / self.inside + (1 - self.keep) * far / self.outside

    @property
    def q(self) -> Fraction:
        """Return P(an asked option is reported as ticked | it is not ticked)."""
        return 1 - self.p

    @cached_property
    def domain(self) -> Domain:
        """Return the domain: any combination of ticks."""
        return Ticks(self.options)

    @property
    def width(self) -> int:
        """Return the number of characters of a draw: one for each option."""
        return self.options

    def is_draw(self, value: object) -> bool:
        """Return whether a value marks t options as ticked or not ticked and leaves out the others."""
        if not isinstance(value, str) or len(value) != self.options or not _CHARACTERS.issuperset(value):
            return False
        return value.count("-") == self.options - self.asked

    def odds_sentence(self) -> Sentence:
        """Return the sentence on how often enough of the asked options are reported as they were ticked."""
        some = "some_each" if self.asked == self.options else "some_chosen"
        phrases = {"some": Sentence(some, {"asked": self.asked, "options": self.options})}
        if self.asked == 1:
            return Sentence("odds_one", times=times_of(self.keep), phrases=phrases)
        times = times_of(self.keep, Fraction(self.inside, 2**self.asked))
        return Sentence("odds_some", times=times, phrases={**phrases, "enough": self._enough})

    @property
    def _enough(self) -> Sentence:
        if self.agree < self.asked:
            return Sentence("enough_some", {"agree": self.agree})
        return Sentence("enough_both" if self.asked == 2 else "enough_all", {"asked": self.asked})

    def sent_sentence(self, question_type: str) -> Sentence:  # noqa: ARG002 (the same for all types)
        """Return the sentence on what the marks are on the wire."""
        return Sentence("sent_chosen" if self.asked < self.options else "sent_all", {"options": self.options})


def ball_size(asked: int, agree: int) -> int:
    """Return the number of patterns of t bits that agree with a given one in at least τ places."""
    return sum(math.comb(asked, a) for a in range(agree, asked + 1))


def pattern(asked: int, rank: int) -> int:
    """Return the pattern of flips with this rank, as a number whose bit i is place i: fewest flips first."""
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


def _agreement(asked: int, range_of_a: range) -> Fraction:
    return sum((Fraction(a * math.comb(asked, a), asked) for a in range_of_a), start=Fraction(0))
