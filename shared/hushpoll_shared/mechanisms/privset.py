"""PrivSet for questions with few answers out of many: at most L of m options may be ticked.

The ticked options are filled up to L with different blanks. A draw is a set of d of the K = m + L options and blanks;
sets that contain any of the filled-up answer weigh E, the others 1.

Privacy: C(K, d) − C(m, d) sets contain some of the answer and C(m, d) none, whatever the answer is.
Utility: every option of the answer counts in each draw, so it is never worse than reporting one of them by lot.
Proof, variance and references: docs/mechanisms/privset.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import comb
from typing import ClassVar

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import wire
from hushpoll_shared.mechanisms.ball import MOST_OPTIONS
from hushpoll_shared.mechanisms.design import SupportingDesign
from hushpoll_shared.mechanisms.domains import Domain, Ticks
from hushpoll_shared.mechanisms.sentence import Sentence, times_of
from hushpoll_shared.mechanisms.two_weights import TwoWeights


@dataclass(frozen=True)
class PrivSet(TwoWeights, SupportingDesign):
    """PrivSet: m = `options`, L = `most`, d = `picks`."""

    options: int
    most: int
    picks: int
    threshold: int

    NAME: ClassVar = "privset"

    def __post_init__(self) -> None:
        """Refuse parameters that are out of range."""
        if not 2 <= self.options <= MOST_OPTIONS or not 1 <= self.most <= self.options:
            raise InvalidValue(f"PrivSet needs 2 to {MOST_OPTIONS} options, of which at least one may be ticked")
        if not 1 <= self.picks <= self.options:
            raise InvalidValue("PrivSet must not report more options than there are")
        self.check_threshold()

    @property
    def size(self) -> int:
        """Return K, the number of options and blanks."""
        return self.options + self.most

    @cached_property
    def inside(self) -> int:
        """Return the number of sets that contain some of the answer."""
        return comb(self.size, self.picks) - self.outside

    @cached_property
    def outside(self) -> int:
        """Return the number of sets that contain none of the answer."""
        return comb(self.options, self.picks)

    @cached_property
    def overlaps(self) -> tuple[int, ...]:
        """Return the numbers of sets that contain 1 to h of the answer, for every h below the largest one."""
        largest = min(self.picks, self.most)
        return tuple(accumulate(comb(self.most, h) * comb(self.options, self.picks - h) for h in range(1, largest)))

    @cached_property
    def p(self) -> Fraction:
        """Return P(report contains an option | it is ticked)."""
        # Every set that contains the option is inside.
        return self.keep * comb(self.size - 1, self.picks - 1) / self.inside

    @cached_property
    def q(self) -> Fraction:
        """Return P(report contains an option | it is not ticked)."""
        # Of the sets outside, d of m contain it.
        return self.p - (self.odds - 1) * (1 - self.keep) * Fraction(self.picks, self.options)

    @cached_property
    def domain(self) -> Domain:
        """Return the domain: at most L ticks."""
        return Ticks(self.options, self.most)

    @property
    def width(self) -> int:
        """Return the number of characters of a draw."""
        return wire.set_width(self.size, self.picks)

    def is_draw(self, value: object) -> bool:
        """Return whether a value is a set of `picks` options and blanks."""
        return wire.is_set(value, self.size, self.picks)

    def odds_sentence(self) -> Sentence:
        """Return the sentence on how often the draw contains some of the answer."""
        times = times_of(self.keep, Fraction(self.inside, self.inside + self.outside))
        values = {"picks": self.picks, "size": self.size, "most": self.most}
        return Sentence("odds_one" if self.picks == 1 else "odds_set", values, times)

    def sent_sentence(self, question_type: str) -> Sentence:  # noqa: ARG002 (the same for all types)
        """Return the sentence on what a set is on the wire."""
        values = {"picks": self.picks, "size": self.size}
        return Sentence("sent_one" if self.picks == 1 else "sent_set", values)
