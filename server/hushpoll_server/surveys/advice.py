"""What lint says about a valid survey: what each question's privacy means, and what its wishes cost.

The law here: every figure is computed from the designs of the manifest, as `hushpoll plan` computes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.plan.budget import compare, figure_variance
from hushpoll_server.plan.choose import choose_design
from hushpoll_server.plan.pairs import pair_cost, variance_apart
from hushpoll_server.plan.sizes import Sample
from hushpoll_server.plan.spread import is_mean, spread_of
from hushpoll_server.respond.sentences import odds_sentence
from hushpoll_server.surveys.definition import Compiled
from hushpoll_shared.designs import Bound, Design, Repeated
from hushpoll_shared.designs.subset import ye_barg_bound
from hushpoll_shared.epsilon import format_odds
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.moment import minutes_between
from hushpoll_shared.questions import Pair, Question


@dataclass(frozen=True)
class Advice:
    """What to say about one question; `margin` is the ± of its worst figure at 95 % and the planned size."""

    question: Question
    margin: float
    notes: tuple[str, ...]

    @property
    def meaning(self) -> str:
        """Say what the device does to an answer."""
        return odds_sentence(self.question)

    @property
    def accuracy(self) -> str:
        """Write the margin in points, or in the unit of the mean."""
        return f"±{self.margin:.3g}" if is_mean(self.question.kind) else f"±{100 * self.margin:.1f} points"

    def to_json(self) -> dict[str, object]:
        """Give the advice for programs."""
        design = self.question.design
        return {
            "id": self.question.id,
            "type": self.question.type,
            "mechanism": design.NAME,
            "epsilon": float(design.epsilon),
            "odds": format_odds(design.odds),
            "protection": design.epsilon.protection,
            "told": self.meaning,
            "margin": self.margin,
            "notes": list(self.notes),
        }


def advise(compiled: Compiled) -> tuple[Advice, ...]:
    """Say what there is to say about each question."""
    return tuple(
        Advice(
            question,
            _margin(question, compiled.manifest, compiled.respondents),
            (*_notes(question), *_branch_notes(question, compiled.manifest)),
        )
        for question in compiled.manifest.questions
    )


def advise_on_budget(compiled: Compiled) -> tuple[str, ...]:
    """Say whether splitting the budget or asking some of the questions gives better figures."""
    budget = compiled.budget
    # Only when all questions share the budget is there something to compare.
    if budget is None or not 2 <= len(budget.wishes) == len(compiled.manifest.questions):
        return ()
    result = compare(budget.total, budget.wishes, compiled.respondents, budget.ask)
    ways = {"splitting it": result.split, f"ask: {result.ask}": result.asked}
    figures = ", ".join(f"{way} ±{100 * half_width:.1f} points" for way, half_width in ways.items())
    better = min(ways, key=lambda way: ways[way])
    return (f"epsilon_total with {compiled.respondents:,} respondents: {figures}. Better: {better}.",)


def advise_on_cross_tables(compiled: Compiled) -> tuple[str, ...]:
    """Say how well the cells of each cross table will be known, and how well if the two were asked as a pair."""
    questions = {question.id: question for question in compiled.manifest.questions}
    return tuple(_cross_note(questions[one], questions[other], compiled.respondents) for one, other in compiled.crossed)


def _cross_note(first: Question, second: Question, respondents: int) -> str:
    sizes = [len(question.kind.answers) for question in (first, second)]
    shares = [question.design.variance() / size for question, size in zip((first, second), sizes, strict=True)]
    apart = variance_apart((sizes[0], shares[0]), (sizes[1], shares[1]))
    table = f"{first.id} × {second.id} with {respondents:,} respondents"
    note = f"{table}: a cell of the cross table {_points(apart, respondents)}"
    # A pair cannot be repeated in waves.
    if isinstance(first.design, Repeated) or isinstance(second.design, Repeated):
        return f"{note}."
    epsilon = first.design.epsilon + second.design.epsilon
    joined = ye_barg_bound(math.prod(sizes), math.exp(float(epsilon))) / math.prod(sizes)
    return f"{note}; {_points(joined, respondents)} if both were asked as a pair with epsilon {float(epsilon):.4f}."


def _points(variance: float, respondents: int) -> str:
    return f"±{100 * normal_quantile(0.95) * math.sqrt(variance / respondents):.1f} points"


def _margin(question: Question, manifest: Manifest, respondents: int) -> float:
    # With ask, each question is answered by a part of the respondents.
    people = respondents * manifest.ask // len(manifest.questions) if manifest.ask else respondents
    population = max(manifest.population, people) if manifest.population else None
    spread = spread_of(question.kind, question.design)
    return Sample(population=population).margin(spread, max(1, people))


def _notes(question: Question) -> Iterator[str]:
    design = question.design
    if isinstance(design, Repeated):
        yield (
            f"one wave reveals epsilon {float(design.once):.4f}; all waves together {float(design.epsilon):.4f}, "
            "for each different answer of a person"
        )
    if isinstance(question.kind, Pair):
        yield _pair_note(question.kind, design)
    elif question.kind.extras:  # type: ignore[attr-defined]
        more = figure_variance(design) / figure_variance(_without_extras(question)) - 1
        added = "show_if adds does_not_apply; " if question.when else ""
        yield f"{added}{_extras(question)}: {100 * more:.0f} % more respondents are needed for the same accuracy"


def _branch_notes(question: Question, manifest: Manifest) -> Iterator[str]:
    minutes = minutes_between(manifest)
    if question.when and minutes:
        yield (
            f"show_if delays every report, also of those who are not asked: the page sends {float(minutes):g} minutes "
            "after it was opened at the earliest, because the time taken would tell the branch; who closes it before "
            "that sends on the next visit or never. Asking everybody, with does_not_apply: true instead, delays nothing"
        )
    followers = _followers(question, manifest)
    if followers:
        names = ", ".join(follower.id for follower in followers)
        # Whoever is not shown a question does not apply, which tells of the answer that decided it.
        total = sum((follower.design.epsilon for follower in followers), start=question.design.epsilon)
        yield f"it decides on {names}: all of them together reveal at most epsilon {float(total):.4f} about its answer"


def _followers(question: Question, manifest: Manifest) -> list[Question]:
    """Find the questions that are shown because of an answer to this one, or to one of them."""
    deciding, followers = {*question.answer_ids}, []
    for later in manifest.questions:
        if later.when and later.when.question in deciding:
            deciding.add(later.id)
            followers.append(later)
    return followers


def _extras(question: Question) -> str:
    kind: Any = question.kind
    return " and ".join(kind.extras)


def _without_extras(question: Question) -> Design:
    design, kind = question.design, question.kind
    plain: Any = replace(kind, extras=())  # type: ignore[type-var]
    stated = Bound(design.odds, design.epsilon)
    if isinstance(design, Repeated):
        return choose_design(plain, Bound(design.p / design.q, design.once), permanent=stated)
    return choose_design(plain, stated)


def _pair_note(kind: Pair, design: Design) -> str:
    first, second = (len(part.kind.cells) for part in kind.parts)
    cost = pair_cost(first, second, design.epsilon)
    return (
        f"a cell of the cross table has the variance {cost.cell:.2f} for each respondent, and {cost.cell_apart:.2f} if "
        f"both questions were asked apart with half of the epsilon each; a share of {kind.parts[0].id} has "
        f"{cost.share:.2f} against {cost.share_apart:.2f}"
    )
