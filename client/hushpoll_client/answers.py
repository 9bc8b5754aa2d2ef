"""Answers as an app gives them, checked and turned into codes.

All answers are checked before the first byte is drawn, so that a refused call costs nothing, and all that is wrong is
told at once. The rule here: a message names questions and the Python types of values, never a value or any text that
came with the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from hushpoll_client.errors import AnswerProblem, AnswerRefused
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.question_types import AnswerError

if TYPE_CHECKING:
    from hushpoll_shared.question_types import Part
    from hushpoll_shared.questions import Question


def read_answers(manifest: Manifest, answers: Mapping[str, object]) -> list[Code]:
    """Return the code of each answer in the manifest's order; refuse them all if one does not fit."""
    if type(answers) is not dict and not isinstance(answers, Mapping):
        raise _refusal([AnswerProblem(None, "the answers must be a mapping from question ids to answers")])
    codes = _codes(manifest, answers)
    # The refusal is raised outside the `except` blocks, so that it carries no other error and its frames.
    if codes is None or not answers.keys() <= manifest.answer_ids:
        raise _refusal(_problems(manifest, answers))
    return codes


def _codes(manifest: Manifest, answers: Mapping[str, object]) -> list[Code] | None:
    try:
        return [question.type.read_answers(question.id, answers) for question in manifest.questions]
    except AnswerError:
        return None


def _problems(manifest: Manifest, answers: Mapping[str, object]) -> Iterator[AnswerProblem]:
    for question in manifest.questions:
        for part in question.type.parts or (question,):
            if message := _message(part, answers):
                yield AnswerProblem(part.id, message, part.type.answers)
    if not answers.keys() <= manifest.answer_ids:
        names = ", ".join(name for question in manifest.questions for name in question.answer_ids)
        message = f"the answers contain a question that the survey does not ask: it asks {names}"
        yield AnswerProblem(None, message)


def _message(part: Question | Part, answers: Mapping[str, object]) -> str:
    try:
        part.type.read_answers(part.id, answers)
    except AnswerError as error:
        return str(error)
    return ""


def _refusal(problems: Iterable[AnswerProblem]) -> AnswerRefused:
    found = tuple(problems)
    return AnswerRefused("; ".join(problem.message for problem in found), problems=found)
