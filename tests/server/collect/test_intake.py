"""The short way and the way through Flask cannot be told apart."""

from __future__ import annotations

import pytest
from flask import Flask
from tests.support.asgi import post
from tests.support.surveys import make_report

from hushpoll_server.front import Front
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_server.worker import front_of

REPORTS = "/api/v1/surveys/campus/reports"
SHORT_WAY = "application/json"
THROUGH_FLASK = "application/json; charset=utf-8"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"body_wait": 0.1})


@pytest.fixture
def front(app: Flask, services: Services, survey: PublishedSurvey) -> Front:
    """Give the front of an instance that has seen a report to the survey."""
    services.collect.take("campus", [make_report(survey.manifest).encode()])
    return front_of(app, services)


def test_both_ways_answer_with_the_same_status_headers_and_bytes(front: Front, survey: PublishedSurvey) -> None:
    bodies = [make_report(survey.manifest, 1, 1, report_id=number * 16).encode() for number in ("aa", "bb")]
    for expected in (201, 200):
        one, other = (post(front, REPORTS, *sent) for sent in zip(bodies, (SHORT_WAY, THROUGH_FLASK), strict=True))
        assert one[0] == expected
        assert one == other


@pytest.mark.parametrize("body", [b"{", b"{}", b"[]", b"\xff" * 200])
def test_both_ways_answer_problems_alike(front: Front, body: bytes) -> None:
    one, other = (post(front, REPORTS, body, kind) for kind in (SHORT_WAY, THROUGH_FLASK))
    assert one[0] == 400
    assert one == other


def test_another_body_under_a_known_id_is_a_conflict_both_ways(front: Front, survey: PublishedSurvey) -> None:
    first, second = (make_report(survey.manifest, draw, 1, report_id="cc" * 16).encode() for draw in (0, 1))
    assert post(front, REPORTS, first, SHORT_WAY)[0] == 201
    one, other = (post(front, REPORTS, second, kind) for kind in (SHORT_WAY, THROUGH_FLASK))
    assert one[0] == 409
    assert one == other


def test_an_accepted_report_does_not_reach_flask(
    app: Flask, front: Front, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "full_dispatch_request", lambda: 1 / 0)
    assert post(front, REPORTS, make_report(survey.manifest).encode(), SHORT_WAY)[0] == 201
    assert post(front, REPORTS, make_report(survey.manifest).encode(), THROUGH_FLASK)[0] == 500


def test_the_first_report_after_a_start_is_looked_up_by_flask_and_stored(
    app: Flask, services: Services, survey: PublishedSurvey
) -> None:
    front = front_of(app, services)
    for number in (1, 2):
        assert post(front, REPORTS, make_report(survey.manifest).encode(), SHORT_WAY)[0] == 201
        assert services.collect.number_of_reports("campus") == number


def test_a_refused_report_is_counted_once_by_its_reason(front: Front, services: Services) -> None:
    post(front, REPORTS, b"{}", SHORT_WAY)
    services.close()
    assert {problem.name: number for problem, number in services.collect.rejections("campus").items()} == {
        "not-a-report": 1
    }


def test_a_body_that_is_shorter_than_announced_is_a_problem_and_nothing_is_stored(
    front: Front, services: Services, survey: PublishedSurvey
) -> None:
    status, _, answer = post(front, REPORTS, make_report(survey.manifest).encode(), SHORT_WAY, length=500)
    assert (status, b"urn:hushpoll:problem:bad-length" in answer) == (400, True)
    assert services.collect.number_of_reports("campus") == 1
