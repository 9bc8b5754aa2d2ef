"""What a device sends for a question and how often it is true, in a sentence for each design.

The law here: every number follows from the integers of the design, and a number that sounds small stands beside the one
that pure chance gives. The form says the same (client/js/form/kinds/texts.js); a test in a real browser compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from hushpoll_shared.designs import (
    Ball,
    Channel,
    Design,
    Laplace,
    Padded,
    Projective,
    Repeated,
    Subset,
    SubsetSelection,
    Warner,
    Wave,
)
from hushpoll_shared.designs.two_weights import TwoWeights
from hushpoll_shared.questions import Number, Pair, Question


def odds_sentence(question: Question) -> str:
    """Put the odds of a question into whole numbers out of 100."""
    return "Your device " + _ODDS[type(question.design)](question.design, question)


def sent_phrase(question: Question) -> str:
    """Say what stands in the report."""
    return _SENT[type(question.design)](question.design, _answer(question) + "s")


def times_in_100(design: Design) -> int | None:
    """Give how often in 100 a report is of the kind that the sentence names first; None where there is no such kind."""
    kept = {Padded: "inner", Repeated: "first"}.get(type(design))
    inner = getattr(design, kept) if kept else design
    return inner.times_in_100 if isinstance(inner, TwoWeights) else None


def _subset(design: Subset, question: Question) -> str:
    answer = _answer(question)
    if design.picks == 1:
        return f"sends your real {answer} {_in_100(design)}, {_others(design)}"
    start = f"sends a set of {design.picks:,} of the {design.size:,} {answer}s"
    return f"{start}, {_in_set(design, Fraction(design.picks, design.size))}"


def _projective(design: Projective, question: Question) -> str:
    start = f"sends a number that stands for about {_about(design)} of the {design.size:,} {_answer(question)}s"
    return f"{start}, {_in_set(design, _share(design))}"


def _ball(design: Ball) -> str:
    asked, other = design.asked, count(100 - design.times_in_100)
    some = f"each of the {asked}" if asked == design.options else f"{asked} of the {design.options}"
    start = f"sends a tick or none for {some} options{', chosen at random' if asked < design.options else ''}:"
    if asked == 1:
        return f"{start} as you chose {_in_100(design)}, the opposite {other}."
    every = "both" if asked == 2 else f"all {asked}"
    enough = every if design.agree == asked else f"at least {design.agree}"
    blind = f"Drawn blindly, {enough} would be so {count(_round(100 * Fraction(design.inside, 2**asked)))}."
    return f"{start} {enough} as you chose {_in_100(design)}, fewer {other}. {blind}"


def _padded(design: Padded) -> str:
    start, fill = "picks one of your ticks, or a blank, and sends", f"Blanks fill your ticks up to {design.most}."
    inner = design.inner
    if inner.picks == 1:
        return f"{start} that one {_in_100(inner)}, {_others(inner)} {fill}"
    held = _in_set(inner, Fraction(inner.picks, inner.size), "that one")
    return f"{start} a set of {inner.picks} of the {inner.size} options and blanks, {held} {fill}"


def _mean(design: Channel | Laplace) -> str:
    # A guess between two equally likely answers is right with probability odds/(odds + 1) at most.
    times = -(-100 * design.odds // (design.odds + 1))
    guess = "A guess between two equally likely answers is then"
    right = f"right at most {times} times in 100, wrong at least {100 - times} times."
    what = "a random number around yours"
    if isinstance(design, Channel) and design.extras:
        what = "at random a number around yours, or whether you gave one"
    return f"sends {what}. {guess} {right}"


def _wave(design: Wave, kind: Number) -> str:
    near = _round(100 * Fraction(design.inside, 2 * design.bins))
    blind = count(_round(100 * Fraction(design.inside, design.outputs)))
    start = f"sends a random place on the line from {kind.min} to {kind.max}"
    if design.extras:
        start += " and on its stretch for other answers"
    where = f"near your answer {_in_100(design)}, elsewhere {count(100 - design.times_in_100)}"
    return f"{start}, {where}. Near is within {near} % of the line; a place drawn blindly would be near {blind}."


def _repeated(first: Subset) -> str:
    start = f"draws one lasting random answer, your real one {_in_100(first)}, {_others(first)}"
    return f"{start} In each wave it sends a new random draw of that answer."


_ODDS: Final[Mapping[type[Design], Callable[..., str]]] = {
    Warner: lambda design, _: f"sends your real answer {_in_100(design)}, {_others(design)}",
    Subset: _subset,
    Projective: _projective,
    Ball: lambda design, _: _ball(design),
    Padded: lambda design, _: _padded(design),
    Channel: lambda design, _: _mean(design),
    Laplace: lambda design, _: _mean(design),
    Wave: lambda design, question: _wave(design, question.kind),
    Repeated: lambda design, _: _repeated(design.first),
}


def _sent_subset(design: Subset, answers: str) -> str:
    if design.picks == 1:
        return f"the number of one of the {design.size:,} {answers}, counted from 0."
    return f"a set of {design.picks:,} of the {design.size:,} {answers}, one bit for each."


def _sent_projective(design: Projective, answers: str) -> str:
    return f"a number that stands for about {_about(design)} of the {design.size:,} {answers}."


def _sent_ball(design: Ball) -> str:
    left_out = ", or - if it was left out" if design.asked < design.options else ""
    return f"for each of the {design.options} options, 1 for a tick or 0 for none{left_out}."


_SENT: Final[Mapping[type[Design], Callable[..., str]]] = {
    Warner: lambda _, __: "1 for yes or 0 for no.",
    Subset: _sent_subset,
    Projective: _sent_projective,
    Ball: lambda design, _: _sent_ball(design),
    Padded: lambda design, _: _sent_subset(design.inner, "options and blanks"),
    Channel: lambda design, _: f"one of {len(design.values)} numbers of a public table.",
    Laplace: lambda design, _: f"one of {design.outputs:,} places on a line.",
    Wave: lambda design, _: f"one of {design.outputs:,} places on a line.",
    Repeated: lambda design, answers: _sent_subset(design.second, answers),
}


def count(times: int) -> str:
    """Say how often."""
    edge = {0: "less than once", 1: "once", 100: "more than 99 times"}
    return edge.get(times, f"{times} times")


def _in_100(design: TwoWeights) -> str:
    return f"{count(design.times_in_100)} in 100"


def _others(design: SubsetSelection) -> str:
    which = "the other one" if design.size == 2 else f"one of the {design.size - 1:,} others"
    return f"{which} {count(100 - design.times_in_100)}."


def _in_set(design: TwoWeights, share: Fraction, what: str = "your real one") -> str:
    blind = f"A set drawn blindly would hold it {count(_round(100 * share))}."
    return f"with {what} {_in_100(design)}, without it {count(100 - design.times_in_100)}. {blind}"


def _about(design: Projective) -> str:
    return f"{_round(design.size * _share(design)):,}"


def _share(design: Projective) -> Fraction:
    return Fraction(design.inside, design.inside + design.outside)


def _answer(question: Question) -> str:
    return "answer pair" if isinstance(question.kind, Pair) else "answer"


def _round(number: Fraction) -> int:
    return (2 * number + 1) // 2
