"""Answers as an app gives them, checked and turned into codes.

All answers are checked before the first byte is drawn, so that a refused call has cost nothing. The law here: a
message names questions and kinds of values, never a value, and no text that came with the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hushpoll_client.errors import AnswerRefused
from hushpoll_shared.manifest import Manifest, Question

_MISSING = object()


def read_answers(manifest: Manifest, answers: Mapping[str, object]) -> list[int]:
    """Give the code of each answer in the manifest's order; refuse them all if one does not fit."""
    if not isinstance(answers, Mapping):
        raise AnswerRefused("the answers must be a mapping from question ids to answers")
    codes = [
        CODE_OF_TYPE[question.type](question, answers.get(question.id, _MISSING)) for question in manifest.questions
    ]
    if len(answers) != len(codes):
        raise AnswerRefused(f"the answers hold a question that the survey does not ask: it asks {_ids(manifest)}")
    return codes


def read_yes_no(question: Question, answer: object) -> int:
    """Give 1 for yes and 0 for no."""
    if type(answer) is bool:
        return int(answer)
    if answer is _MISSING or answer is None:
        raise AnswerRefused(f"question {question.id} has no answer: every question needs one, True or False")
    raise AnswerRefused(
        f"question {question.id} needs True or False, not a value of type {type(answer).__name__}: "
        "turn it into a bool before (a 0 or 1, or another library's boolean, with bool(…))"
    )


CODE_OF_TYPE: Mapping[str, Callable[[Question, object], int]] = {"yes_no": read_yes_no}


def _ids(manifest: Manifest) -> str:
    return ", ".join(question.id for question in manifest.questions)
