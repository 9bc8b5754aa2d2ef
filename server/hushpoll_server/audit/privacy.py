"""The first verdict: how much of epsilon the counts show, from below and, where that is possible, from above.

The pooled bound. Each run of x is compared with one partner x′. Let A be the rate of draws that speak for x and against
x′, B the rate of those that speak for x′ and against x. What counts for B under x counts for A under x′, so a client
that keeps its claim has A ≤ e^ε·B. If the inputs are the whole domain and every draw speaks for exactly d of all m, a
draw counts whatever its partner is: adding up over all pairs gives A·(m − d) ≤ e^ε·B·d, with A and B the rates of draws
that speak for and against their own input.

The output of a question is the whole report and the next one. An *echo* is another draw of it, read as if it were a
draw to this question: if both speak for x and against x′, the ratio is at most e^ε, but e^2ε for a second draw.

Half of a question's risk is for the pooled bounds, a quarter for the echoes, a quarter for all other events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, log

import numpy as np

from hushpoll_server.audit.bounds import largest_epsilon, least_epsilon, most_epsilon
from hushpoll_server.audit.comparisons import EventCounts, comparisons, groups_of, sets_of
from hushpoll_server.audit.events import EXACT, SPEAKS
from hushpoll_server.audit.inputs import Contrast
from hushpoll_server.audit.runs import Bits, Runs
from hushpoll_server.estimate.support import Figures
from hushpoll_server.mechanisms.mechanism import Side
from hushpoll_shared.mechanisms.domains import Numbers

Bound = Callable[..., Figures]
# A lower bound, and the event that shows it.
Shown = tuple[float, str]


@dataclass(frozen=True)
class Echo:
    """How many compared runs had a draw and an echo that both spoke for the input, or both for its partner."""

    name: str
    for_own: int
    for_partner: int
    runs: int

    def least(self, risk: float) -> float:
        """Return the lower bound that they show."""
        return float(least_epsilon(self.for_own, self.runs, self.for_partner, self.runs, risk))


@dataclass(frozen=True, eq=False)
class Output:
    """What the output of one question shows: its own draws, their echoes, and all events in the rest of the output."""

    runs: Runs
    contrast: Contrast
    echoes: Sequence[Echo] = ()
    elsewhere: Sequence[EventCounts] = ()

    def lower(self, risk: float) -> Shown:
        """Return the largest lower bound, wrong with probability at most `risk`, and the event that shows it."""
        # Epsilon is never below 0.
        return max((0.0, "none"), *self._pooled_bounds(risk / 2), *self._echoed(risk / 4), *self._single(risk / 4))

    # --- all runs together -------------------------------------------------------------------------------------------

    def _pooled_bounds(self, risk: float) -> list[Shown]:
        if not self.runs.events.has_exact:
            return [(self.pooled(least_epsilon, risk), SPEAKS)]
        return [(self.pooled(least_epsilon, risk / 2), SPEAKS), (self._exact(least_epsilon, risk / 2), EXACT)]

    def pooled(self, bound: Bound, risk: float) -> float:
        """Return the bound from all compared runs, by the draws that speak for one input and against the other.

        With extras beside numbers it is the larger of two such bounds, one from the runs that are compared with an
        extra and one from the others: each part of the design may leak on its own.
        """
        parts = [part for part in (self._with_extras, self.runs.compared & ~self._with_extras) if part.any()]
        if len(parts) < 2:
            return self.pooled_together(bound, risk)
        return max(self._separated(part, bound, risk / len(parts)) for part in parts)

    @cached_property
    def _with_extras(self) -> Bits:
        """Return which runs of a number question have an extra as their input or partner."""
        beside_numbers = isinstance(self.runs.events.mechanism.type.domain, Numbers)
        extras = np.array([beside_numbers and isinstance(code, int) for code in self.runs.events.codes])
        return np.asarray(self.runs.compared & (extras[self.runs.places] | extras[self.runs.partners]))

    def pooled_together(self, bound: Bound, risk: float) -> float:
        """Return the bound from all compared runs."""
        supported = self.runs.events.mechanism.supported
        if not self.contrast.complete or supported is None or not self.runs.lines.all():
            return self._separated(self.runs.compared, bound, risk)
        own, against = (self.runs.sides == side for side in (Side.FOR, Side.AGAINST))
        spread = log((self.contrast.size - supported) / supported)
        return self._bound(np.ones_like(own), own, against, bound, risk) + spread

    def _separated(self, part: Bits, bound: Bound, risk: float) -> float:
        return self._bound(part, self.runs.for_own, self.runs.for_partner, bound, risk)

    def _exact(self, bound: Bound, risk: float) -> float:
        return self._bound(self.runs.compared, self.runs.is_own, self.runs.is_partner, bound, risk)

    def _bound(self, part: Bits, favourable: Bits, adverse: Bits, bound: Bound, risk: float) -> float:
        times = self.runs.times
        runs = int(times[part].sum())
        return float(bound(int(times[part & favourable].sum()), runs, int(times[part & adverse].sum()), runs, risk))

    def _echoed(self, risk: float) -> list[Shown]:
        share = risk / max(1, len(self.echoes))
        return [(echo.least(share), echo.name) for echo in self.echoes]

    # --- event by event ----------------------------------------------------------------------------------------------

    def _single(self, risk: float) -> list[Shown]:
        alone, own = 2 * self.contrast.size, comparisons(self._groups, self.runs.events.number)
        share = risk / (alone + own + sum(counts.tests for counts in self.elsewhere))
        return [self._alone(share), *(counts.largest(share) for counts in (self.plain, *self.elsewhere))]

    @property
    def _groups(self) -> int:
        return int(groups_of(self.contrast.size).shape[1])

    def _alone(self, risk: float) -> Shown:
        """Return the largest bound of single inputs against their partners, in both directions."""
        runs, partners = self.runs, np.maximum(self.runs.partners, 0)
        total, as_partner = (runs.count(places, runs.times * runs.compared) for places in (runs.places, partners))
        own, partner = runs.times * runs.for_own, runs.times * runs.for_partner
        # Draws for x under x and under its partners; draws for the partners of x under them and under x.
        favourable = np.concatenate((runs.count(runs.places, own), runs.count(partners, own)))
        adverse = np.concatenate((runs.count(partners, partner), runs.count(runs.places, partner)))
        there = np.concatenate((as_partner, total))
        bound, _ = largest_epsilon(favourable, np.concatenate((total, as_partner)), adverse, there, risk)
        return bound, "speaks for one and against the other"

    @cached_property
    def plain(self) -> EventCounts:
        """Return the counts of the plain events of the draws."""
        sets = sets_of(self.runs) * self.runs.times[:, np.newaxis].astype(np.float64)
        counts = np.array([bits @ sets for bits in self.runs.plain.values()], dtype=np.float64)
        return EventCounts(tuple(self.runs.plain), counts.T, sets.sum(axis=0))

    # --- from above, and how much was seen ---------------------------------------------------------------------------

    @property
    def draws(self) -> int:
        """Return the smallest number of draws of any input, blanks not counted."""
        asked = np.array([not self.runs.events.is_blank(draw) for draw in self.runs.occurred])
        return int(self.runs.count(self.runs.places, self.runs.times * asked[self.runs.draws]).min())

    def upper(self, risk: float) -> float:
        """Return the upper bound over all outputs and pairs; ∞ if an output or an answer is missing."""
        events, lines = self.runs.events, self.runs.lines
        seen = sum(not events.is_blank(draw) for draw in self.runs.occurred)
        if not self.contrast.complete or not events.few_outputs or seen < events.mechanism.outputs or not lines.all():
            return inf
        # Where questions may be left out, a blank is an output too.
        outputs = (self.runs.draws == draw for draw in range(len(self.runs.occurred)))
        counts = np.array([self.runs.count(self.runs.places, self.runs.times * output) for output in outputs])
        here, there = np.nonzero(~np.eye(self.contrast.size, dtype=bool))
        share = risk / (len(here) * len(counts))
        return float(most_epsilon(counts[:, here], lines[here], counts[:, there], lines[there], share).max())
