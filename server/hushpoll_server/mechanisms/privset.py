"""PrivSet on the server: a draw is a set of options and blanks, and counts for each of them.

Utility: d is the one with the least computed variance at the share that is expected.
Statement, proof and references: docs/mechanisms/privset.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from math import comb, prod
from typing import ClassVar

import numpy as np

from hushpoll_server.bulk.aggregate import supports_of_hex
from hushpoll_server.estimate.intervals import Limits
from hushpoll_server.estimate.joint import held_by_both
from hushpoll_server.estimate.support import Figures, SupportDesign, clamp
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.mechanism import Code, Counters, Side
from hushpoll_server.mechanisms.method import PRIVSET, Method, chances
from hushpoll_server.mechanisms.notation import Notation
from hushpoll_server.mechanisms.subset import count_sets
from hushpoll_server.mechanisms.supporting import Supporting
from hushpoll_server.mechanisms.thresholds import largest_threshold, log_likelier
from hushpoll_server.mechanisms.ticks import TICKED, at_likely_share, usual_measure
from hushpoll_server.mechanisms.variance import Measure, Rank, ShareVariance
from hushpoll_shared.mechanisms import Draw, PrivSet, wire
from hushpoll_shared.mechanisms.domains import Ticks
from hushpoll_shared.question_types import QuestionType

# With half of many options in a set, p and q are so near each other that their gap squared is no float any more.
_LEAST_GAP, _HOPELESS = 1e-140, 1e280


@dataclass(frozen=True)
class AnyDecides:
    """Sets that are likelier if they contain any of the answer.

    `one` is P(both in the set | at least one of the two is ticked), `neither` the same if neither is.
    """

    one: float
    neither: float
    exact: bool
    exclusive: bool = False
    together: float = 1.0

    def both(self, first: Figures, second: Figures) -> Limits:
        """Return P(report supports both) for two shares, as bounds."""
        ticks = clamp(first) + clamp(second)
        if self.exact:
            # One tick at most: nobody holds both.
            return Limits(self._at(ticks), self._at(ticks))
        held = held_by_both(first, second)
        return Limits(self._at(ticks - held.high), self._at(ticks - held.low))

    def _at(self, ticked: Figures) -> Figures:
        # E[1_i 1_j] = P(one of the two is ticked)·one + P(neither)·neither
        return np.asarray(self.neither + ticked * (self.one - self.neither))


class PrivSetMechanism(Supporting[PrivSet]):
    """PrivSet for questions with at most L of m options."""

    DESIGN: ClassVar = PrivSet

    @classmethod
    def best(cls, question_type: QuestionType, bound: Bound) -> PrivSet | None:
        """Return the best design for questions in which the number of ticks is limited, None for others."""
        return cls.best_by(question_type, bound, usual_measure(question_type))

    @classmethod
    def best_by(cls, question_type: QuestionType, bound: Bound, measure: Measure) -> PrivSet | None:
        """Return the best design by a measure."""
        match question_type.domain:
            case Ticks(options, int(most)):
                return cls.of(bound, options, most, measure=measure)
        return None

    @classmethod
    def of(
        cls, bound: Bound, options: int, most: int, picks: int | None = None, measure: Measure | None = None
    ) -> PrivSet:
        """Return the design with this number of picks, or with the best one by a measure."""
        odds, judge = float(bound.odds), measure or at_likely_share(options, most)
        picks = picks or min(range(1, options + 1), key=lambda d: judge(privset_variance(options, most, d, odds)))
        outside = comb(options, picks)
        inside = comb(options + most, picks) - outside
        return PrivSet(options, most, picks, largest_threshold(bound, inside, outside))

    @property
    def notation(self) -> Notation:
        """Return that a draw is one option, or a set of them."""
        return Notation.PLACE if self.design.picks == 1 else Notation.SET

    def counters(self, draw: Draw) -> tuple[str, ...]:
        """Return the counters of the options and blanks in the set."""
        return tuple(map(str, wire.read_set(draw, self.design.picks)))

    def count(self, times: Counter[Draw]) -> Counter[str]:
        """Return the counters of many draws, counted bit by bit."""
        return super().count(times) if self.design.picks == 1 else count_sets(times, self.design.size)

    def supports(self, counts: Counters) -> list[int]:
        """Return the number of sets that contain each option."""
        return [counts.get(str(option), 0) for option in range(self.design.options)]

    def support_rows(self, draws: Sequence[Draw]) -> Figures:
        """Return the options in each set as a row."""
        return supports_of_hex(draws, self.design.size)[:, : self.design.options].astype(np.float64)

    @property
    def method(self) -> Method:
        """Return the sets of options and blanks."""
        design = self.design
        sizes = f"m = {design.options}, L = {design.most}, d = {design.picks}"
        return Method(
            sentence=(
                "an answer of at most L of the m options is filled up with blanks to L items and the device reports a "
                "set of d items; sets that contain some of the answer are likelier than the others, so that the report "
                "contains an option with probability p if it is ticked and with probability q if it is not (PrivSet; "
                "Wang et al. 2018)"
            ),
            parameters=f"{sizes}, {chances(design.p, design.q)}",
            references=(PRIVSET,),
        )

    @property
    def joint(self) -> AnyDecides:
        """Return how often a set contains two options, of which one, both or neither are ticked."""
        m, d, size, keep = self.design.options, self.design.picks, self.design.size, self.design.keep
        if d == 1:
            return AnyDecides(0.0, 0.0, exact=True)
        # Sets that contain both: all of them, and those without any of an answer that holds neither.
        both, apart = comb(size - 2, d - 2), comb(m - 2, d - 2)
        one = keep * both / self.design.inside
        neither = keep * (both - apart) / self.design.inside + (1 - keep) * apart / self.design.outside
        return AnyDecides(float(one), float(neither), exact=self.design.most == 1)

    def variance_at(self, share: float) -> float:
        """Return the variance of an option with this share, from the randomizing alone."""
        return SupportDesign(self.design.p, self.design.q).privacy_variance(share)

    def variance(self) -> float:
        """Return the variance of an option that half of the people tick."""
        return self.variance_at(0.5)

    def compared_by(self, measure: Measure) -> Rank:
        """Return the measure of the variance of an option."""
        return measure(self.variance_by_answer())

    def lower_bound(self) -> float:
        """Return Warner's variance E/(E − 1)²: one option alone cannot be asked better."""
        odds = float(self.design.odds)
        return odds / (odds - 1) ** 2

    def figure_variance(self) -> float:
        """Return the variance of the share of an option that half of the people tick."""
        return self.variance() + TICKED

    def log_likeliest(self) -> float:
        """Return ln of the largest probability of a draw."""
        return log_likelier(self.design, self.design.inside, self.design.outside)

    @property
    def outputs(self) -> int:
        """Return the number of sets."""
        return comb(self.design.size, self.design.picks)

    def side(self, code: Code, draw: Draw) -> Side:
        """Return FOR if the set contains some of the filled-up answer."""
        held = any(wire.has_member(draw, place, self.design.picks) for place in self._filled_up(code))
        return Side.FOR if held else Side.AGAINST

    def _filled_up(self, code: Code) -> set[int]:
        """Return the ticked options, and the last blanks, which fill the answer up."""
        ticked = list(compress(range(self.design.options), code))
        return {*ticked, *range(self.design.options + len(ticked), self.design.size)}

    def chance_for(self, code: Code) -> float:  # noqa: ARG002 (the same for all answers)
        """Return the probability of a set that contains some of the answer."""
        return float(self.design.keep)

    def part_chances(self, code: Code) -> Mapping[str, float]:
        """Return p for what is in the filled-up answer, options and blanks alike, and q for the others."""
        p, q, answer = float(self.design.p), float(self.design.q), self._filled_up(code)
        return {f"supports {place}": p if place in answer else q for place in range(self.design.size)}

    @property
    def number_of_parts(self) -> int:
        """Return the number of options and blanks: each is an event."""
        return self.design.size

    @property
    def supported(self) -> None:
        """Return None: a draw supports options and blanks, several of which can be true."""

    def least_likely(self, draw: Draw) -> None:
        """Return None: a draw names no single answer."""


def privset_variance(options: int, most: int, picks: int, odds: float) -> ShareVariance:
    """Return the variance of one option with d picks, given the answers."""
    size = options + most
    # The fraction of sets that contain none of the answer: C(m, d)/C(K, d) = C(K − d, L)/C(K, L)
    missed = prod((size - picks - place) / (size - place) for place in range(most))
    # Both have the same divisor: p = E·d/K, p − q = (E − 1)·missed·d/m
    divisor = missed + (1 - missed) * odds
    p, gap = odds * picks / size / divisor, (odds - 1) * missed * picks / options / divisor
    if gap < _LEAST_GAP:
        return ShareVariance(_HOPELESS)
    # V(f) = [f·p(1 − p) + (1 − f)·q(1 − q)]/(p − q)², a straight line
    ends = [rate * (1 - rate) / gap**2 for rate in (p - gap, p)]
    return ShareVariance(ends[0], ends[1] - ends[0])


MECHANISM = PrivSetMechanism
