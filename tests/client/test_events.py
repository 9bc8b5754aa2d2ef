"""An app is told what happens, and never what was answered."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from tests.client.conftest import MakeClient
from tests.client.servers import Collector, Reply, problem
from tests.vectors.streams import FixedTestStream

from hushpoll_client import Client, Event, InvalidValue, Response, Retry, ServerRefused, ServerUnreachable
from hushpoll_shared import problems

ANSWERS = {"cheated": True, "helped": False}
UNAVAILABLE: Reply = (503, {}, b"")


class Log(list[Event]):
    """Events without the seconds, which differ from run to run."""

    def __call__(self, event: Event) -> None:
        assert event.seconds >= 0
        self.append(replace(event, seconds=0.0))


@pytest.fixture
def log() -> Log:
    return Log()


def answer(client: Client, answers: dict[str, bool] = ANSWERS) -> None:
    client.submit(client.survey("campus").randomize(answers, source=FixedTestStream("events")))


def test_every_step_is_told(make_client: MakeClient, log: Log, collector: Collector) -> None:
    client = make_client(on_event=log)
    survey = client.survey("campus")
    collector.script = [UNAVAILABLE]
    client.submit(survey.randomize(ANSWERS))
    client.flush()
    assert log == [
        Event("fetched", "campus"),
        Event("queued", "campus", "queued"),
        Event("failed", "campus", "queued"),
        Event("sent", "campus", "accepted"),
    ]


def test_a_refusal_is_told_with_its_reason(make_client: MakeClient, log: Log, collector: Collector) -> None:
    client = make_client(on_event=log)
    with pytest.raises(ServerRefused):
        client.survey("nothing")
    survey = client.survey("campus")
    collector.script = [problem(problems.CLOSED)]
    client.submit(survey.randomize(ANSWERS))
    assert log[0] == Event("refused", "nothing", problem=problems.UNKNOWN_SURVEY.type)
    assert log[-1] == Event("refused", "campus", "rejected", problems.CLOSED.type)


def test_no_event_has_a_place_for_an_answer_or_a_draw(
    make_client: MakeClient, collector: Collector, tmp_path: Path
) -> None:
    logs = {True: Log(), False: Log()}
    for said, told in logs.items():
        answer(make_client(on_event=told, state=tmp_path / str(said)), {"cheated": said, "helped": said})
        # The same bytes draw the same id.
        collector.stored.clear()
    # The draws of opposite answers from the same bytes differ; the events do not.
    assert len(set(collector.posts)) == 2
    assert logs[True] == logs[False] != []
    assert [each.name for each in fields(Event)] == ["name", "survey", "status", "problem", "attempt", "seconds"]


def test_a_call_tries_as_often_as_it_is_set_and_sends_the_same_bytes(
    make_client: MakeClient, log: Log, collector: Collector
) -> None:
    slept: list[float] = []
    client = make_client(on_event=log, retry=Retry(attempts=3, first_pause=2), sleep=slept.append)
    collector.script = [UNAVAILABLE, UNAVAILABLE]
    survey = client.survey("campus")
    collector.script = [UNAVAILABLE, UNAVAILABLE]
    assert client.submit(survey.randomize(ANSWERS)).status == "accepted"
    assert [(event.name, event.attempt) for event in log] == [
        ("failed", 1), ("failed", 2), ("fetched", 3), ("queued", 1), ("failed", 1), ("failed", 2), ("sent", 3),
    ]  # fmt: skip
    assert len(set(collector.posts)) == 1
    assert [2 <= pause < 8 for pause in slept] == [True] * 4


def test_after_the_last_attempt_a_report_stays_queued_and_a_survey_raises(
    make_client: MakeClient, collector: Collector
) -> None:
    client = make_client(retry=Retry(attempts=2), sleep=lambda _: None)
    survey = client.survey("campus")
    collector.script = [UNAVAILABLE] * 5
    with pytest.raises(ServerUnreachable):
        client.survey("library")
    assert client.submit(survey.randomize(ANSWERS)).status == "queued"
    assert len(collector.script) == 1


def test_a_server_that_asks_for_time_is_not_tried_again_within_a_call(
    make_client: MakeClient, collector: Collector
) -> None:
    def sleep(_: float) -> None:
        raise AssertionError("the server asked for more time than a call may take")

    client = make_client(retry=Retry(attempts=9), sleep=sleep)
    survey = client.survey("campus")
    busy = problem(problems.TRY_LATER, **{"Retry-After": "30"})
    collector.script = [busy, busy]
    with pytest.raises(ServerUnreachable) as caught:
        client.survey("library")
    assert caught.value.retry_after == 30
    assert (client.submit(survey.randomize(ANSWERS)).retry_after or 0) >= 30


class Recording:
    """A transport that notes the timeouts."""

    def __init__(self, transport: Any) -> None:
        self.transport, self.timeouts = transport, list[float]()

    def send(self, method: str, url: str, *, timeout: float, **options: Any) -> Response:
        self.timeouts.append(timeout)
        response: Response = self.transport.send(method, url, timeout=timeout, **options)
        return response


def test_the_timeout_is_that_of_every_request(make_client: MakeClient) -> None:
    client = make_client(timeout=2.5)
    client._server.transport = transport = Recording(client._server.transport)
    answer(client)
    assert transport.timeouts == [2.5, 2.5]


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf")])
def test_a_timeout_that_is_none_is_refused(make_client: MakeClient, timeout: float) -> None:
    with pytest.raises(InvalidValue, match="timeout must be"):
        make_client(timeout=timeout)
