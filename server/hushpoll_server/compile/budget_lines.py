"""Assign every question its privacy: its own, its part of `epsilon_total`, or the default.

The rule here: with `epsilon_total`, what one respondent spends is never above it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hushpoll_server.compile.drafts import Draft
from hushpoll_server.compile.fields import Fields
from hushpoll_server.compile.privacy import StatedPrivacy
from hushpoll_server.mechanisms import Bound
from hushpoll_server.plan.budget import Wish, curve_of, part_for_each, split
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
            draft.fields.note("weight", f"weight says how to split epsilon_total, and has no effect here: {cure}")
    if "epsilon_total" not in fields:
        return None
    total = fields.attempt("epsilon_total", lambda: Epsilon.parse(fields["epsilon_total"], "epsilon_total"))
    unstated = [draft for draft in drafts if draft.stated is None]
    if total is None:
        return None
    if not unstated:
        fields.note("epsilon_total", "every question has its own privacy: remove epsilon_total, or use epsilon_cap")
    return Budget(total, ask, tuple(_wish(draft) for draft in unstated))


def with_privacy(drafts: list[Draft], budget: Budget | None) -> list[Draft]:
    """Assign each question without privacy of its own its part of the budget, or the default."""
    unstated = [draft for draft in drafts if draft.stated is None]
    if budget is None:
        for draft in unstated:
            draft.fields.warn("privacy", f"no privacy is stated: epsilon {DEFAULT_EPSILON} is used")
        parts = [Epsilon.parse(DEFAULT_EPSILON)] * len(unstated)
    else:
        parts = _parts(drafts, budget)
    bounds = {id(draft): Bound.of_epsilon(str(part)) for draft, part in zip(unstated, parts, strict=True)}
    return [draft if draft.stated else replace(draft, stated=StatedPrivacy(bounds[id(draft)])) for draft in drafts]


def _wish(draft: Draft) -> Wish:
    return Wish(curve_of(draft.type, draft.fields["mechanism"], draft.likely_share), float(draft.weight))


def _parts(drafts: list[Draft], budget: Budget) -> list[Epsilon]:
    own = [draft.stated.epsilon for draft in drafts if draft.stated]
    if budget.ask:
        return _parts_asked(own, budget)
    rest = budget.total.units - sum(epsilon.units for epsilon in own)
    if own and rest <= 0:
        raise InvalidValue(
            "the questions with a privacy of their own already spend all of epsilon_total: raise it, or lower theirs"
        )
    return list(split(Epsilon(rest), budget.wishes))


def _parts_asked(own: list[Epsilon], budget: Budget) -> list[Epsilon]:
    assert budget.ask
    part = part_for_each(budget.total, budget.ask)
    if any(epsilon > part for epsilon in own):
        raise InvalidValue(f"with ask, each question gets epsilon {part}: no question's own may be above it")
    return [part] * len(budget.wishes)
