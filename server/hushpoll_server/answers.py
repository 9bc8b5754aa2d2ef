"""Answers as an app gives them, made from codes: what invented respondents and an audit put into a client.

It is the way back of what a client does with an answer. The server knows no real answer; these are invented here.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import compress

from hushpoll_shared.questions import (
    DECLINE,
    Choice,
    Kind,
    MultiChoice,
    Number,
    Pair,
    Question,
    Scale,
    SingleChoice,
    YesNo,
)

Answer = bool | int | float | str | list[str] | None
Answers = dict[str, Answer]


def choice_of(kind: Choice, code: int) -> Answer:
    """Give the answer with this place in the domain of a choice."""
    cell = kind.cells[code]
    if code >= len(kind.cells) - len(kind.extras):
        return extra_of(cell)
    if isinstance(kind, YesNo):
        return bool(code)
    if isinstance(kind, Scale):
        return kind.min + code
    assert isinstance(kind, SingleChoice)
    return cell


def extra_of(name: str) -> Answer:
    """Give "prefer not to say" as the missing answer that it is, "does not apply" by its name."""
    return None if name == DECLINE else name


def ticks_of(kind: MultiChoice, ticks: tuple[int, ...]) -> Answer:
    """Give the ticked options, or the extra that stands alone."""
    ticked = list(compress(kind.cells, ticks))
    return extra_of(ticked[0]) if len(ticked) == 1 and ticked[0] in kind.extras else ticked


def answers_of(question: Question, code: int) -> Answers:
    """Give the answer to a choice, or both answers to a pair, with this place in the domain."""
    kind = question.kind
    if not isinstance(kind, Pair):
        assert isinstance(kind, Choice)
        return {question.id: choice_of(kind, code)}
    first, second = kind.parts
    codes = divmod(code, len(second.kind.cells))
    return {part.id: choice_of(part.kind, code) for part, code in zip((first, second), codes, strict=True)}


def ends_of(kind: Kind) -> tuple[Fraction, Fraction]:
    """Give the ends of the range of a number or a scale."""
    assert isinstance(kind, Number | Scale)
    return (kind.low, kind.high) if isinstance(kind, Number) else (Fraction(kind.min), Fraction(kind.max))
