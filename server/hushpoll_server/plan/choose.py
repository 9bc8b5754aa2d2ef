"""Choose the mechanism of a question: the best one known for its type, its answers and its privacy.

The law here: every choice is computed, none is looked up in a rule of thumb. What a researcher asks for by name
(`laplace`, repeated waves) is given if it fits.
"""

from __future__ import annotations

from hushpoll_server.plan.channel_extras import solve_with_extras
from hushpoll_server.plan.channels import default_inputs, solve_channel
from hushpoll_server.plan.waves import BINS, choose_half
from hushpoll_shared.designs import Ball, Bound, Channel, Design, Laplace, Padded, Projective, Repeated, Subset, Wave
from hushpoll_shared.designs.subset import LARGEST as LARGEST_SUBSET
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.questions import Choice, Kind, MultiChoice, Number, Scale


def choose_design(kind: Kind, bound: Bound, *, mechanism: str | None = None, permanent: Bound | None = None) -> Design:
    """Make the best design for a question, or the one that is asked for by name."""
    if mechanism not in (None, Laplace.NAME):
        raise InvalidValue("mechanism must be laplace, or be left out: the best one is chosen")
    if permanent is not None:
        return choose_repeated(kind, bound, permanent)
    if isinstance(kind, Number | Scale) and kind.report == "mean":
        return choose_mean(kind, bound, mechanism)
    if mechanism is not None:
        raise InvalidValue("mechanism: laplace goes with report: mean")
    if isinstance(kind, Number):
        return Wave.from_bound(bound, BINS, choose_half(BINS, float(bound.odds)), len(kind.extras))
    if isinstance(kind, MultiChoice):
        return choose_ticks(kind, bound)
    assert isinstance(kind, Choice)
    return choose_categories(len(kind.cells), bound)


def choose_categories(size: int, bound: Bound) -> Subset | Projective:
    """Take subset selection, and projective geometry response for codebooks whose sets would be long to send."""
    return Subset.from_bound(bound, size) if size <= LARGEST_SUBSET else Projective.from_bound(bound, size)


def choose_ticks(kind: MultiChoice, bound: Bound) -> Ball | Padded:
    """Take the ball, or padding if few options may be ticked and it is better at the share that they can have."""
    ball = Ball.from_bound(bound, len(kind.cells))
    if kind.most is None:
        return ball
    padded = Padded.from_bound(bound, len(kind.cells), kind.most)
    share = padded.likely_share
    return padded if padded.variance_at(share) < ball.variance_at(share) else ball


def choose_mean(kind: Number | Scale, bound: Bound, mechanism: str | None) -> Channel | Laplace:
    """Take the channel with the least worst-case variance; Laplace's noise only where it is asked for."""
    if mechanism == Laplace.NAME:
        if kind.extras:
            raise InvalidValue("mechanism: laplace has no place for decline: leave one of the two out")
        return Laplace.from_bound(bound)
    between = isinstance(kind, Number)
    inputs = len(kind.points) if isinstance(kind, Scale) else default_inputs(bound.odds)
    if kind.extras:
        return solve_with_extras(bound.odds, inputs, len(kind.extras), between=between)
    return solve_channel(bound.odds, inputs, between=between)


def choose_repeated(kind: Kind, once: Bound, always: Bound) -> Repeated:
    """Take a permanent and an instantaneous draw, for questions with few possible answers."""
    if not isinstance(kind, Choice) or (isinstance(kind, Scale) and kind.report == "mean"):
        raise InvalidValue("repeated waves are for yes_no, single_choice and scale (shares)")
    return Repeated.from_bounds(once, always, len(kind.cells))
