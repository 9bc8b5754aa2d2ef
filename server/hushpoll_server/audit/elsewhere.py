"""What else may follow an answer: the other draws of the report, its id, and the report after it.

All of this is the output of a question. It is counted together with the sets of runs that are compared, and each draw
that can be read as a draw to the question is looked at as an echo of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hushpoll_server.audit.comparisons import EventCounts
from hushpoll_server.audit.inputs import Places
from hushpoll_server.audit.privacy import Echo
from hushpoll_server.audit.reports import SAME, VIEWS, Draws, Reports, Rows, View
from hushpoll_server.audit.runs import Runs
from hushpoll_shared.mechanisms import Draw


def events_elsewhere(reports: Reports, draws: Draws) -> list[EventCounts]:
    """Return the counts of all marks in the whole output, but for those of the question's own draw, view by view."""
    return [_in_view(reports, draws, view) for view in VIEWS]


def _in_view(reports: Reports, draws: Draws, view: View) -> EventCounts:
    first, second = view.pairs(reports.lines)
    parts = [part for part in reports.parts if view is not SAME or part is not draws]
    rows, sets = Rows.of(draws, first, varied=True), draws.sets.T
    names = tuple(f"{view.name}{mark}" for part in parts for mark in part.marks)
    counts = np.concatenate([sets @ part.occurred(rows, second) for part in parts], axis=1)
    return EventCounts(names, counts, sets @ rows.sizes)


def echoes_of(reports: Reports, draws: Draws) -> list[Echo]:
    """Return the echoes of a question: all other draws of the report, and its own draw in the next one."""
    others = [(SAME, other) for other in reports.draws if other is not draws]
    following = [(view, draws) for view in VIEWS if view is not SAME]
    return [_echo(draws, other, view, *view.pairs(reports.lines)) for view, other in (*others, *following)]


def _echo(draws: Draws, other: Draws, view: View, first: Places, second: Places) -> Echo:
    name, runs, here = f"{view.name}{other.name} is a second draw", draws.runs, draws.where[first]
    if not _can_read(runs, other.runs.occurred):
        return Echo(name, 0, 0, 0)
    heard = replace(
        runs,
        places=runs.places[here],
        partners=runs.partners[here],
        draws=other.runs.draws[other.where[second]],
        occurred=other.runs.occurred,
    )
    compared = heard.compared & draws.varied[first]
    own, partner = runs.for_own[here] & heard.for_own, runs.for_partner[here] & heard.for_partner
    return Echo(name, *(int((compared & bits).sum()) for bits in (own, partner, compared)))


def _can_read(runs: Runs, draws: tuple[Draw, ...]) -> bool:
    """Return whether all draws of another question could be draws to this one."""
    design = runs.events.mechanism.design
    return all(design.is_draw(draw) or draw == design.blank for draw in draws)
