"""Answers are checked before anything is drawn, and no message repeats one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.vectors.read import vectors
from tests.vectors.surveys import surveys

from hushpoll_client import AnswerRefused, Survey
from hushpoll_client.answers import read_answers
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import QUESTION_TYPES

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


def test_every_type_of_question_can_be_answered() -> None:
    everything, [answers, others] = surveys()["everything"]
    assert {question.type.NAME for question in everything.questions} == set(QUESTION_TYPES)
    assert dict(zip([q.id for q in everything.questions], read_answers(everything, answers), strict=True)) == {
        "cheated": 1, "asked": 0, "way": 1, "code": 17, "stress": 5, "pain": Fraction(1, 2),
        "ways": (1, 0, 1, 0, 0, 0), "few": (0, 0, 0, 1), "hours": Fraction(7.1) / 40, "height": 0,
        "noise": Fraction(0.3), "income": Fraction(1, 3), "age": 0, "drinks": 0, "both": 1 * 3 + 2,
    }  # fmt: skip
    codes = dict(zip([q.id for q in everything.questions], read_answers(everything, others), strict=True))
    assert (codes["asked"], codes["way"], codes["ways"], codes["few"]) == (3, 4, (0, 0, 0, 0, 1, 0), (0, 0, 0, 0))
    assert (codes["stress"], codes["hours"], codes["both"]) == (0, 1, 2 * 3)
    # An extra beside numbers is its place among the extras.
    assert (codes["income"], codes["age"]) == (1, Fraction(50.5) / 99)


@pytest.mark.parametrize("answers", vectors("reports")["refused_answers"], ids=str)
def test_an_answer_that_does_not_fit_is_refused_before_anything_is_drawn(answers: dict[str, Any]) -> None:
    everything, _ = surveys()["everything"]
    with pytest.raises(AnswerRefused, match=r"question \w+ |does not ask"):
        Survey(everything).randomize(answers, source=Untouched())


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Fraction(1), np.float64(1), "7"], ids=repr)
def test_only_a_plain_finite_number_is_a_number(value: object) -> None:
    everything, [answers, _] = surveys()["everything"]
    with pytest.raises(AnswerRefused, match="question hours needs a finite number"):
        Survey(everything).randomize({**answers, "hours": value}, source=Untouched())


def test_all_that_is_wrong_is_told_at_once_with_what_is_allowed() -> None:
    everything, [answers, _] = surveys()["everything"]
    [pair] = [question.type for question in everything.questions if question.type.parts]
    first, second = pair.parts
    wrong = {**answers, "cheated": CANARY, "way": CANARY, "stress": 999, "hours": CANARY, first.id: 7, second.id: 7}
    with pytest.raises(AnswerRefused) as caught:
        Survey(everything).randomize({**wrong, CANARY: 1}, source=Untouched())
    problems, types = caught.value.problems, {question.id: question.type for question in everything.questions}
    assert [each.question for each in problems] == ["cheated", "way", "stress", "hours", first.id, second.id, None]
    assert [each.allowed for each in problems] == [
        (False, True), types["way"].answers, types["stress"].answers, (), first.type.answers, second.type.answers, (),
    ]  # fmt: skip
    assert str(caught.value) == "; ".join(each.message for each in problems)
    assert CANARY not in repr(problems) + repr(caught.value)


def test_no_message_repeats_an_option_that_was_given() -> None:
    everything, [answers, _] = surveys()["everything"]
    for name, value in (("way", CANARY), ("ways", [CANARY]), ("stress", CANARY), ("few", CANARY)):
        with pytest.raises(AnswerRefused) as caught:
            Survey(everything).randomize({**answers, name: value}, source=Untouched())
        assert CANARY not in repr(caught.value)
