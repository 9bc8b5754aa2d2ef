"""Which runs of a question are compared with which, and the bounds that follow from any event of the output.

Inputs are compared group by group: one input against all others, or, where there are many, those whose place has a 1 in
some binary digit against those that have a 0 there. If no event is more than e^ε times as likely under one input as
under another, none is under a group of inputs. With S any event of the whole output, four ratios are at most e^ε:

    P[S | here] / P[S | there]                        and the other way round,
    P[S, for own | here] / P[S, for partner | there]  and the other way round.

In the second line both sides say that the draw speaks for the input here and against the one there. An honest draw
alone shows e^ε there, so that anything that S adds is above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from hushpoll_server.audit.bounds import largest_epsilon
from hushpoll_server.audit.runs import Bits, Runs
from hushpoll_server.estimate.support import Figures

# Up to this many inputs are compared one by one.
MOST_ALONE = 32


class Kind(IntEnum):
    """The sets of runs that are counted, one of each kind for every group; across: the partner is on the other side."""

    HERE = 0
    THERE = 1
    HERE_FOR_OWN = 2
    THERE_FOR_PARTNER = 3
    THERE_FOR_OWN = 4
    HERE_FOR_PARTNER = 5
    HERE_ACROSS = 6
    THERE_ACROSS = 7


# The sets in which an event is favourable, all runs beside them, those in which it is adverse, all runs beside these.
_RATIOS = (
    (Kind.HERE, Kind.HERE, Kind.THERE, Kind.THERE),
    (Kind.THERE, Kind.THERE, Kind.HERE, Kind.HERE),
    (Kind.HERE_FOR_OWN, Kind.HERE_ACROSS, Kind.THERE_FOR_PARTNER, Kind.THERE_ACROSS),
    (Kind.THERE_FOR_OWN, Kind.THERE_ACROSS, Kind.HERE_FOR_PARTNER, Kind.HERE_ACROSS),
)


def groups_of(size: int) -> Bits:
    """Return which inputs are in which group: a column for each group."""
    if size == 2:
        return np.array([[False], [True]])
    if size <= MOST_ALONE:
        return np.eye(size, dtype=bool)
    return (np.arange(size)[:, np.newaxis] >> np.arange((size - 1).bit_length()) & 1).astype(bool)


def sets_of(runs: Runs) -> Bits:
    """Return which runs are in which set: the columns are the groups, kind by kind."""
    groups = groups_of(len(runs.events.codes))
    here = groups[runs.places]
    # Of one input alone, every partner is on the other side.
    across = runs.compared[:, np.newaxis] & (groups[np.maximum(runs.partners, 0)] != here)
    own, partner = (across & bits[:, np.newaxis] for bits in (runs.for_own, runs.for_partner))
    sets = {
        Kind.HERE: here,
        Kind.THERE: ~here,
        Kind.HERE_FOR_OWN: here & own,
        Kind.THERE_FOR_PARTNER: ~here & partner,
        Kind.THERE_FOR_OWN: ~here & own,
        Kind.HERE_FOR_PARTNER: here & partner,
        Kind.HERE_ACROSS: here & across,
        Kind.THERE_ACROSS: ~here & across,
    }
    return np.concatenate([sets[kind] for kind in Kind], axis=1)


@dataclass(frozen=True, eq=False)
class EventCounts:
    """How often each event and each set of runs came together, a row for each set, and how large the sets are."""

    names: tuple[str, ...]
    counts: Figures
    sizes: Figures

    @property
    def tests(self) -> int:
        """Return the number of bounds: each ratio, for an event and for its opposite, in every group."""
        return comparisons(len(self.sizes) // len(Kind), len(self.names))

    def largest(self, risk: float) -> tuple[float, str]:
        """Return the largest lower bound, each wrong with probability at most `risk`, and the event that shows it."""
        if not self.names:
            return -np.inf, ""
        occurred = self.counts.reshape(len(Kind), -1, len(self.names))
        sizes = np.broadcast_to(self.sizes.reshape(len(Kind), -1, 1), occurred.shape)
        favourable, runs, adverse, others = _stacked(occurred, sizes)
        bound, place = largest_epsilon(favourable, runs, adverse, others, risk)
        opposite = place >= len(_RATIOS) * occurred[0].size
        return bound, ("not " if opposite else "") + self.names[place % len(self.names)]


def comparisons(groups: int, events: int) -> int:
    """Return the number of bounds that some groups and events give."""
    return 2 * len(_RATIOS) * groups * events


def _stacked(occurred: Figures, sizes: Figures) -> list[Figures]:
    """Return favourable counts, all runs beside them, adverse counts, all runs beside these; opposites second."""
    columns = []
    for place in range(4):
        kinds = [ratio[place] for ratio in _RATIOS]
        counted = place in (0, 2)
        columns.append(np.concatenate([occurred[kinds], (sizes - occurred)[kinds]] if counted else [sizes[kinds]] * 2))
    return [column.ravel() for column in columns]
