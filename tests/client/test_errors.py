"""Errors say to programs what their messages say to people."""

from __future__ import annotations

import copy
import pickle

import pytest
from tests.client.conftest import MakeClient
from tests.client.servers import Collector, problem
from tests.samples.surveys import KEY

from hushpoll_client import (
    AlreadyAnswered,
    AnswerProblem,
    AnswerRefused,
    Client,
    EpsilonCapExceeded,
    Report,
    ReportRefused,
    ServerRefused,
    ServerUnreachable,
    Survey,
)
from hushpoll_shared import problems

ANSWERS = {"cheated": True, "helped": False}
COST = "2.09861228866810969137"


def test_a_refused_answer_names_its_question_and_what_is_allowed(survey: Survey) -> None:
    with pytest.raises(AnswerRefused) as caught:
        survey.randomize({"cheated": "yes"})
    wrong, missing = caught.value.problems
    assert (wrong.question, wrong.allowed) == ("cheated", (False, True))
    assert missing == AnswerProblem("helped", "question helped has no answer: every question needs one", (False, True))


@pytest.mark.parametrize(
    ("option", "cap", "epsilon"), [("max_epsilon", "2", COST), ("max_total_epsilon", "3", "4.19722457733621938274")]
)
def test_a_cap_comes_with_both_numbers_and_its_name(
    make_client: MakeClient, option: str, cap: str, epsilon: str
) -> None:
    first = make_client()
    first.submit(first.survey("library").randomize(ANSWERS))
    with pytest.raises(EpsilonCapExceeded) as caught:
        make_client(**{option: cap}).survey("campus")
    error = caught.value
    assert (error.survey, error.epsilon, error.cap, error.option) == ("campus", epsilon, cap, option)


def test_a_refusal_has_the_status_and_the_type_of_the_problem(client: Client, collector: Collector) -> None:
    with pytest.raises(ServerRefused) as caught:
        client.survey("nothing")
    error = caught.value
    assert (error.survey, error.status, error.problem) == ("nothing", 404, problems.UNKNOWN_SURVEY.type)
    collector.script = [(403, {}, b'{"type":"a word of the server"}')]
    with pytest.raises(ServerRefused) as caught:
        client.survey("campus")
    assert (caught.value.status, caught.value.problem) == (403, None)


@pytest.mark.loopback
def test_a_server_in_trouble_has_a_status_and_one_that_is_away_has_a_cause(
    client: Client, collector: Collector
) -> None:
    collector.script = [problem(problems.TRY_LATER)]
    with pytest.raises(ServerUnreachable) as caught:
        client.survey("campus")
    assert caught.value.status == 503
    with pytest.raises(ServerUnreachable) as away:
        Client("http://127.0.0.1:1", key=KEY.public).survey("campus")
    assert (away.value.status, away.value.__cause__ is None) == (None, False)


def test_a_report_that_must_not_be_sent_has_the_name_of_its_survey(make_client: MakeClient) -> None:
    client = make_client()
    survey = client.survey("campus")
    client.submit(survey.randomize(ANSWERS))
    with pytest.raises(AlreadyAnswered) as answered:
        client.submit(survey.randomize(ANSWERS))
    with pytest.raises(ReportRefused) as unknown:
        client.submit(Report("library", "0" * 64, "0" * 32, {}))
    assert (answered.value.survey, unknown.value.survey) == ("campus", "library")


def test_errors_survive_a_copy_and_a_pickle() -> None:
    error = EpsilonCapExceeded("too much", survey="campus", epsilon="5", cap="4", option="max_epsilon")
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
