"""The design of each question as a line of the report's table: what was asked, and how it was randomized.

The rule here: every number follows from the published manifest. Nothing depends on what people answered.
"""

from __future__ import annotations

from dataclasses import dataclass

from hushpoll_server.dashboard import formatting
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.words.sentences import mechanism_name
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import MultiChoice, Number, QuestionType, Scale
from hushpoll_shared.question_types.question_type import EXTRA_LABELS
from hushpoll_shared.questions import Question

_NAMES = {
    "yes_no": "yes/no",
    "single_choice": "one of {cells} answers",
    "pair": "a pair of questions, {cells} pairs of answers",
}


@dataclass(frozen=True, kw_only=True)
class DesignLine:
    """One question with its number in the report."""

    number: int
    question: Question
    type: str
    mechanism: str
    parameters: str
    epsilon: str
    odds: str


def design_lines(manifest: Manifest) -> tuple[DesignLine, ...]:
    """Return a line for each question, in the order of the survey."""
    return tuple(_line(number, question) for number, question in enumerate(manifest.questions, start=1))


def _line(number: int, question: Question) -> DesignLine:
    return DesignLine(
        number=number,
        question=question,
        type=type_words(question.type),
        mechanism=mechanism_name(question),
        # A line must not break around the sign.
        parameters=mechanism_of(question).method.parameters.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"),
        epsilon=formatting.epsilon(question.design.epsilon),
        odds=formatting.odds(question.design.odds),
    )


def type_words(question_type: QuestionType) -> str:
    """Return what can be answered, in words."""
    extras = [f"“{EXTRA_LABELS[extra]}”" for extra in question_type.extras]
    return ", ".join([_own_words(question_type), *([f"or {' or '.join(extras)}"] if extras else [])])


def _own_words(question_type: QuestionType) -> str:
    match question_type:
        case MultiChoice():
            most = f"at most {question_type.most}" if question_type.most else "any number"
            return f"{most} of {len(question_type.options)} options"
        case Scale():
            return f"a scale from {question_type.min} to {question_type.max}, reported as {_reported(question_type)}"
        case Number():
            return f"a number from {question_type.min} to {question_type.max}, reported as {_reported(question_type)}"
    cells = formatting.whole(len(question_type.cells) - len(question_type.extras))
    return _NAMES[question_type.NAME].format(cells=cells)


def _reported(question_type: QuestionType) -> str:
    return {"shares": "shares", "mean": "a mean", "distribution": "a distribution"}[question_type.report]
