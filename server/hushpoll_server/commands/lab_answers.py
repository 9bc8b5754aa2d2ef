"""How the answers of `hushpoll lab database` and its budget are printed, in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hushpoll_server.lab.database import Answer, Budget, Database, Spent

NEIGHBOURS = "one row added or removed"
# Households and classes: what the budget is worth for so many people together.
GROUP_SIZES = (2, 5)


def answer_lines(answer: Answer) -> Iterator[str]:
    """Yield an answer, one line for each figure."""
    price = "the same answer as before, free" if answer.remembered else f"ε {answer.epsilon}"
    yield f"{answer.query}   ({price})"
    level = f"{float(answer.level) * 100:g} %"
    if answer.reading.category is not None:
        yield f"  {answer.reading.category}   with {level}: {answer.reading.statement}"
    for figure in answer.figures:
        estimate, low, high = figure.written
        yield f"  {figure.name}: {estimate}   {level}: {low} to {high}"
    if answer.figures:
        yield f"  {answer.reading.statement}"


def budget_lines(database: Database) -> Iterator[str]:
    """Yield what is spent and left, and what the budget means for several people."""
    limits = database.limits
    yield f"{database.analyst}: {_in_words(limits.each, database.spent)}"
    yield f"all analysts: {_in_words(limits.all, database.spent_by_all)}"
    yield f"neighbours: {NEIGHBOURS}; for {_groups_in_words(limits.all)}"


def budget_json(database: Database) -> dict[str, Any]:
    """Return the budgets as values that JSON has; the hash of the table would confirm a guess at all its rows."""
    limits = database.limits
    return {
        "neighbours": NEIGHBOURS,
        "analyst": {"name": database.analyst, **_as_json(limits.each, database.spent)},
        "all": _as_json(limits.all, database.spent_by_all),
        "groups": [_group_json(limits.all, people) for people in GROUP_SIZES],
    }


def _in_words(budget: Budget, spent: Spent) -> str:
    delta = f" (δ = {float(budget.delta):g})" if budget.delta else ""
    return f"ε {budget.loss(spent)} of {budget.epsilon} spent, {budget.left(spent)} left for one more question{delta}"


def _groups_in_words(budget: Budget) -> str:
    groups = [(people, *budget.for_group(people)) for people in GROUP_SIZES]
    return ", ".join(
        f"{people} people together ε is {epsilon}" + (f" and δ {float(delta):.2g}" if delta else "")
        for people, epsilon, delta in groups
    )


def _as_json(budget: Budget, spent: Spent) -> dict[str, Any]:
    return {
        "epsilon": str(budget.epsilon),
        "delta": float(budget.delta),
        "spent": str(budget.loss(spent)),
        "left": str(budget.left(spent)),
    }


def _group_json(budget: Budget, people: int) -> dict[str, Any]:
    epsilon, delta = budget.for_group(people)
    return {"people": people, "epsilon": str(epsilon), "delta": float(delta)}
