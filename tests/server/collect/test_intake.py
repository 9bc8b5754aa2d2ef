"""The short way and the way through Flask cannot be told apart."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient
from tests.support.surveys import make_report
from werkzeug.test import TestResponse

from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey

REPORTS = "/api/v1/surveys/campus/reports"
SHORT_WAY = "application/json"
THROUGH_FLASK = "application/json; charset=utf-8"


def look(response: TestResponse) -> tuple[object, ...]:
    return response.status, response.data, dict(response.headers)


def test_both_ways_answer_with_the_same_status_headers_and_bytes(client: FlaskClient, survey: PublishedSurvey) -> None:
    bodies = [make_report(survey.manifest, 1, 1, report_id=number * 16).encode() for number in ("aa", "bb")]
    for expected in (201, 200):
        one, other = (
            client.post(REPORTS, data=body, content_type=kind)
            for body, kind in zip(bodies, (SHORT_WAY, THROUGH_FLASK), strict=True)
        )
        assert one.status_code == expected
        assert look(one) == look(other)


@pytest.mark.parametrize("body", [b"{", b"{}", b"", b"[]"])
def test_both_ways_answer_problems_alike(client: FlaskClient, survey: PublishedSurvey, body: bytes) -> None:
    one, other = (client.post(REPORTS, data=body, content_type=kind) for kind in (SHORT_WAY, THROUGH_FLASK))
    assert one.status_code == 400
    assert look(one) == look(other)


def test_an_accepted_report_does_not_reach_flask(
    app: Flask, client: FlaskClient, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "full_dispatch_request", lambda: 1 / 0)
    response = client.post(REPORTS, data=make_report(survey.manifest).encode(), content_type=SHORT_WAY)
    assert response.status_code == 201


def test_a_body_that_is_shorter_than_announced_is_a_problem_and_nothing_is_stored(
    client: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    body = make_report(survey.manifest).encode()
    response = client.post(REPORTS, data=body, content_type=SHORT_WAY, environ_overrides={"CONTENT_LENGTH": "500"})
    assert response.json is not None
    assert response.json["type"] == "urn:hushpoll:problem:bad-length"
    assert services.collect.reports("campus") == []
