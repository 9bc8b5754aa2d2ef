"""A report leaves the queue only on the word of the collector itself."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushpoll_client.backoff import LONGEST_WAIT
from hushpoll_client.replies import Verdict, judge
from hushpoll_client.transport import Response
from hushpoll_shared import problems
from hushpoll_shared.problems import Problem

PASSING = [problems.NOT_OPEN, problems.WRONG_HOST, problems.TRY_LATER, problems.UNEXPECTED]
REFUSALS = [problem for problem in problems.ALL if 400 <= problem.status < 500 and problem not in PASSING]


def reply(status: int, fields: object, **headers: str) -> Response:
    return Response(status, headers, json.dumps(fields).encode())


def test_the_words_of_the_collector_are_believed() -> None:
    assert judge(reply(201, {"status": "accepted"})) == Verdict("accepted")
    assert judge(reply(200, {"status": "duplicate"})) == Verdict("duplicate")


@pytest.mark.parametrize(
    "response",
    [
        Response(200, {}, b"<html>Please sign in to the airport's network</html>"),
        Response(200, {}, b""),
        Response(204, {}, b""),
        Response(201, {}, b'{"status":"accepted"'),
        Response(201, {}, b'{"status":"accepted","status":"rejected"}'),
        Response(201, {}, b"[" * 5000),
        Response(201, {}, b"\xff"),
        reply(200, {"status": "accepted"}),
        reply(201, {"status": "duplicate"}),
        reply(201, {"status": ["accepted"]}),
        reply(201, "accepted"),
        reply(302, {"status": "accepted"}, location="https://elsewhere.example"),
    ],
    ids=str,
)
def test_anything_else_that_sounds_like_success_is_not_believed(response: Response) -> None:
    assert judge(response).status == "queued"


@pytest.mark.parametrize("problem", REFUSALS, ids=lambda problem: problem.name)
def test_a_problem_of_the_closed_list_rejects_the_report(problem: Problem) -> None:
    assert judge(reply(problem.status, problem.to_json())) == Verdict("rejected", problem.type)


@pytest.mark.parametrize("problem", PASSING, ids=lambda problem: problem.name)
def test_a_problem_that_passes_leaves_the_report_queued(problem: Problem) -> None:
    assert judge(reply(problem.status, problem.to_json())) == Verdict("queued", problem.type)


def test_a_problem_of_a_newer_server_rejects_too() -> None:
    assert judge(reply(400, {"type": "urn:hushpoll:problem:brand-new"})).status == "rejected"


@pytest.mark.parametrize("status", [400, 403, 404, 407, 413])
@pytest.mark.parametrize(
    "fields", [{}, {"type": "about:blank"}, {"type": 7}, {"type": "urn:hushpoll:problem:<b>"}], ids=str
)
def test_a_refusal_in_the_words_of_a_gateway_loses_nothing(status: int, fields: object) -> None:
    assert judge(reply(status, fields)) == Verdict("queued")


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503])
def test_a_status_that_asks_to_come_back_leaves_the_report_queued(status: int) -> None:
    assert judge(reply(status, problems.WRONG_ANSWERS.to_json())).status == "queued"


def test_the_time_that_a_server_asks_for_is_part_of_the_verdict() -> None:
    assert judge(reply(503, problems.TRY_LATER.to_json(), **{"retry-after": "5"})) == Verdict(
        "queued", problems.TRY_LATER.type, 5
    )


@given(st.integers(100, 599), st.binary(max_size=60), st.text(max_size=12))
def test_no_answer_at_all_upsets_the_client(status: int, body: bytes, retry_after: str) -> None:
    verdict = judge(Response(status, {"retry-after": retry_after}, body))
    assert verdict.status == "queued"
    assert 0 <= verdict.wait <= LONGEST_WAIT
