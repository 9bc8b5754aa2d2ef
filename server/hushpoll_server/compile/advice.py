"""What lint says about a valid survey: what each question's privacy means, and what its choices cost.

The rule here: every figure is computed from the designs of the manifest, as `hushpoll plan` computes it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from hushpoll_server.compile.definition import Compiled
from hushpoll_server.compile.likely_share import notes_on_share
from hushpoll_server.estimate.intervals import normal_quantile
from hushpoll_server.mechanisms import mechanism_for, mechanism_of
from hushpoll_server.mechanisms.category_bound import ye_barg_bound
from hushpoll_server.mechanisms.ticks import has_ticks, usual_measure
from hushpoll_server.mechanisms.variance import AtShare
from hushpoll_server.plan.budget import compare
from hushpoll_server.plan.choose import design_again, typical_variance
from hushpoll_server.plan.expected import compare_margins, expected_margin
from hushpoll_server.plan.pairs import pair_cost, variance_apart
from hushpoll_server.plan.sizes import Sample
from hushpoll_server.plan.variances import is_mean
from hushpoll_shared.departure import minutes_between
from hushpoll_shared.epsilon import Epsilon, format_odds
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import QuestionType
from hushpoll_shared.questions import Question


@dataclass(frozen=True)
class Advice:
    """Advice on one question; `margin` is its largest margin of error, at 95 % and the planned sample size.

    `likely_share` is what the design is for, if that is a share, and `likely_margin` the margin of error there.
    """

    question: Question
    margin: float
    notes: tuple[str, ...]
    likely_share: float | None = None
    likely_margin: float | None = None

    @property
    def meaning(self) -> str:
        """Return the sentence that says what the device does to an answer."""
        return self.question.told("en").odds

    @property
    def accuracy(self) -> str:
        """Return the margin of error in points, or in the unit of the mean."""
        if is_mean(self.question.type):
            return f"±{self.margin:.3g}"
        worst, likely = f"±{100 * self.margin:.1f}", f"±{100 * (self.likely_margin or self.margin):.1f}"
        return f"{worst} points" + ("" if likely == worst else f", {likely} at a share of {self.likely_share:.3g},")

    def to_json(self) -> dict[str, object]:
        """Return the advice for programs."""
        design = self.question.design
        return {
            "id": self.question.id,
            "type": self.question.type.NAME,
            "mechanism": mechanism_of(self.question).name,
            "epsilon": float(design.epsilon),
            "odds": format_odds(design.odds),
            "protection": design.epsilon.protection,
            "told": self.meaning,
            "margin": self.margin,
            **self._likely_to_json(),
            "notes": list(self.notes),
        }

    def _likely_to_json(self) -> dict[str, object]:
        if not has_ticks(self.question.type):
            return {}
        return {"likely_share": self.likely_share, "likely_margin": self.likely_margin}


def advise(compiled: Compiled) -> tuple[Advice, ...]:
    """Return the advice on each question."""
    return tuple(_advise(question, compiled) for question in compiled.manifest.questions)


def _advise(question: Question, compiled: Compiled) -> Advice:
    stated = compiled.likely_shares.get(question.id)
    share = (stated or usual_measure(question.type)).share if has_ticks(question.type) else None
    return Advice(
        question,
        _margin(question, compiled),
        (*_width_notes(question, compiled), *_notes(question, stated), *_branch_notes(question, compiled.manifest)),
        share,
        None if share is None else _margin(question, compiled, share),
    )


def advise_on_budget(compiled: Compiled) -> tuple[str, ...]:
    """Return whether splitting the budget or asking some of the questions gives better figures, as a note."""
    budget = compiled.budget
    # There is something to compare only if all questions share the budget.
    if budget is None or not 2 <= len(budget.wishes) == len(compiled.manifest.questions):
        return ()
    result = compare(budget.total, budget.wishes, compiled.respondents, budget.ask)
    ways = {"splitting it": result.split, f"ask: {result.ask}": result.asked}
    figures = ", ".join(f"{way} ±{100 * half_width:.1f} points" for way, half_width in ways.items())
    better = min(ways, key=lambda way: ways[way])
    return (f"epsilon_total with {compiled.respondents:,} respondents: {figures}. Better: {better}.",)


def advise_on_cross_tables(compiled: Compiled) -> tuple[str, ...]:
    """Return the margin of error of each cross table, and what it would be if both were asked as a pair, as notes."""
    questions = {question.id: question for question in compiled.manifest.questions}
    return tuple(_cross_note(questions[one], questions[other], compiled.respondents) for one, other in compiled.crossed)


def _cross_note(first: Question, second: Question, respondents: int) -> str:
    sizes = [len(question.type.answers) for question in (first, second)]
    shares = [mechanism_of(question).figure_variance() for question in (first, second)]
    separate = variance_apart((sizes[0], shares[0]), (sizes[1], shares[1]))
    table = f"{first.id} × {second.id} with {respondents:,} respondents"
    note = f"{table}: a cell of the cross table {_points(separate, respondents)}"
    # A pair cannot be repeated in waves.
    if any(mechanism_of(question).bounds[1] for question in (first, second)):
        return f"{note}."
    epsilon = first.design.epsilon + second.design.epsilon
    paired = ye_barg_bound(math.prod(sizes), math.exp(float(epsilon))) / math.prod(sizes)
    return f"{note}; {_points(paired, respondents)} if both were asked as a pair with epsilon {float(epsilon):.4f}."


def _points(variance: float, respondents: int) -> str:
    return f"±{100 * normal_quantile(0.95) * math.sqrt(variance / respondents):.1f} points"


def _margin(question: Question, compiled: Compiled, share: float | None = None) -> float:
    sample, people = _sample(compiled, share)
    return sample.margin(mechanism_of(question).variance_by_answer(), people)


def _sample(compiled: Compiled, share: float | None = None) -> tuple[Sample, int]:
    manifest, respondents = compiled.manifest, compiled.respondents
    # With ask, each question is answered by a part of the respondents.
    people = max(1, respondents * manifest.ask // len(manifest.questions) if manifest.ask else respondents)
    return Sample(population=max(manifest.population, people) if manifest.population else None, share=share), people


def _width_notes(question: Question, compiled: Compiled) -> Iterator[str]:
    expected = expected_margin(mechanism_of(question), *_sample(compiled))
    if expected is not None and (compared := compare_margins(_margin(question, compiled), expected)):
        shown = f"the interval that hushpoll estimate shows is {compared}: about ±{100 * expected:.1f} points"
        yield f"with so few reports {shown}"


def _notes(question: Question, stated: AtShare | None) -> Iterator[str]:
    mechanism, question_type = mechanism_of(question), question.type
    yield from mechanism.advice
    yield from notes_on_share(question, stated)
    if question_type.parts:
        yield _pair_note(question_type, question.design.epsilon)
    if question_type.extras:
        without = question_type.without_extras()
        plain = mechanism_for(without, design_again(mechanism, without, stated))
        more = typical_variance(mechanism, stated) / typical_variance(plain, stated) - 1
        added = "show_if adds does_not_apply; " if question.when else ""
        extras = " and ".join(question_type.extras)
        yield f"{added}{extras}: {100 * more:.0f} % more respondents are needed for the same accuracy"


def _branch_notes(question: Question, manifest: Manifest) -> Iterator[str]:
    minutes = minutes_between(manifest)
    if question.when and minutes:
        yield (
            "show_if delays every report, even from those who are not asked: the page sends no earlier than "
            f"{float(minutes):g} minutes after it was opened, because the time taken would reveal the branch; whoever "
            "closes it earlier sends on the next visit or never. Asking everybody, with does_not_apply: true instead, "
            "delays nothing"
        )
    followers = _followers(question, manifest)
    if followers:
        names = ", ".join(follower.id for follower in followers)
        # A question that is not shown is reported as does_not_apply, which reveals something of the deciding answer.
        total = sum((follower.design.epsilon for follower in followers), start=question.design.epsilon)
        yield f"it decides on asking {names}: together they reveal at most epsilon {float(total):.4f} about its answer"


def _followers(question: Question, manifest: Manifest) -> list[Question]:
    """Return the questions that are shown depending on this one, directly or through others."""
    deciding, followers = {*question.answer_ids}, []
    for later in manifest.questions:
        if later.when and later.when.question in deciding:
            deciding.add(later.id)
            followers.append(later)
    return followers


def _pair_note(pair: QuestionType, epsilon: Epsilon) -> str:
    first, second = (len(part.type.cells) for part in pair.parts)
    cost = pair_cost(first, second, epsilon)
    return (
        f"a cell of the cross table has the variance {cost.cell:.2f} for each respondent, and {cost.cell_apart:.2f} if "
        f"both questions were asked apart with half of the epsilon each; a share of {pair.parts[0].id} has "
        f"{cost.share:.2f} against {cost.share_apart:.2f}"
    )
