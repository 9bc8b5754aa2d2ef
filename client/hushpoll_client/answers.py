"""Answers as an app gives them, checked and turned into codes.

All answers are checked before the first byte is drawn, so that a refused call has cost nothing. The law here: a
message names questions and kinds of values, never a value, and no text that came with the answers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from hushpoll_client.errors import AnswerRefused
from hushpoll_shared.designs.grid import position
from hushpoll_shared.manifest import Manifest
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

# The place of a choice in its domain, the ticks of several choices, or the place of a number in its range from 0 to 1;
# beside numbers, an extra is its place among the extras, an int.
Code = int | tuple[int, ...] | Fraction

_MISSING = object()


def read_answers(manifest: Manifest, answers: Mapping[str, object]) -> list[Code]:
    """Give the code of each answer in the manifest's order; refuse them all if one does not fit."""
    if type(answers) is not dict and not isinstance(answers, Mapping):
        raise AnswerRefused("the answers must be a mapping from question ids to answers")
    codes = [_READ[type(question.kind)](question, answers) for question in manifest.questions]
    if not answers.keys() <= manifest.answer_ids:
        names = ", ".join(name for question in manifest.questions for name in question.answer_ids)
        raise AnswerRefused(f"the answers hold a question that the survey does not ask: it asks {names}")
    return codes


def _read_choice_question(question: Question, answers: Mapping[str, object]) -> Code:
    kind = question.kind
    assert isinstance(kind, Choice)
    return read_choice(question.id, kind, answers.get(question.id, _MISSING))


def _read_yes_no_question(question: Question, answers: Mapping[str, object]) -> Code:
    # The shortest way, because most questions are of this type.
    answer = answers.get(question.id, _MISSING)
    return int(answer) if type(answer) is bool else _read_choice_question(question, answers)


def _read_scale_question(question: Question, answers: Mapping[str, object]) -> Code:
    kind = question.kind
    assert isinstance(kind, Scale)
    code, points = read_choice(question.id, kind, answers.get(question.id, _MISSING)), len(kind.points)
    if kind.report == "shares":
        return code
    return Fraction(code, points - 1) if code < points else code - points


def _read_multi_choice_question(question: Question, answers: Mapping[str, object]) -> Code:
    assert isinstance(question.kind, MultiChoice)
    return read_ticks(question.id, question.kind, answers.get(question.id, _MISSING))


def _read_number_question(question: Question, answers: Mapping[str, object]) -> Code:
    kind, answer = question.kind, answers.get(question.id, _MISSING)
    assert isinstance(kind, Number)
    if (extra := read_extra(question.id, kind.extras, answer)) is not None:
        return extra
    return position(read_number(question.id, answer), kind.low, kind.high)


def _read_pair_question(question: Question, answers: Mapping[str, object]) -> Code:
    assert isinstance(question.kind, Pair)
    first, second = (read_choice(part.id, part.kind, answers.get(part.id, _MISSING)) for part in question.kind.parts)
    return first * len(question.kind.parts[1].kind.cells) + second


_READ: Mapping[type[Kind], Callable[[Question, Mapping[str, object]], Code]] = {
    YesNo: _read_yes_no_question,
    SingleChoice: _read_choice_question,
    MultiChoice: _read_multi_choice_question,
    Scale: _read_scale_question,
    Number: _read_number_question,
    Pair: _read_pair_question,
}


def read_choice(name: str, kind: Choice, answer: object) -> int:
    """Give the place of a choice among the possible ones."""
    extra = read_extra(name, kind.extras, answer)
    if extra is not None:
        return len(kind.cells) - len(kind.extras) + extra
    return _PLACE[type(kind)](name, kind, answer)


def read_extra(name: str, extras: tuple[str, ...], answer: object) -> int | None:
    """Give the place among the extras, none if the answer is none of them; refuse what is missing."""
    if answer is _MISSING or answer is None:
        answer = DECLINE
        if DECLINE not in extras:
            raise AnswerRefused(f"question {name} has no answer: every question needs one")
    return extras.index(answer) if isinstance(answer, str) and answer in extras else None


def read_ticks(name: str, kind: MultiChoice, answer: object) -> tuple[int, ...]:
    """Give a bit for each option and extra."""
    if (extra := read_extra(name, kind.extras, answer)) is not None:
        return _bits({len(kind.options) + extra}, len(kind.cells))
    if not isinstance(answer, list | tuple | set | frozenset):
        raise AnswerRefused(f"question {name} needs a list of options, not a value of type {type(answer).__name__}")
    places = [_place(name, kind.cells[: len(kind.options)], option) for option in answer]
    if len(set(places)) != len(places):
        raise AnswerRefused(f"question {name} has an option twice: give each once")
    if kind.most is not None and len(places) > kind.most:
        raise AnswerRefused(f"question {name} takes at most {kind.most} options")
    return _bits(set(places), len(kind.cells))


def read_number(name: str, answer: object) -> int | float:
    """Give a finite number."""
    if type(answer) not in (int, float) or not math.isfinite(answer):  # type: ignore[arg-type]
        raise AnswerRefused(f"question {name} needs a finite number, an int or a float")
    return answer  # type: ignore[return-value]


def _read_yes_no(name: str, _: YesNo, answer: object) -> int:
    if type(answer) is bool:
        return int(answer)
    raise AnswerRefused(
        f"question {name} needs True or False, not a value of type {type(answer).__name__}: "
        "turn it into a bool before (a 0 or 1, or another library's boolean, with bool(…))"
    )


def _read_option(name: str, kind: SingleChoice, answer: object) -> int:
    return _place(name, kind.cells[: len(kind.options)], answer)


def _read_point(name: str, kind: Scale, answer: object) -> int:
    if type(answer) is int and answer in kind.points:
        return answer - kind.min
    raise AnswerRefused(f"question {name} needs a whole number from {kind.min} to {kind.max}")


_PLACE: Mapping[type[Choice], Callable[[str, Any, object], int]] = {
    YesNo: _read_yes_no,
    SingleChoice: _read_option,
    Scale: _read_point,
}


def _place(name: str, options: tuple[str, ...], answer: object) -> int:
    if isinstance(answer, str) and answer in options:
        return options.index(answer)
    raise AnswerRefused(f"question {name} has no such option: give an option's id, or its text where it has none")


def _bits(places: set[int], size: int) -> tuple[int, ...]:
    return tuple(int(place in places) for place in range(size))
