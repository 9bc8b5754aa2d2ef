"""Subset selection on the server: a draw is a set of categories, and counts for each of them.

Utility: with the best d its total variance is the least that any design with the same epsilon has (Ye, Barg 2018).
Statement, proof and references: docs/mechanisms/subset.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.bulk.aggregate import supports_of_hex, tally_hex
from hushpoll_server.estimate.joint import OneDecides
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.category_bound import best_picks
from hushpoll_server.mechanisms.mechanism import Code, Counters, Side, whole
from hushpoll_server.mechanisms.method import KAIROUZ, WARNER, YE_BARG, Method, chances
from hushpoll_server.mechanisms.notation import Notation
from hushpoll_server.mechanisms.supporting import Categorical
from hushpoll_server.mechanisms.thresholds import largest_threshold, log_likelier
from hushpoll_shared.mechanisms import Draw, Subset, wire
from hushpoll_shared.mechanisms.domains import Categories
from hushpoll_shared.mechanisms.subset import LARGEST
from hushpoll_shared.question_types import QuestionType, YesNo

# More different sets than this are counted together, bit by bit.
MANY_SETS = 200


class SubsetMechanism(Categorical[Subset]):
    """Subset selection, k-ary randomized response (d = 1) and Warner's design (k = 2, d = 1)."""

    DESIGN: ClassVar = Subset

    @property
    def name(self) -> str:
        """Return Warner's name where the answers are yes and no."""
        return "warner" if self._is_yes_no else self.design.NAME

    @property
    def _is_yes_no(self) -> bool:
        return self.type.NAME == YesNo.NAME and self.design.size == 2

    @classmethod
    def best(cls, question_type: QuestionType, bound: Bound) -> Subset | None:
        """Return the best design for questions with one true answer; None where the sets would be too long to send."""
        match question_type.domain:
            case Categories(size) if size <= LARGEST:
                return cls.of(bound, size)
        return None

    @classmethod
    def of(cls, bound: Bound, size: int, picks: int | None = None) -> Subset:
        """Return the design with the best number of picks, or with this one (1 for k-ary randomized response)."""
        picks = best_picks(size, float(bound.odds)) if picks is None else picks
        return Subset(size, picks, largest_threshold(bound, picks, size - picks))

    @property
    def notation(self) -> Notation:
        """Return that a draw is one category, or a set of them."""
        return Notation.PLACE if self.design.picks == 1 else Notation.SET

    def counters(self, draw: Draw) -> tuple[str, ...]:
        """Return the counters of the categories in the set."""
        return tuple(map(str, wire.read_set(draw, self.design.picks)))

    def count(self, times: Counter[Draw]) -> Counter[str]:
        """Return the counters of many draws: many different sets are counted bit by bit, few one by one."""
        if self.design.picks == 1 or len(times) <= MANY_SETS:
            return super().count(times)
        return count_sets(times, self.design.size)

    def supports(self, counts: Counters) -> list[int]:
        """Return the number of sets that contain each category."""
        return [counts.get(str(code), 0) for code in range(self.design.size)]

    def support_rows(self, draws: Sequence[Draw]) -> NDArray[np.float64]:
        """Return the members of each set as a row."""
        return supports_of_hex(draws, self.design.size).astype(np.float64)

    @property
    def method(self) -> Method:
        """Return Warner's, k-ary or the general form."""
        k, d, numbers = self.design.size, self.design.picks, chances(self.design.p, self.design.q)
        if k == 2:
            sentence = (
                "the device reports the true answer with probability p and the other answer with probability "
                "q = 1 − p (randomized response; Warner 1965)"
            )
            return Method(sentence=sentence, parameters=numbers, references=(WARNER,))
        if d == 1:
            sentence = (
                "the device reports the true answer with probability p and each of the other possible answers with "
                "probability q (k-ary randomized response; Warner 1965, Kairouz et al. 2016)"
            )
            return Method(sentence=sentence, parameters=f"k = {k}, {numbers}", references=(WARNER, KAIROUZ))
        sentence = (
            "the device reports a set of d of the k possible answers; the set contains the true answer with "
            "probability p and each other answer with probability q (subset selection; Ye and Barg 2018)"
        )
        return Method(sentence=sentence, parameters=f"k = {k}, d = {d}, {numbers}", references=(YE_BARG,))

    @property
    def joint(self) -> OneDecides:
        """Return how often a set contains two categories."""
        return joint_of_subset(self.design)

    def log_likeliest(self) -> float:
        """Return ln of the largest probability of a draw."""
        k, d = self.design.size, self.design.picks
        return log_likelier(self.design, comb(k - 1, d - 1), comb(k - 1, d))

    def least_likely(self, draw: Draw) -> tuple[float, int] | None:  # noqa: ARG002 (equal for all draws)
        """Return the least chance of a draw that names one category, and the number of categories."""
        return (float(min(self.design.p, self.design.q)), self.design.size) if self.design.picks == 1 else None

    @property
    def outputs(self) -> int:
        """Return the number of sets."""
        return comb(self.design.size, self.design.picks)

    def side(self, code: Code, draw: Draw) -> Side:
        """Return FOR if the set contains the category."""
        return Side.FOR if wire.has_member(draw, code, self.design.picks) else Side.AGAINST

    @property
    def number_of_parts(self) -> int:
        """Return the number of categories: each is an event."""
        return self.design.size

    def parts(self, draw: Draw) -> list[str]:
        """Return the categories of the set; the only one is the whole draw."""
        return [whole(draw)] if self.design.picks == 1 else super().parts(draw)

    def part_of(self, category: int) -> str:
        """Return the name of the event that a set contains a category."""
        return (
            whole(wire.write_set([category], self.design.size)) if self.design.picks == 1 else super().part_of(category)
        )

    @property
    def supported(self) -> int:
        """Return the number of categories in a set."""
        return self.design.picks


def count_sets(times: Counter[Draw], size: int) -> Counter[str]:
    """Return the number of sets that contain each category, counted bit by bit."""
    numbers = tally_hex(times.elements(), size)
    return Counter({str(code): int(number) for code, number in enumerate(numbers) if number})


def joint_of_subset(design: Subset) -> OneDecides:
    """Return how often a set contains two categories, of which the true answer is one or neither."""
    k, d, p = design.size, design.picks, float(design.p)
    # If the set contains the true answer, d - 1 of the k - 1 others are in it, otherwise d of them.
    one = p * (d - 1) / (k - 1)
    if k == 2:
        return OneDecides(one, one, one)
    neither = (p * (d - 1) * (d - 2) + (1 - p) * d * (d - 1)) / ((k - 1) * (k - 2))
    return OneDecides(one, neither, neither)


MECHANISM = SubsetMechanism
