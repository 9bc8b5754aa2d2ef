"""The runs of one question: which input, compared with which partner, led to which draw, and how often.

Three things are asked of a run: does its draw speak for the input and against the partner, or the other way round, or
is it the input itself? Equal runs are counted together, so that each is asked once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.audit.events import EXACT, Events
from hushpoll_server.audit.inputs import Places
from hushpoll_server.estimate.support import Figures
from hushpoll_server.mechanisms.mechanism import Side
from hushpoll_shared.mechanisms import Draw

Bits = NDArray[np.bool_]
Whole = NDArray[np.int64]
# Up to this many pairs of an input and a draw are all looked up; of more, those that occurred.
_FEW_PAIRS = 256


@dataclass(frozen=True, eq=False)
class Runs:
    """Different runs of one question; a draw is its place among those that occurred, `times` how often a run did."""

    events: Events
    places: Places
    partners: Places
    draws: Places
    occurred: tuple[Draw, ...]
    times: Whole

    @cached_property
    def compared(self) -> Bits:
        """Return which runs have a partner."""
        return self.partners >= 0

    @cached_property
    def lines(self) -> Figures:
        """Return the number of runs of each input, including those whose report leaves the question out."""
        return self.count(self.places, self.times)

    def count(self, places: Places, times: Whole) -> Figures:
        """Return the sum of `times` for each input, given the input that each belongs to."""
        return np.bincount(places, times, len(self.events.codes)).astype(np.float64)

    # --- what draws say about the inputs -----------------------------------------------------------------------------

    @cached_property
    def sides(self) -> Whole:
        """Return on which side of its input each draw is."""
        return self._look_up(self.places, self.events.side)

    @cached_property
    def _partner_sides(self) -> Whole:
        return self._look_up(self.partners, self.events.side)

    @cached_property
    def for_own(self) -> Bits:
        """Return which draws speak for their input and against its partner."""
        return np.asarray(self.compared & (self.sides == Side.FOR) & (self._partner_sides == Side.AGAINST))

    @cached_property
    def for_partner(self) -> Bits:
        """Return which draws speak for the partner and against their input."""
        return np.asarray(self.compared & (self.sides == Side.AGAINST) & (self._partner_sides == Side.FOR))

    @cached_property
    def is_own(self) -> Bits:
        """Return which draws are their input as it is."""
        return self._look_up(self.places, self.events.is_exact).astype(bool)

    @cached_property
    def is_partner(self) -> Bits:
        """Return which draws are the partner as it is."""
        return np.asarray(self.compared & self._look_up(self.partners, self.events.is_exact).astype(bool))

    def _look_up(self, places: Places, ask: Callable[[int, Draw], int]) -> Whole:
        """Return what each pair of an input and a draw is, asking once for each; of no input, whatever the first is."""
        pairs = np.maximum(places, 0).astype(np.int64) * len(self.occurred) + self.draws
        number = len(self.events.codes) * len(self.occurred)
        few = number <= _FEW_PAIRS
        different, where = (np.arange(number), pairs) if few else np.unique(pairs, return_inverse=True)
        asked = (divmod(pair, len(self.occurred)) for pair in different.tolist())
        return np.array([int(ask(place, self.occurred[draw])) for place, draw in asked])[where]

    # --- events and marks --------------------------------------------------------------------------------------------

    @cached_property
    def plain(self) -> dict[str, Bits]:
        """Return which runs each plain event occurred in, by the event's name."""
        columns: dict[str, Bits] = {}
        for place, draw in enumerate(self.occurred):
            for name in self.events.plain(draw):
                columns.setdefault(name, np.zeros(len(self.occurred), dtype=bool))[place] = True
        return {name: column[self.draws] for name, column in columns.items()}

    @cached_property
    def marks(self) -> Bits:
        """Return which marks each run has, in the order of `Events.marks`."""
        never = np.zeros(len(self.draws), dtype=bool)
        own = [self.sides == Side.FOR, *([self.is_own] if EXACT in self.events.marks else [])]
        return np.stack([*(self.plain.get(name, never) for name in self.events.plain_marks), *own], axis=1)
