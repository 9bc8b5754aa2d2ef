"""Contrasting inputs: valid answers with the codes that a client finds for them, very different, and in couples."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.mechanisms.cases import choices
from tests.mechanisms.test_channel import channel_with_extras
from tests.vectors.surveys import epsilon, every_type, surveys

from hushpoll_client.answers import read_answers
from hushpoll_server.audit.inputs import MOST_INPUTS, contrast_of, evenly_spaced
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
def test_inputs_are_few_and_different(question: Question) -> None:
    inputs = contrast_of(question).inputs
    assert 2 <= len(inputs) <= MOST_INPUTS
    assert len({str(given.answers) for given in inputs}) == len(inputs)


@every_question
def test_partners_are_mutual_and_every_compared_input_has_as_many(question: Question) -> None:
    partners = contrast_of(question).partners
    pairs = {(place, partner) for place, mine in enumerate(partners) for partner in mine}
    assert pairs == {(partner, place) for place, partner in pairs}
    assert len({len(mine) for mine in partners if mine}) == 1


def test_runs_are_compared_with_one_partner_after_the_other() -> None:
    contrast = contrast_of(QUESTIONS[1])
    assert [contrast.partner(1, run) for run in range(6)] == [0, 2, 3, 0, 2, 3]
    scale = contrast_of(QUESTIONS[5])
    assert [scale.partner(1, run) for run in range(3)] == [-1, -1, -1]


def test_a_small_domain_is_tried_whole_and_a_large_one_from_end_to_end() -> None:
    assert evenly_spaced(3) == [0, 1, 2]
    assert evenly_spaced(2100) == [0, 419, 839, 1259, 1679, 2099]
    assert [contrast_of(question).complete for question in QUESTIONS[:4]] == [True, True, True, False]


@pytest.mark.parametrize(("options", "most"), [(2, None), (3, None), (8, None), (3, 1), (4, 2), (8, 3), (3, 3), (5, 4)])
@pytest.mark.parametrize("extras", [(), ("decline",), ("decline", "does_not_apply")])
def test_ticks_keep_to_the_limit_and_begin_with_nothing_and_as_much_as_may_be(
    options: int, most: int | None, extras: tuple[str, ...]
) -> None:
    question = ticks(options, most, extras)
    contrast = contrast_of(question)
    nothing, full = (given.answers["ticks"] for given in contrast.inputs[:2])
    assert nothing == []
    assert isinstance(full, list)
    assert len(full) == (most or options)
    assert all(code_of(question, given.answers) == given.code for given in contrast.inputs)
    if extras:
        assert {"ticks": None} in [given.answers for given in contrast.inputs]


def test_two_options_have_four_answers_and_all_are_tried() -> None:
    assert contrast_of(ticks(2, None)).complete
    assert not contrast_of(ticks(3, None)).complete


def test_numbers_are_the_ends_and_numbers_beyond_them_and_between() -> None:
    hours = next(question for question in QUESTIONS if question.id == "hours")
    assert [given.answers["hours"] for given in contrast_of(hours).inputs] == [0, 40, -40, 80, 10, 30]


def test_extras_beside_numbers_are_compared_with_each_other_or_with_a_number() -> None:
    income, age = (contrast_of(question) for question in QUESTIONS if question.id in ("income", "age"))
    assert [given.answers["income"] for given in income.inputs[4:]] == [None, "does_not_apply"]
    assert [given.answers["age"] for given in age.inputs[4:]] == [None, 49.5]
    assert income.partners[4:] == age.partners[4:] == ((5,), (4,))


def test_a_scale_with_extras_is_tried_whole_if_it_is_small() -> None:
    question = Question("q", "q?", Scale(0, 2, (), "mean", EXTRAS), channel_with_extras())
    contrast = contrast_of(question)
    assert [given.answers["q"] for given in contrast.inputs] == [0, 1, 2, None, "does_not_apply"]
    assert all(code_of(question, given.answers) == given.code for given in contrast.inputs)
    assert contrast.partners == ((2,), (), (0,), (4,), (3,))
    assert contrast.complete


def test_a_channel_that_is_worst_inside_is_tried_there() -> None:
    # Points 1 and 2 of four differ three to one, the ends not at all.
    channel = Channel((-1, 1), 1, tuple((SPAN // 4 * weight,) for weight in (2, 3, 1, 2)))
    question = Question("x", "x?", Number("0", "3"), channel)
    assert mechanism_of(question).worst_places == (Fraction(1, 3), Fraction(2, 3))
    contrast = contrast_of(question)
    assert [given.answers["x"] for given in contrast.inputs] == [0, 3, 1, 2, 0.75, 2.25]
    assert contrast.partners == ((), (), (3,), (2,), (), ())
