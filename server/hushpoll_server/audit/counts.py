"""Counts of events by input, and the bounds that follow from them for one question.

The pooled bound. Each run of x is compared with one partner x′. Let A be the rate of reports that speak for x and
against x′, B the rate of those that speak for x′ and against x. What counts for B under x counts for A under x′, so a
client that keeps its claim has A ≤ e^ε·B. If the inputs are the whole domain and every report speaks for exactly d of
all m, a report counts whatever its partner is: adding up over all pairs gives A·(m − d) ≤ e^ε·B·d, with A and B the
rates of reports that speak for and against their own input.
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
from hushpoll_server.audit.events import BLANK, Events
from hushpoll_server.audit.inputs import Contrast
from hushpoll_server.audit.run import Tally
from hushpoll_server.estimate.support import Figures
from hushpoll_server.mechanisms.mechanism import Side
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.mechanisms.domains import Numbers

Whole = NDArray[np.int64]
Bound = Callable[..., Figures]


@dataclass(frozen=True, eq=False)
class EventCounts:
    """The counts of one question's events."""

    events: Events
    contrast: Contrast
    tally: Tally

    @cached_property
    def draws(self) -> Counter[tuple[int, Draw]]:
        """Return the counts of the draws of each input."""
        draws: Counter[tuple[int, Draw]] = Counter()
        for (place, _, draw), number in self.tally.items():
            draws[place, draw] += number
        return draws

    @cached_property
    def size(self) -> int:
        """Return the number of inputs."""
        return len(self.contrast.inputs)

    @cached_property
    def lines(self) -> Whole:
        """Return the number of lines with each input, including those whose report leaves the question out."""
        lines = np.zeros(self.size, dtype=np.int64)
        for (place, _), number in self.draws.items():
            lines[place] += number
        return lines

    @cached_property
    def plain(self) -> dict[str, Whole]:
        """Return the counts of the plain events by input."""
        counts: dict[str, Whole] = defaultdict(lambda: np.zeros(self.size, dtype=np.int64))
        for (place, draw), number in self.draws.items():
            for name in self.events.plain(draw):
                counts[name][place] += number
        return counts

    @cached_property
    def sides(self) -> dict[Draw, tuple[Side, ...]]:
        """Return, for each draw, which inputs it speaks for and against."""
        return {draw: self.events.sides(draw) for draw in {draw for _, draw in self.draws}}

    @cached_property
    def separated_pairs(self) -> dict[Draw, NDArray[np.bool_]]:
        """Return, for each draw, the pairs (x, x′) that it separates: it speaks for x and against x′."""
        sides = {draw: np.array(sides) for draw, sides in self.sides.items()}
        return {draw: np.outer(side == Side.FOR, side == Side.AGAINST) for draw, side in sides.items()}

    @cached_property
    def separating(self) -> Whole:
        """Return, for every input x and x′, how many draws of each input speak for x and against x′."""
        counts = np.zeros((self.size, self.size, self.size), dtype=np.int64)
        for (place, draw), number in self.draws.items():
            counts[:, :, place] += number * self.separated_pairs[draw]
        return counts

    @property
    def runs(self) -> int:
        """Return the smallest number of draws of any input."""
        blank = self.plain.get(BLANK, np.zeros(self.size, dtype=np.int64))
        return int((self.lines - blank).min())

    @cached_property
    def with_extras(self) -> frozenset[int]:
        """Return the inputs that are an extra of a number question, or are compared with one."""
        beside_numbers = isinstance(self.events.mechanism.type.domain, Numbers)
        extras = {place for place, code in enumerate(self.events.codes) if beside_numbers and isinstance(code, int)}
        return frozenset(place for place in range(self.size) if {place, *self.contrast.partners[place]} & extras)

    def pooled(self, bound: Bound, risk: float) -> float:
        """Return the bound from all compared runs, by the reports that speak for one input and against the other.

        With extras beside numbers it is the larger of two such bounds, one from the runs that are compared with an
        extra and one from the others: each part of the design may leak on its own.
        """
        if not self.with_extras:
            return self.pooled_together(bound, risk)
        parts = (self.with_extras, frozenset(range(self.size)) - self.with_extras)
        compared = [part for part in parts if any(self.contrast.partners[place] for place in part)]
        return max(self.pooled_together(bound, risk / len(compared), part) for part in compared)

    def pooled_together(self, bound: Bound, risk: float, part: frozenset[int] | None = None) -> float:
        """Return the bound from all compared runs, or from those of some inputs."""
        if self.contrast.complete and self.events.mechanism.supported is not None:
            return self._pooled_own(bound, risk, self.events.mechanism.supported)
        group = frozenset(range(self.size)) if part is None else part
        return self._pooled(bound, risk, group, lambda draw, x, other: bool(self.separated_pairs[draw][x, other]))

    def pooled_exact(self, bound: Bound, risk: float) -> float:
        """Return the bound from all compared runs, by the reports that are an input as it is."""
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

    def _pooled_own(self, bound: Bound, risk: float, supported: int) -> float:
        favourable, adverse = (
            sum(number for (place, draw), number in self.draws.items() if self.sides[draw][place] == side)
            for side in (Side.FOR, Side.AGAINST)
        )
        runs = int(self.lines.sum())
        return float(bound(favourable, runs, adverse, runs, risk)) + log((self.size - supported) / supported)

    def largest(self, risk: float) -> tuple[float, str]:
        """Return the largest lower bound over all single events and ordered pairs of inputs, and the event."""
        # One separating event for each pair, in addition to the plain ones.
        share = risk / (self.size * (self.size - 1) * (self.events.number + 1))
        bounds = {name: self._over_pairs(least_epsilon, counts, share) for name, counts in self.plain.items()}
        bounds["speaks for one and against the other"] = max(
            float(least_epsilon(counts[x], self.lines[x], counts[other], self.lines[other], share))
            for x in range(self.size)
            for other in range(self.size)
            for counts in [self.separating[x, other]]
            if x != other
        )
        return max((bound, name) for name, bound in bounds.items())

    def upper(self, risk: float) -> float:
        """Return the upper bound over all outputs and pairs; ∞ if an output or an answer is missing."""
        outputs = [counts for name, counts in self.plain.items() if self.events.is_output(name)]
        if not self.contrast.complete or not self.events.few_outputs or len(outputs) < self.events.outputs:
            return float("inf")
        # Where questions may be left out, a blank is an output too.
        outputs += [counts for name, counts in self.plain.items() if name == BLANK]
        share = risk / (self.size * (self.size - 1) * len(outputs))
        return max(self._over_pairs(most_epsilon, counts, share) for counts in outputs)

    def _over_pairs(self, bound: Bound, counts: Whole, risk: float) -> float:
        """Return the largest bound of one event over all ordered pairs of inputs."""
        here, there = np.nonzero(~np.eye(self.size, dtype=bool))
        return float(bound(counts[here], self.lines[here], counts[there], self.lines[there], risk).max())
