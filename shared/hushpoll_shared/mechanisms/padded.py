"""Padding and sampling for questions with few answers out of many: at most L of m options may be ticked.

The ticked options are padded to L with different blank ones; the device picks one of the L at random and reports it by
subset selection among the m + L. Only one option of the answer is used, so it may be reported with larger odds.

Privacy: given the padded answer S of L options, a set R of d has the probability β·(1 + (o − 1)·|R ∩ S|/L), with o the
odds of the inner subset selection. |R ∩ S| is between 0 and min(d, L), so the odds are 1 + (o − 1)·min(d, L)/L.
Proof, variance and references: docs/mechanisms/padded.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.ball import MOST_OPTIONS
from hushpoll_shared.mechanisms.design import SupportingDesign
from hushpoll_shared.mechanisms.domains import Domain, Ticks
from hushpoll_shared.mechanisms.sentence import Sentence, rest_of, times_of
from hushpoll_shared.mechanisms.subset import Subset


@dataclass(frozen=True)
class Padded(SupportingDesign):
    """Padding and sampling: m = `options`, L = `most`, d = `picks`."""

    options: int
    most: int
    picks: int
    threshold: int

    NAME: ClassVar = "padded"

    def __post_init__(self) -> None:
        """Refuse parameters that are out of range."""
        if not 2 <= self.options <= MOST_OPTIONS or not 1 <= self.most <= self.options:
            raise InvalidValue(f"padding needs 2 to {MOST_OPTIONS} options, of which some may be ticked")
        if not 1 <= self.picks <= self.options:
            raise InvalidValue("padding must not report more options than there are")
        self.inner.check_threshold()

    @cached_property
    def inner(self) -> Subset:
        """Return the subset selection that reports one option of the padded answer."""
        return Subset(self.options + self.most, self.picks, self.threshold)

    @property
    def odds(self) -> Fraction:
        """Return the exact largest ratio of the probabilities of one draw under two whole answers."""
        return 1 + (self.inner.odds - 1) * min(self.picks, self.most) / self.most

    @property
    def p(self) -> Fraction:
        """Return P(report contains an option | it is ticked)."""
        return self.q + (self.inner.p - self.inner.q) / self.most

    @property
    def q(self) -> Fraction:
        """Return P(report contains an option | it is not ticked)."""
        return self.inner.q

    @cached_property
    def domain(self) -> Domain:
        """Return the domain: at most L ticks."""
        return Ticks(self.options, self.most)

    @property
    def width(self) -> int:
        """Return the number of characters of a draw."""
        return self.inner.width

    def is_draw(self, value: object) -> bool:
        """Return whether a value is a set of `picks` options, blank ones included."""
        return self.inner.is_draw(value)

    def odds_sentence(self) -> Sentence:
        """Return the sentence on how often the draw is, or contains, the option that was picked."""
        inner, values = self.inner, {"most": self.most}
        if self.picks == 1:
            return Sentence("odds_one", values, times_of(inner.keep), {"rest": rest_of(inner.size)})
        times = times_of(inner.keep, Fraction(self.picks, inner.size))
        return Sentence("odds_set", {**values, "picks": self.picks, "size": inner.size}, times)

    def sent_sentence(self, question_type: str) -> Sentence:
        """Return the sentence on what a set is on the wire."""
        sent = self.inner.sent_sentence(question_type)
        return Sentence(sent.key, sent.values, phrases={"answers": Sentence("blanks")})
