"""Repeated waves: a permanent draw that the device remembers, and a fresh draw of it in every wave.

Both are k-ary randomized response. The permanent draw of an answer is computed from a secret of the device, so it is
the same in every wave and no list of answers is kept. A wave reveals less than the permanent draw; all waves together
reveal no more than it, as long as the answer does not change. Each different answer costs its epsilon once.

Privacy: the waves depend on the answer only through its permanent draw, whose odds are T(k−1)/(M−T).
Proof, variance and references: docs/mechanisms/repeated.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import wire
from hushpoll_shared.mechanisms.design import SupportingDesign
from hushpoll_shared.mechanisms.domains import Categories, Domain
from hushpoll_shared.mechanisms.sentence import Sentence, rest_of, times_of
from hushpoll_shared.mechanisms.subset import Subset

# The most possible answers: the device computes the permanent draw of each beforehand.
LARGEST = 256


@dataclass(frozen=True)
class Repeated(SupportingDesign):
    """A permanent and an instantaneous k-ary randomized response, k = `size`."""

    size: int
    permanent: int
    instant: int

    NAME: ClassVar = "repeated"
    THRESHOLDS: ClassVar = ("permanent", "instant")

    def __post_init__(self) -> None:
        """Refuse parameters that do not make two designs."""
        if self.size > LARGEST:
            raise InvalidValue(f"a repeated question needs 2 to {LARGEST} possible answers")
        self.first.check_threshold()
        self.second.check_threshold()

    @property
    def first(self) -> Subset:
        """Return the design of the permanent draw."""
        return Subset(self.size, 1, self.permanent)

    @property
    def second(self) -> Subset:
        """Return the design of the draw in each wave."""
        return Subset(self.size, 1, self.instant)

    @property
    def odds(self) -> Fraction:
        """Return the odds of the permanent draw: the cost of one answer over all waves."""
        return self.first.odds

    @property
    def once(self) -> Epsilon:
        """Return the epsilon of a single wave."""
        return Epsilon.of_odds(self.p / self.q)

    @property
    def p(self) -> Fraction:
        """Return P(report is a category | it is the truth)."""
        first, second = self.first, self.second
        return first.p * second.p + (self.size - 1) * first.q * second.q

    @property
    def q(self) -> Fraction:
        """Return P(report is a category | another is the truth)."""
        return (1 - self.p) / (self.size - 1)

    @cached_property
    def domain(self) -> Domain:
        """Return the categories."""
        return Categories(self.size)

    @property
    def width(self) -> int:
        """Return the number of characters of a draw."""
        return wire.index_width(self.size - 1)

    def is_draw(self, value: object) -> bool:
        """Return whether a value is a category."""
        return wire.is_index(value, self.size - 1)

    def odds_sentence(self) -> Sentence:
        """Return the sentence on how often the permanent draw is the answer."""
        return Sentence("odds", times=times_of(self.first.keep), phrases={"rest": rest_of(self.size)})

    def sent_sentence(self, question_type: str) -> Sentence:  # noqa: ARG002 (the same for all types)
        """Return the sentence on what a category is on the wire."""
        return Sentence("sent", {"size": self.size})
