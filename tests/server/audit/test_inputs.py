"""Inputs: valid answers with the codes that a client finds for them, every option, and mates that are mutual."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.mechanisms.cases import choices
from tests.mechanisms.test_channel import channel_with_extras
from tests.vectors.surveys import epsilon, every_type, surveys

from hushpoll_client.answers import read_answers
from hushpoll_server.audit.inputs import NO_MATE, contrast_of
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.privset import PrivSetMechanism
from hushpoll_server.simulate.respondents import Answers
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Channel, Repeated
from hushpoll_shared.mechanisms.domains import Code
from hushpoll_shared.question_types import EXTRAS, MultiChoice, Number, Scale
from hushpoll_shared.questions import Question
from hushpoll_shared.randomness import SPAN

QUESTIONS = [*every_type(), *surveys()["panel"][0].questions]
every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)


def code_of(question: Question, answers: Answers) -> Code:
    """Return the code that a client finds for an answer."""
    panel = "waves" if isinstance(question.design, Repeated) else None
    [code] = read_answers(Manifest("survey", "Survey", "Please.", (question,), panel=panel), answers)
    return code


def ticks(options: int, most: int | None, extras: tuple[str, ...] = ()) -> Question:
    question_type = MultiChoice(choices(options).options, most, extras)
    size = options + len(extras)
    design = PrivSetMechanism.of(epsilon("1"), size, most) if most else BallMechanism.of(epsilon("2"), size)
    return Question("ticks", "Which?", question_type, design)


@every_question
def test_a_client_reads_every_input_as_the_code_it_stands_for(question: Question) -> None:
    for given in contrast_of(question).inputs:
        assert code_of(question, given.answers) == given.code


@every_question
def test_inputs_are_different(question: Question) -> None:
    inputs = contrast_of(question).inputs
    assert len({str(given.answers) for given in inputs}) == len(inputs) >= 2


@every_question
def test_mates_are_mutual(question: Question) -> None:
    mates = contrast_of(question).mates
    assert mates is None or all(mates[mate] == place for place, mate in enumerate(mates) if mate != NO_MATE)


def test_every_option_of_a_domain_is_tried() -> None:
    code = next(question for question in QUESTIONS if question.id == "code")
    assert contrast_of(code).codes == tuple(range(2100))
    assert all(contrast_of(question).complete for question in QUESTIONS[:6])


def test_partners_of_categories_are_all_others_by_lot() -> None:
    contrast, lots = contrast_of(QUESTIONS[1]), np.arange(8, dtype=np.uint64)
    assert contrast.partners(np.full(8, 1, dtype=np.int32), lots).tolist() == [2, 3, 0, 2, 3, 0, 2, 3]
    pain = contrast_of(QUESTIONS[5])
    assert pain.partners(np.arange(3, dtype=np.int32), lots[:3]).tolist() == [2, NO_MATE, 0]


@pytest.mark.parametrize("options", [2, 3, 4, 5, 8, 20])
@pytest.mark.parametrize("most", [None, 1, 2, 3])
@pytest.mark.parametrize("extras", [(), ("decline",), ("decline", "does_not_apply")])
def test_every_option_is_ticked_alone_and_nothing_and_as_much_as_may_be(
    options: int, most: int | None, extras: tuple[str, ...]
) -> None:
    question = ticks(options, min(most, options) if most else None, extras)
    contrast = contrast_of(question)
    given = [each.answers["ticks"] for each in contrast.inputs]
    assert [[f"o{option}"] in given for option in range(options)] == [True] * options
    assert given[0] == []
    assert isinstance(given[1], list)
    assert len(given[1]) == min(most or options, options)
    assert (None in given, "does_not_apply" in given) == (bool(extras), len(extras) > 1)
    assert all(code_of(question, each.answers) == each.code for each in contrast.inputs)
    assert len(set(contrast.codes)) == contrast.size
    # Nearly all have a mate: an option may find all its opposites taken.
    assert contrast.mates is not None
    assert contrast.mates.count(NO_MATE) <= 2


def test_few_options_have_few_answers_and_all_are_tried() -> None:
    assert contrast_of(ticks(2, None)).complete
    assert contrast_of(ticks(3, None)).complete
    assert not contrast_of(ticks(4, None)).complete


def test_numbers_are_the_ends_and_numbers_beyond_them_and_between() -> None:
    hours = next(question for question in QUESTIONS if question.id == "hours")
    assert [given.answers["hours"] for given in contrast_of(hours).inputs] == [0, 40, -40, 80, 10, 30]


def test_extras_beside_numbers_are_compared_with_each_other_or_with_a_number() -> None:
    income, age = (contrast_of(question) for question in QUESTIONS if question.id in ("income", "age"))
    assert [given.answers["income"] for given in income.inputs[6:]] == [None, "does_not_apply"]
    assert [given.answers["age"] for given in age.inputs[6:]] == [None, 49.5]
    assert income.mates is not None
    assert age.mates is not None
    assert income.mates[6:] == age.mates[6:] == (7, 6)


def test_a_scale_with_extras_is_tried_whole() -> None:
    question = Question("q", "q?", Scale(0, 2, (), "mean", EXTRAS), channel_with_extras())
    contrast = contrast_of(question)
    assert [given.answers["q"] for given in contrast.inputs] == [0, 1, 2, None, "does_not_apply"]
    assert all(code_of(question, given.answers) == given.code for given in contrast.inputs)
    assert contrast.mates == (2, NO_MATE, 0, 4, 3)
    assert contrast.complete


def test_a_channel_that_is_worst_inside_is_tried_there() -> None:
    # Points 1 and 2 of four differ three to one, the ends not at all.
    channel = Channel((-1, 1), 1, tuple((SPAN // 4 * weight,) for weight in (2, 3, 1, 2)))
    question = Question("x", "x?", Number("0", "3"), channel)
    assert mechanism_of(question).worst_places == (Fraction(1, 3), Fraction(2, 3))
    contrast = contrast_of(question)
    assert [given.answers["x"] for given in contrast.inputs] == [0, 3, 1, 2, 0.75, 2.25]
    assert contrast.mates == (NO_MATE, NO_MATE, 3, 2, NO_MATE, NO_MATE)
