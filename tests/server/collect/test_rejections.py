"""Refused reports are counted by survey and reason, durably, and a flood of them is no flood of writes."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import Connection
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.gateways.senders import gateway_of

from hushpoll_server.collect import writer
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared import problems
from hushpoll_shared.problems import Problem

REPORTS = "/api/v1/surveys/campus/reports"
ONE, MANY = "application/json", "application/x-ndjson"


def post(client: FlaskClient, body: bytes, kind: str = ONE, path: str = REPORTS) -> int:
    return client.post(
        path, data=body, content_type=kind, headers=gateway_of(client) if kind == MANY else {}
    ).status_code


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def stored_after_a_commit(client: FlaskClient, services: Services, survey: PublishedSurvey) -> dict[Problem, int]:
    """Send a good report, with whose commit the refused ones are written."""
    assert post(client, make_report(survey.manifest).encode()) == 201
    return services.collect.rejections("campus")


def test_each_refused_report_counts_once_for_its_reason_on_every_way(
    client: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    for body in (b"{", b"{}", b"{}"):
        assert post(client, body) == 400
    assert post(client, b"{}", f"{ONE}; charset=utf-8") == 400
    assert post(client, b"[\n{}\n\n{}", MANY) == 200
    assert post(client, b"x", "text/plain") == 415
    assert stored_after_a_commit(client, services, survey) == {
        problems.NOT_A_REPORT: 5,
        problems.NOT_JSON: 2,
        problems.WRONG_MEDIA_TYPE: 1,
    }


def test_the_most_frequent_reason_comes_first(client: FlaskClient, services: Services, survey: PublishedSurvey) -> None:
    post(client, b"{")
    for _ in range(3):
        post(client, b"x", "text/plain")
    assert list(stored_after_a_commit(client, services, survey)) == [problems.WRONG_MEDIA_TYPE, problems.NOT_JSON]


def test_without_any_commit_they_are_written_a_little_later(
    client: FlaskClient, services: Services, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "REJECTIONS_SECONDS", 0.05)
    post(client, b"{")
    wait_until(lambda: services.collect.rejections("campus") == {problems.NOT_JSON: 1})


def test_what_waits_is_written_when_the_server_ends(settings: Settings, app: Flask, survey: PublishedSurvey) -> None:
    post(app.test_client(), b"{")
    app.extensions["hushpoll"].close()
    other = Services(settings)
    assert other.collect.rejections("campus") == {problems.NOT_JSON: 1}
    other.close()


def test_a_flood_of_bad_requests_is_one_write(
    client: FlaskClient, services: Services, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[object] = []
    writing = services.store.writing

    def counted() -> AbstractContextManager[Connection]:
        written.append(None)
        return writing()

    monkeypatch.setattr(services.store, "writing", counted)
    monkeypatch.setattr(writer, "REJECTIONS_SECONDS", 60)
    for _ in range(200):
        post(client, b"{")
    services.close()
    assert len(written) == 1
    assert services.collect.rejections("campus") == {problems.NOT_JSON: 200}


def test_a_commit_that_fails_forgets_none_of_them(
    client: FlaskClient, services: Services, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    post(client, b"{")
    with monkeypatch.context() as patch:
        patch.setattr("hushpoll_server.collect.counters.add_to_counts", lambda *_: 1 / 0)
        assert post(client, make_report(survey.manifest).encode()) == 503
    # Who was told to try later was not refused.
    assert stored_after_a_commit(client, services, survey) == {problems.NOT_JSON: 1}


def test_a_survey_that_does_not_exist_gets_no_count_and_keeps_no_good_report_out(
    client: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    for kind in (ONE, "text/plain"):
        post(client, b"{}", kind, "/api/v1/surveys/nowhere/reports")
    # A database can be put in the place of another while a process remembers a survey of the first.
    services.surveys._manifests["gone"] = two_questions(survey="gone")
    post(client, b"{", path="/api/v1/surveys/gone/reports")
    assert stored_after_a_commit(client, services, survey) == {}
    assert services.collect.rejections("nowhere") == services.collect.rejections("gone") == {}


def test_surveys_are_counted_apart(client: FlaskClient, services: Services, survey: PublishedSurvey) -> None:
    services.surveys.publish(two_questions(survey="other"), KEY)
    post(client, b"{", path="/api/v1/surveys/other/reports")
    assert stored_after_a_commit(client, services, survey) == {}
    assert services.collect.rejections("other") == {problems.NOT_JSON: 1}
