"""Answers as an app gives them, checked and turned into codes.

All answers are checked before the first byte is drawn, so that a refused call costs nothing. The rule here: a message
names questions and the Python types of values, never a value or any text that came with the answers.
"""

from __future__ import annotations

from collections.abc import Mapping

from hushpoll_client.errors import AnswerRefused
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.question_types import AnswerError


def read_answers(manifest: Manifest, answers: Mapping[str, object]) -> list[Code]:
    """Return the code of each answer in the manifest's order; refuse them all if one does not fit."""
    if type(answers) is not dict and not isinstance(answers, Mapping):
        raise AnswerRefused("the answers must be a mapping from question ids to answers")
    codes, refusal = _codes(manifest, answers)
    if refusal:
        raise AnswerRefused(refusal)
    if not answers.keys() <= manifest.answer_ids:
        names = ", ".join(name for question in manifest.questions for name in question.answer_ids)
        raise AnswerRefused(f"the answers contain a question that the survey does not ask: it asks {names}")
    return codes


def _codes(manifest: Manifest, answers: Mapping[str, object]) -> tuple[list[Code], str]:
    """Return the codes, or the reason for a refusal.

    The caller raises the refusal outside the `except` block, so that it carries no other error and its frames.
    """
    try:
        return [question.type.read_answers(question.id, answers) for question in manifest.questions], ""
    except AnswerError as error:
        return [], str(error)
