"""What a device sends for a question and how often it is true, in a sentence for each design.

The law here: every number follows from the integers of the design, and a number that sounds small stands beside the one
that pure chance gives. The sentences are data (templates/words); the form fills the same ones with the same numbers,
and a test in a real browser compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from hushpoll_server.words import ENGLISH, Words
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


def odds_sentence(question: Question, words: Words = ENGLISH) -> str:
    """Put the odds of a question into whole numbers out of 100."""
    return _ODDS[type(question.design)](question.design, question, words)


def sent_phrase(question: Question, words: Words = ENGLISH) -> str:
    """Say what stands in the report."""
    return _SENT[type(question.design)](question.design, _answers(question, words), words)


def times_in_100(design: Design) -> int | None:
    """Give how often in 100 a report is of the kind that the sentence names first; None where there is no such kind."""
    kept = {Padded: "inner", Repeated: "first"}.get(type(design))
    inner = getattr(design, kept) if kept else design
    return inner.times_in_100 if isinstance(inner, TwoWeights) else None


def _one(design: SubsetSelection, question: Question, words: Words) -> str:
    yours = words["your_pair" if isinstance(question.kind, Pair) else "your_answer"]
    return words.fill("odds_one", yours=yours, rest=_rest(design, words), **_counts(design, words))


def _subset(design: Subset, question: Question, words: Words) -> str:
    if design.picks == 1:
        return _one(design, question, words)
    picks, size, answers = design.picks, design.size, _answers(question, words)
    counts = _counts(design, words, Fraction(picks, size))
    return words.fill("odds_set", picks=picks, size=size, answers=answers, **counts)


def _projective(design: Projective, question: Question, words: Words) -> str:
    counts, answers = _counts(design, words, _share(design)), _answers(question, words)
    return words.fill("odds_group", about=_about(design), size=design.size, answers=answers, **counts)


def _ball(design: Ball, _: Question, words: Words) -> str:
    asked = design.asked
    key = "ticks_each" if asked == design.options else "ticks_some"
    some = words.fill(key, asked=asked, options=design.options)
    if asked == 1:
        return words.fill("odds_tick", some=some, **_counts(design, words))
    counts = _counts(design, words, Fraction(design.inside, 2**asked))
    return words.fill("odds_ticks", some=some, enough=_enough(design, words), **counts)


def _enough(design: Ball, words: Words) -> str:
    if design.agree < design.asked:
        return words.fill("enough_some", agree=design.agree)
    return words.fill("enough_both" if design.asked == 2 else "enough_all", asked=design.asked)


def _padded(design: Padded, _: Question, words: Words) -> str:
    inner, most = design.inner, design.most
    if inner.picks == 1:
        return words.fill("odds_padded_one", most=most, rest=_rest(inner, words), **_counts(inner, words))
    counts = _counts(inner, words, Fraction(inner.picks, inner.size))
    return words.fill("odds_padded_set", most=most, picks=inner.picks, size=inner.size, **counts)


def _mean(design: Channel | Laplace, _: Question, words: Words) -> str:
    # A guess between two equally likely answers is right with probability odds/(odds + 1) at most.
    times = -(-100 * design.odds // (design.odds + 1))
    key = "odds_mean_extras" if isinstance(design, Channel) and design.extras else "odds_mean"
    return words.fill(key, kept=words.fill("count", n=times), other=words.fill("count", n=100 - times))


def _wave(design: Wave, question: Question, words: Words) -> str:
    kind = question.kind
    assert isinstance(kind, Number)
    near = _round(100 * Fraction(design.inside, 2 * design.bins))
    counts = _counts(design, words, Fraction(design.inside, design.outputs))
    key = "odds_place_extras" if design.extras else "odds_place"
    return words.fill(key, min=kind.min, max=kind.max, near=near, **counts)


def _repeated(design: Repeated, _: Question, words: Words) -> str:
    return words.fill("odds_lasting", rest=_rest(design.first, words), **_counts(design.first, words))


_ODDS: Final[Mapping[type[Design], Callable[..., str]]] = {
    Warner: _one,
    Subset: _subset,
    Projective: _projective,
    Ball: _ball,
    Padded: _padded,
    Channel: _mean,
    Laplace: _mean,
    Wave: _wave,
    Repeated: _repeated,
}


def _sent_subset(design: SubsetSelection, answers: str, words: Words) -> str:
    if design.picks == 1:
        return words.fill("sent_index", size=design.size, answers=answers)
    return words.fill("sent_set", picks=design.picks, size=design.size, answers=answers)


def _sent_projective(design: Projective, answers: str, words: Words) -> str:
    return words.fill("sent_group", about=_about(design), size=design.size, answers=answers)


def _sent_ball(design: Ball, _: str, words: Words) -> str:
    return words.fill("sent_ticks_some" if design.asked < design.options else "sent_ticks", options=design.options)


def _sent_place(design: Laplace | Wave, _: str, words: Words) -> str:
    return words.fill("sent_place", size=design.outputs)


_SENT: Final[Mapping[type[Design], Callable[..., str]]] = {
    Warner: lambda _, __, words: words["sent_bit"],
    Subset: _sent_subset,
    Projective: _sent_projective,
    Ball: _sent_ball,
    Padded: lambda design, _, words: _sent_subset(design.inner, words["blanks"], words),
    Channel: lambda design, _, words: words.fill("sent_value", size=len(design.values)),
    Laplace: _sent_place,
    Wave: _sent_place,
    Repeated: lambda design, answers, words: _sent_subset(design.second, answers, words),
}


def _counts(design: TwoWeights, words: Words, share: Fraction = Fraction(0)) -> dict[str, str]:
    """Say how often a report is of the first kind, of the second, and of the first if it were drawn blindly."""
    times = design.times_in_100
    counted = {"kept": times, "other": 100 - times, "blind": _round(100 * share)}
    return {name: words.count(number) for name, number in counted.items()}


def _rest(design: SubsetSelection, words: Words) -> str:
    return words.fill("rest_one" if design.size == 2 else "rest_many", others=design.size - 1)


def _answers(question: Question, words: Words) -> str:
    answers: str = words["pairs" if isinstance(question.kind, Pair) else "answers"]
    return answers


def _about(design: Projective) -> int:
    return _round(design.size * _share(design))


def _share(design: Projective) -> Fraction:
    return Fraction(design.inside, design.inside + design.outside)


def _round(number: Fraction) -> int:
    return (2 * number + 1) // 2
