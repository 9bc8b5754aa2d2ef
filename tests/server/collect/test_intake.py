"""The short way and the way through Flask cannot be told apart."""

from __future__ import annotations

import pytest
from flask import Flask
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.gateways.senders import as_gateway
from tests.server.web.asgi_calls import Client, post, scope_of
from tests.server.web.loops import run

from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_server.web.asgi import AsgiApp
from hushpoll_server.web.origins import Origins
from hushpoll_server.worker import asgi_app_of

REPORTS = "/api/v1/surveys/campus/reports"
SHORT_WAY = "application/json"
THROUGH_FLASK = "application/json; charset=utf-8"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"body_wait": 0.1})


@pytest.fixture
def asgi_app(app: Flask, services: Services, survey: PublishedSurvey) -> AsgiApp:
    """Return the ASGI application of an instance that has seen a report to the survey."""
    services.collect.take("campus", [make_report(survey.manifest).encode()])
    return asgi_app_of(app, services)


def test_both_ways_answer_with_the_same_status_headers_and_bytes(asgi_app: AsgiApp, survey: PublishedSurvey) -> None:
    bodies = [make_report(survey.manifest, 1, 1, report_id=number * 16).encode() for number in ("aa", "bb")]
    for expected in (201, 200):
        one, other = (post(asgi_app, REPORTS, *sent) for sent in zip(bodies, (SHORT_WAY, THROUGH_FLASK), strict=True))
        assert one[0] == expected
        assert one == other


def test_both_ways_take_reports_from_the_same_origins_with_the_same_headers(
    app: Flask, services: Services, survey: PublishedSurvey
) -> None:
    """The attack: any page could make its visitors' browsers send reports, by the way past Flask too."""
    named = services.surveys.publish(two_questions(survey="named", hosts=("https://app.example",)), KEY, from_disk=True)
    asgi_app, host = asgi_app_of(app, services), (b"host", b"polls.example:8000")
    for manifest, origin, status in (
        (survey.manifest, "http://polls.example:8000", 201),
        (survey.manifest, "https://polls.example:8000", 201),
        (survey.manifest, "http://polls.example", 403),
        (survey.manifest, "https://app.example", 403),
        (survey.manifest, "null", 403),
        (named.manifest, "https://app.example", 201),
        (named.manifest, "null", 201),
        (named.manifest, "https://evil.example", 403),
    ):
        services.collect.take(manifest.survey, [make_report(manifest).encode()])
        path = f"/api/v1/surveys/{manifest.survey}/reports"
        one, other = (
            post(asgi_app, path, make_report(manifest).encode(), kind, host, (b"origin", origin.encode()))
            for kind in (SHORT_WAY, THROUGH_FLASK)
        )
        assert one[0] == status
        assert one[1].get("access-control-allow-origin") == (origin if status == 201 else None)
        assert one == other


def test_with_a_public_address_only_that_is_the_servers_own() -> None:
    origins = Origins("https://Polls.Example:443/below")
    assert origins.allows("https://polls.example", "polls.example", ())
    for origin in ("http://polls.example", "https://127.0.0.1:8000", "https://polls.example:444", "null", ""):
        assert not origins.allows(origin, "127.0.0.1:8000", ())


def test_a_body_larger_than_a_report_is_not_taken_in_without_a_gateways_token(
    app: Flask, services: Services, survey: PublishedSurvey
) -> None:
    """The attack: whoever sends large bodies slowly takes the room that gateways need."""
    asgi_app, [(_, token)] = asgi_app_of(app, services), as_gateway(services).items()
    body = b"\n".join(make_report(survey.manifest).encode() for _ in range(1_000))
    client = Client(body, body, then="stall")
    headers = ((b"content-type", b"application/x-ndjson"), (b"content-length", b"7000000"))
    run(asgi_app(scope_of(*headers, path=REPORTS.encode()), client.receive, client.send))
    assert (client.status, client.was_closed, len(client._chunks)) == (401, True, 2)
    status, _, content = post(asgi_app, REPORTS, body, "application/x-ndjson", (b"authorization", token.encode()))
    assert (status, b'"accepted":1000' in content) == (200, True)


@pytest.mark.parametrize("body", [b"{", b"{}", b"[]", b"\xff" * 200])
def test_both_ways_answer_problems_alike(asgi_app: AsgiApp, body: bytes) -> None:
    one, other = (post(asgi_app, REPORTS, body, kind) for kind in (SHORT_WAY, THROUGH_FLASK))
    assert one[0] == 400
    assert one == other


def test_another_body_under_a_known_id_is_a_conflict_both_ways(asgi_app: AsgiApp, survey: PublishedSurvey) -> None:
    first, second = (make_report(survey.manifest, draw, 1, report_id="cc" * 16).encode() for draw in (0, 1))
    assert post(asgi_app, REPORTS, first, SHORT_WAY)[0] == 201
    one, other = (post(asgi_app, REPORTS, second, kind) for kind in (SHORT_WAY, THROUGH_FLASK))
    assert one[0] == 409
    assert one == other


def test_an_accepted_report_does_not_reach_flask(
    app: Flask, asgi_app: AsgiApp, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "full_dispatch_request", lambda: 1 / 0)
    assert post(asgi_app, REPORTS, make_report(survey.manifest).encode(), SHORT_WAY)[0] == 201
    assert post(asgi_app, REPORTS, make_report(survey.manifest).encode(), THROUGH_FLASK)[0] == 500


def test_a_survey_with_an_underscore_takes_the_short_way_too(
    app: Flask, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = services.surveys.publish(two_questions(survey="a_b-1"), KEY).manifest
    services.collect.take("a_b-1", [make_report(manifest).encode()])
    monkeypatch.setattr(app, "full_dispatch_request", lambda: 1 / 0)
    body = make_report(manifest).encode()
    assert post(asgi_app_of(app, services), "/api/v1/surveys/a_b-1/reports", body, SHORT_WAY)[0] == 201


def test_the_first_report_after_a_start_is_looked_up_by_flask_and_stored(
    app: Flask, services: Services, survey: PublishedSurvey
) -> None:
    asgi_app = asgi_app_of(app, services)
    for number in (1, 2):
        assert post(asgi_app, REPORTS, make_report(survey.manifest).encode(), SHORT_WAY)[0] == 201
        assert services.collect.number_of_reports("campus") == number


def test_a_refused_report_is_counted_once_by_its_reason(asgi_app: AsgiApp, services: Services) -> None:
    post(asgi_app, REPORTS, b"{}", SHORT_WAY)
    services.close()
    assert {problem.name: number for problem, number in services.collect.rejections("campus").items()} == {
        "not-a-report": 1
    }


def test_a_body_that_is_shorter_than_announced_is_a_problem_and_nothing_is_stored(
    asgi_app: AsgiApp, services: Services, survey: PublishedSurvey
) -> None:
    status, _, content = post(asgi_app, REPORTS, make_report(survey.manifest).encode(), SHORT_WAY, length=500)
    assert (status, b"urn:hushpoll:problem:bad-length" in content) == (400, True)
    assert services.collect.number_of_reports("campus") == 1
