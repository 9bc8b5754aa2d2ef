"""Give every question its privacy: its own, its part of `epsilon_total`, or the default.

The law here: with `epsilon_total`, what one respondent spends is never above it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hushpoll_server.plan.budget import Wish, curve_of, part_for_each, split
from hushpoll_server.surveys.drafts import Draft
from hushpoll_server.surveys.fields import Fields
from hushpoll_server.surveys.privacy import Stated
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue

DEFAULT_EPSILON = "1"


@dataclass(frozen=True)
class Budget:
    """One epsilon for several questions, as a survey file states it."""

    total: Epsilon
    ask: int | None
    wishes: tuple[Wish, ...]


def read_budget(fields: Fields, drafts: list[Draft], ask: int | None) -> Budget | None:
    """Read `epsilon_total` and note weights that would have no effect."""
    for draft in drafts:
        if "weight" in draft.fields and ("epsilon_total" not in fields or ask or draft.stated):
            cure = "remove it, or give the survey epsilon_total without ask and the question no privacy of its own"
            draft.fields.note("weight", f"weight says how to split epsilon_total, and here it would do nothing: {cure}")
    if "epsilon_total" not in fields:
        return None
    total = fields.attempt("epsilon_total", lambda: Epsilon.parse(fields["epsilon_total"], "epsilon_total"))
    waiting = [draft for draft in drafts if draft.stated is None]
    if total is None:
        return None
    if not waiting:
        fields.note("epsilon_total", "every question has its own privacy: remove epsilon_total, or use epsilon_cap")
    wishes = tuple(Wish(curve_of(draft.kind, draft.fields["mechanism"]), float(draft.weight)) for draft in waiting)
    return Budget(total, ask, wishes)


def with_privacy(drafts: list[Draft], budget: Budget | None) -> list[Draft]:
    """Give each question that does not state its privacy its part of the budget, or the default."""
    waiting = [draft for draft in drafts if draft.stated is None]
    if budget is None:
        for draft in waiting:
            draft.fields.warn("privacy", f"there is no privacy: epsilon {DEFAULT_EPSILON} is used")
        parts = [Epsilon.parse(DEFAULT_EPSILON)] * len(waiting)
    else:
        parts = _parts(drafts, budget)
    given = {id(draft): str(part) for draft, part in zip(waiting, parts, strict=True)}
    return [
        draft if draft.stated else replace(draft, stated=Stated.of_epsilon(given[id(draft)], draft.kind))
        for draft in drafts
    ]


def _parts(drafts: list[Draft], budget: Budget) -> list[Epsilon]:
    own = [draft.stated.epsilon for draft in drafts if draft.stated]
    if budget.ask:
        return _parts_asked(own, budget)
    rest = budget.total.units - sum(epsilon.units for epsilon in own)
    if own and rest <= 0:
        raise InvalidValue(
            "the questions with a privacy of their own spend epsilon_total alone: raise it, or lower theirs"
        )
    return list(split(Epsilon(rest), budget.wishes))


def _parts_asked(own: list[Epsilon], budget: Budget) -> list[Epsilon]:
    assert budget.ask
    part = part_for_each(budget.total, budget.ask)
    if any(epsilon > part for epsilon in own):
        raise InvalidValue(f"with ask, each question gets epsilon {part}: no question's own must be above it")
    return [part] * len(budget.wishes)
