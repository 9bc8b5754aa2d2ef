"""Subset selection: report a set of d of the k categories; sets that contain the truth weigh E, the others 1.

With d = 1 it is k-ary randomized response, with k = 2 and d = 1 Warner's design.

Privacy: C(k−1, d−1) sets contain the truth and C(k−1, d) do not, whatever the truth is; their ratio is d : k−d.
Utility: with the best d its total variance is the least that any design with the same epsilon has (Ye, Barg 2018).
Proof, variance and references: docs/mechanisms/subset.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import wire
from hushpoll_shared.mechanisms.design import SupportingDesign
from hushpoll_shared.mechanisms.domains import Categories, Domain
from hushpoll_shared.mechanisms.sentence import Sentence, rest_of, times_of
from hushpoll_shared.mechanisms.two_weights import TwoWeights

LARGEST = 2048


@dataclass(frozen=True)
class Subset(TwoWeights, SupportingDesign):
    """Subset selection with k = `size` and d = `picks`."""

    size: int
    picks: int
    threshold: int

    NAME: ClassVar = "subset"

    def __post_init__(self) -> None:
        """Refuse parameters that are out of range."""
        if not 2 <= self.size <= LARGEST or not 1 <= self.picks < self.size:
            raise InvalidValue(f"subset selection needs 2 to {LARGEST} categories and fewer picks than categories")
        self.check_threshold()

    @property
    def inside(self) -> int:
        """Return d: the numbers of sets with and without the truth are in the ratio d : k − d."""
        return self.picks

    @property
    def outside(self) -> int:
        """Return k − d."""
        return self.size - self.picks

    @property
    def p(self) -> Fraction:
        """Return P(report contains a category | it is the truth)."""
        return self.keep

    @property
    def q(self) -> Fraction:
        """Return P(report contains a category | another is the truth)."""
        # d − 1 or d of the k − 1 others are in the report
        return (self.keep * (self.picks - 1) + (1 - self.keep) * self.picks) / (self.size - 1)

    @cached_property
    def domain(self) -> Domain:
        """Return the categories."""
        return Categories(self.size)

    @property
    def width(self) -> int:
        """Return the number of characters of a draw."""
        return wire.set_width(self.size, self.picks)

    def is_draw(self, value: object) -> bool:
        """Return whether a value is a set of `picks` categories."""
        return wire.is_set(value, self.size, self.picks)

    def odds_sentence(self) -> Sentence:
        """Return the sentence on how often the draw is the answer, or contains it."""
        if self.picks == 1:
            return Sentence("odds_one", times=times_of(self.keep), phrases={"rest": rest_of(self.size)})
        times = times_of(self.keep, Fraction(self.picks, self.size))
        return Sentence("odds_set", {"picks": self.picks, "size": self.size}, times)

    def sent_sentence(self, question_type: str) -> Sentence:
        """Return the sentence on what a set is on the wire."""
        if question_type == "yes_no" and self.size == 2:
            return Sentence("sent_bit")
        if self.picks == 1:
            return Sentence("sent_one", {"size": self.size})
        return Sentence("sent_set", {"picks": self.picks, "size": self.size})
