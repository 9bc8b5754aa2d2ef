"""The types of questions: what can be answered, and all that follows from it. This is the only list of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hushpoll_shared.checks import check_fields
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.question_types.choice import Choice
from hushpoll_shared.question_types.multi_choice import MultiChoice
from hushpoll_shared.question_types.number import Number
from hushpoll_shared.question_types.options import MOST_OPTIONS, Option
from hushpoll_shared.question_types.pair import Pair, Part, PartType
from hushpoll_shared.question_types.question_type import (
    DECLINE,
    DOES_NOT_APPLY,
    EXTRAS,
    Answer,
    AnswerError,
    QuestionType,
    answer_of_extra,
    type_fields,
)
from hushpoll_shared.question_types.scale import Scale
from hushpoll_shared.question_types.single_choice import SingleChoice
from hushpoll_shared.question_types.yes_no import YesNo

# What a question's type can be. It narrows by class and by NAME.
AnyQuestionType = YesNo | SingleChoice | MultiChoice | Scale | Number | Pair

QUESTION_TYPES: Mapping[str, type[AnyQuestionType]] = {
    question_type.NAME: question_type for question_type in (YesNo, SingleChoice, MultiChoice, Scale, Number, Pair)
}

__all__ = [
    "DECLINE",
    "DOES_NOT_APPLY",
    "EXTRAS",
    "MOST_OPTIONS",
    "QUESTION_TYPES",
    "Answer",
    "AnswerError",
    "AnyQuestionType",
    "Choice",
    "MultiChoice",
    "Number",
    "Option",
    "Pair",
    "Part",
    "PartType",
    "QuestionType",
    "Scale",
    "SingleChoice",
    "YesNo",
    "answer_of_extra",
    "read_type",
    "type_fields",
]


def read_type(fields: Any, *, last: tuple[str, ...]) -> AnyQuestionType:
    """Read the type of a question and the fields that belong to it; `last` are those that follow them."""
    name = fields.get("type") if isinstance(fields, dict) else None
    if not isinstance(name, str) or name not in QUESTION_TYPES:
        raise InvalidValue("a question is of a type that this version does not know: update Hushpoll")
    check_fields(fields, ("id", "text", "type", *QUESTION_TYPES[name].FIELDS, *last), "a question")
    return QUESTION_TYPES[name].read(fields)
