"""Answers are checked before anything is drawn, and no message repeats one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hushpoll_client import AnswerRefused, Survey
from hushpoll_client.answers import CODE_OF_TYPE, read_answers
from hushpoll_shared.designs import DESIGN_OF_TYPE
from hushpoll_shared.manifest import Manifest

CANARY = "XYZZYCANARY"


class Untouched:
    """A source that must not be asked."""

    def take(self, count: int) -> bytes:
        raise AssertionError("bytes were drawn before the answers were checked")


def test_answers_become_codes_in_the_order_of_the_manifest(manifest: Manifest) -> None:
    assert read_answers(manifest, {"helped": False, "cheated": True}) == [1, 0]
    assert read_answers(manifest, {"helped": True, "cheated": False}) == [0, 1]


@pytest.mark.parametrize(
    "answer", [0, 1, 1.0, "true", CANARY, [True], {CANARY: True}, np.bool_(True), Fraction(1), b"yes"], ids=repr
)
def test_what_is_not_a_bool_is_refused_with_the_question_and_the_cure(survey: Survey, answer: object) -> None:
    with pytest.raises(
        AnswerRefused, match=r"question helped needs True or False, not .*: turn it into a bool"
    ) as caught:
        survey.randomize({"cheated": True, "helped": answer}, source=Untouched())
    assert CANARY not in repr(caught.value)


@pytest.mark.parametrize("answers", [{"cheated": True}, {"cheated": True, "helped": None}], ids=["missing", "None"])
def test_a_question_without_an_answer_is_named(survey: Survey, answers: dict[str, Any]) -> None:
    with pytest.raises(AnswerRefused, match="question helped has no answer"):
        survey.randomize(answers, source=Untouched())


def test_an_unknown_question_is_refused_without_repeating_it(survey: Survey) -> None:
    with pytest.raises(AnswerRefused, match="it asks cheated, helped") as caught:
        survey.randomize({"cheated": True, "helped": True, CANARY: True}, source=Untouched())
    assert CANARY not in repr(caught.value)


@pytest.mark.parametrize("answers", [None, True, [True, False], f"{CANARY}", 7], ids=repr)
def test_answers_that_are_no_mapping_are_refused(survey: Survey, answers: Any) -> None:
    with pytest.raises(AnswerRefused, match="must be a mapping") as caught:
        survey.randomize(answers, source=Untouched())
    assert CANARY not in repr(caught.value)


def test_every_question_type_of_the_manifest_can_be_answered() -> None:
    assert CODE_OF_TYPE.keys() == DESIGN_OF_TYPE.keys()
