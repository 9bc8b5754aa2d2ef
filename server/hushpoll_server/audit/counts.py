"""Counts of events by input, and the bounds that follow from them for one question.

The pooled bound. Each run of x is compared with one partner x′. Let A be the rate of reports that speak for x and
against x′, B the rate of those that speak for x′ and against x. What counts into B under x counts into A under x′, so
a client that keeps its claim has A ≤ e^ε·B. If the inputs are the whole domain and every report speaks for exactly d of
all m, a report counts whichever its partner is: adding up over all pairs gives A·(m − d) ≤ e^ε·B·d, with A and B the
rates of reports that speak for and against their own truth.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.audit.bounds import least_epsilon, most_epsilon
from hushpoll_server.audit.events import AGAINST, BLANK, FOR, Events
from hushpoll_server.audit.inputs import Code, Contrast
from hushpoll_server.audit.run import Tally
from hushpoll_server.estimate.support import Figures
from hushpoll_shared.designs import Channel, Draw, Repeated, SubsetSelection, Wave

Whole = NDArray[np.int64]
Bound = Callable[..., Figures]


@dataclass(frozen=True, eq=False)
class Counts:
    """The draws of one question, looked at through its events."""

    events: Events
    contrast: Contrast
    tally: Tally

    @cached_property
    def draws(self) -> Counter[tuple[int, Draw]]:
        """Count the draws of each input."""
        draws: Counter[tuple[int, Draw]] = Counter()
        for (place, _, draw), number in self.tally.items():
            draws[place, draw] += number
        return draws

    @cached_property
    def size(self) -> int:
        """Give the number of inputs."""
        return len(self.contrast.inputs)

    @cached_property
    def lines(self) -> Whole:
        """Give the lines that were fed with each input, those that left the question out included."""
        lines = np.zeros(self.size, dtype=np.int64)
        for (place, _), number in self.draws.items():
            lines[place] += number
        return lines

    @cached_property
    def plain(self) -> dict[str, Whole]:
        """Count the plain events by input."""
        counts: dict[str, Whole] = defaultdict(lambda: np.zeros(self.size, dtype=np.int64))
        for (place, draw), number in self.draws.items():
            for name in self.events.plain(draw):
                counts[name][place] += number
        return counts

    @cached_property
    def sides(self) -> dict[Draw, tuple[int, ...]]:
        """Give the inputs that each draw speaks for and against."""
        return {draw: self.events.sides(draw) for draw in {draw for _, draw in self.draws}}

    @cached_property
    def telling_draws(self) -> dict[Draw, NDArray[np.bool_]]:
        """Give, for each draw, the pairs (x, x′) such that it speaks for x and against x′."""
        sides = {draw: np.array(sides) for draw, sides in self.sides.items()}
        return {draw: np.outer(side == FOR, side == AGAINST) for draw, side in sides.items()}

    @cached_property
    def telling(self) -> Whole:
        """Count, for every input x and x′, the draws of each input that speak for x and against x′."""
        counts = np.zeros((self.size, self.size, self.size), dtype=np.int64)
        for (place, draw), number in self.draws.items():
            counts[:, :, place] += number * self.telling_draws[draw]
        return counts

    @property
    def runs(self) -> int:
        """Give the fewest draws that an input got."""
        blank = self.plain.get(BLANK, np.zeros(self.size, dtype=np.int64))
        return int((self.lines - blank).min())

    @cached_property
    def with_extras(self) -> frozenset[int]:
        """Give the inputs that are an extra beside numbers, or are compared with one."""
        extras = {place for place, code in enumerate(self.events.codes) if self._is_extra(code)}
        return frozenset(place for place in range(self.size) if {place, *self.contrast.partners[place]} & extras)

    def _is_extra(self, code: Code) -> bool:
        return isinstance(self.events.design, Channel | Wave) and isinstance(code, int)

    def pooled(self, bound: Bound, risk: float) -> float:
        """Give the bound from compared runs together, by the reports that speak for one and against the other.

        With extras beside numbers the larger of two such bounds is given, one from the runs that are compared with an
        extra and one from the others: each part of the table may leak by itself.
        """
        if not self.with_extras:
            return self.pooled_together(bound, risk)
        parts = (self.with_extras, frozenset(range(self.size)) - self.with_extras)
        compared = [part for part in parts if any(self.contrast.partners[place] for place in part)]
        return max(self.pooled_together(bound, risk / len(compared), part) for part in compared)

    def pooled_together(self, bound: Bound, risk: float, part: frozenset[int] | None = None) -> float:
        """Give the bound from all compared runs together, or from those of some inputs."""
        if self.contrast.complete and isinstance(self.events.design, SubsetSelection | Repeated):
            return self._pooled_own(bound, risk)
        group = frozenset(range(self.size)) if part is None else part
        return self._pooled(bound, risk, group, lambda draw, x, other: bool(self.telling_draws[draw][x, other]))

    def pooled_exact(self, bound: Bound, risk: float) -> float:
        """Give the bound from all compared runs together, by the reports that are an input as it is."""
        exact = {draw: self.events.exact(draw) for draw in self.sides}
        return self._pooled(bound, risk, frozenset(range(self.size)), lambda draw, x, _: exact[draw][x])

    def _pooled(
        self, bound: Bound, risk: float, group: frozenset[int], belongs: Callable[[Draw, int, int], bool]
    ) -> float:
        favourable = adverse = runs = 0
        for (place, partner, draw), number in self.tally.items():
            if partner >= 0 and place in group:
                favourable += number * belongs(draw, place, partner)
                adverse += number * belongs(draw, partner, place)
                runs += number
        return float(bound(favourable, runs, adverse, runs, risk))

    def _pooled_own(self, bound: Bound, risk: float) -> float:
        design = self.events.design
        picks = design.picks if isinstance(design, SubsetSelection) else 1
        favourable, adverse = (
            sum(number for (place, draw), number in self.draws.items() if self.sides[draw][place] == side)
            for side in (FOR, AGAINST)
        )
        runs = int(self.lines.sum())
        return float(bound(favourable, runs, adverse, runs, risk)) + log((self.size - picks) / picks)

    def largest(self, risk: float) -> tuple[float, str]:
        """Give the largest lower bound over all single events and ordered pairs of inputs, and name the event."""
        # One telling event for each pair, beside the plain ones.
        share = risk / (self.size * (self.size - 1) * (self.events.number + 1))
        bounds = {name: self._over_pairs(least_epsilon, counts, share) for name, counts in self.plain.items()}
        bounds["speaks for one and against the other"] = max(
            float(least_epsilon(counts[x], self.lines[x], counts[other], self.lines[other], share))
            for x in range(self.size)
            for other in range(self.size)
            for counts in [self.telling[x, other]]
            if x != other
        )
        return max((bound, name) for name, bound in bounds.items())

    def upper(self, risk: float) -> float:
        """Give the upper bound over all outputs and pairs; ∞ if an output or an answer is missing."""
        outputs = [counts for name, counts in self.plain.items() if self.events.is_output(name)]
        if not self.contrast.complete or not self.events.few_outputs or len(outputs) < self.events.outputs:
            return float("inf")
        # Where questions may be left out, that is an output too.
        outputs += [counts for name, counts in self.plain.items() if name == BLANK]
        share = risk / (self.size * (self.size - 1) * len(outputs))
        return max(self._over_pairs(most_epsilon, counts, share) for counts in outputs)

    def _over_pairs(self, bound: Bound, counts: Whole, risk: float) -> float:
        """Give the largest bound of one event over all ordered pairs of inputs."""
        here, there = np.nonzero(~np.eye(self.size, dtype=bool))
        return float(bound(counts[here], self.lines[here], counts[there], self.lines[there], risk).max())
