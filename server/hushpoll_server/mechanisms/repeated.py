"""Repeated draws on the server: one wave is k-ary randomized response with the p and q of the two draws combined.

Statement, proof and references: docs/mechanisms/repeated.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.bulk.aggregate import supports_of_hex
from hushpoll_server.estimate.joint import NAMES_ONE, OneDecides
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.mechanisms.mechanism import Code, Counters, Side, whole
from hushpoll_server.mechanisms.method import RAPPOR, WARNER, Method, chances
from hushpoll_server.mechanisms.notation import Notation
from hushpoll_server.mechanisms.supporting import Categorical
from hushpoll_server.mechanisms.thresholds import largest_threshold, log_ratio
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import Draw, Repeated, wire
from hushpoll_shared.question_types import QuestionType


class RepeatedMechanism(Categorical[Repeated]):
    """A permanent and an instantaneous k-ary randomized response."""

    DESIGN: ClassVar = Repeated

    @classmethod
    def best(cls, question_type: QuestionType, bound: Bound) -> None:
        """Return nothing: a panel asks for this mechanism by a second bound."""

    @classmethod
    def of(cls, once: Bound, always: Bound, size: int) -> Repeated:
        """Return the design whose single wave has odds b = `once` and whose permanent draw has odds a = `always`."""
        a, b = always.odds, once.odds
        if not b < a:
            raise InvalidValue("the permanent epsilon must be above the epsilon of one wave")
        # c = (b(a + k − 2) − (k − 1)) / (a − b) are the odds of the instantaneous draw
        instant = (b * (a + size - 2) - (size - 1)) / (a - b)
        first = largest_threshold(always, 1, size - 1)
        return Repeated(size, first, largest_threshold(Bound(instant, Epsilon.of_odds(instant)), 1, size - 1))

    @property
    def bounds(self) -> tuple[Bound, Bound | None]:
        """Return the bound of one wave, and that of all waves."""
        once = Bound(self.design.p / self.design.q, self.design.once)
        return once, Bound(self.design.odds, self.design.epsilon)

    @property
    def notation(self) -> Notation:
        """Return that a draw is one category."""
        return Notation.PLACE

    def counters(self, draw: Draw) -> tuple[str, ...]:
        """Return the counter of the category."""
        return (str(int(draw, 16)),)

    def supports(self, counts: Counters) -> list[int]:
        """Return the number of draws that name each category."""
        return [counts.get(str(code), 0) for code in range(self.design.size)]

    @property
    def method(self) -> Method:
        """Return the two draws; p and q are those of one wave."""
        design = self.design
        return Method(
            sentence=(
                "the device draws a permanent answer by k-ary randomized response, keeps it for all waves, and in each "
                "wave reports that permanent answer randomized again; in one wave the report is the true answer with "
                "probability p and each other answer with probability q (Warner 1965, Erlingsson et al. 2014)"
            ),
            parameters=(
                f"k = {design.size}, permanent draw: {chances(design.first.p, design.first.q)}; "
                f"one wave: {chances(design.p, design.q)}, ε = {float(design.once):.3f}"
            ),
            references=(WARNER, RAPPOR),
        )

    @property
    def joint(self) -> OneDecides:
        """Return the relation of categories of which each draw names one."""
        return NAMES_ONE

    @property
    def report_odds(self) -> float:
        """Return the odds of one wave."""
        return float(self.design.p / self.design.q)

    def support_rows(self, draws: Sequence[Draw]) -> NDArray[np.float64]:
        """Return a row for each draw, with 1 in the place of the category that it names."""
        return supports_of_hex(draws, self.design.size).astype(np.float64)

    def log_likeliest(self) -> float:
        """Return ln of the largest probability of a draw."""
        most = max(self.design.p, self.design.q)
        return log_ratio(most.numerator, most.denominator)

    def least_likely(self, draw: Draw) -> tuple[float, int]:  # noqa: ARG002 (equal for all draws)
        """Return the least chance of a draw, and the number of categories."""
        return float(min(self.design.p, self.design.q)), self.design.size

    @property
    def advice(self) -> tuple[str, ...]:
        """Return a sentence on what one wave reveals, and what all of them do."""
        once, always = float(self.design.once), float(self.design.epsilon)
        each = "for each different answer of a person"
        return (f"one wave reveals epsilon {once:.4f}; all waves together {always:.4f}, {each}",)

    @property
    def claim(self) -> tuple[Epsilon, str]:
        """Return the epsilon of one wave: an audit gives every line to a new device."""
        return self.design.once, "one wave"

    @property
    def outputs(self) -> int:
        """Return the number of categories."""
        return self.design.size

    def side(self, code: Code, draw: Draw) -> Side:
        """Return FOR if the draw names the category."""
        return Side.FOR if int(draw, 16) == code else Side.AGAINST

    @property
    def supported(self) -> int:
        """Return 1: every draw names one category."""
        return 1

    @property
    def number_of_parts(self) -> int:
        """Return the number of categories: each is an event."""
        return self.design.size

    def parts(self, draw: Draw) -> list[str]:
        """Return the category, which is the whole draw."""
        return [whole(draw)]

    def part_of(self, category: int) -> str:
        """Return the name of the event that a draw names a category."""
        return whole(wire.write_index(category, self.design.size - 1))


MECHANISM = RepeatedMechanism
