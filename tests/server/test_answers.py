"""Answers from codes: a client reads them back as the same codes."""

from __future__ import annotations

from itertools import product

import pytest
from tests.support.make_design_vectors import every_type

from hushpoll_client.answers import read_answers
from hushpoll_server.answers import Answers, answers_of, ticks_of
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Choice, MultiChoice, Question, Scale

CHOICES = [
    question
    for question in every_type()
    if isinstance(question.kind, Choice) and not (isinstance(question.kind, Scale) and question.kind.report == "mean")
]


def read(question: Question, answers: Answers) -> object:
    [code] = read_answers(Manifest("survey", "Survey", "Please.", (question,)), answers)
    return code


@pytest.mark.parametrize("question", CHOICES, ids=lambda question: question.id)
def test_every_answer_of_a_choice_is_read_back(question: Question) -> None:
    assert isinstance(question.kind, Choice)
    for code in range(len(question.kind.cells)):
        assert read(question, answers_of(question, code)) == code


def test_ticks_and_extras_are_read_back() -> None:
    [ways] = [question for question in every_type() if question.id == "ways"]
    assert isinstance(ways.kind, MultiChoice)
    codes = [(*ticks, 0, 0) for ticks in product((0, 1), repeat=4)] + [(0, 0, 0, 0, 1, 0), (0, 0, 0, 0, 0, 1)]
    for code in codes:
        assert read(ways, {"ways": ticks_of(ways.kind, code)}) == code
