"""The API takes reports exactly once and answers everything else with a problem from the closed list."""

from __future__ import annotations

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from tests.support.surveys import KEY, make_report
from tests.support.vectors import vectors
from werkzeug.test import TestResponse

from hushpoll_server.collect.tally import TOTAL
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared import problems
from hushpoll_shared.problems import Problem
from hushpoll_shared.signing import verify

REPORTS = "/api/v1/surveys/campus/reports"


def post(client: FlaskClient, body: bytes, kind: str = "application/json", **options: Any) -> TestResponse:
    return client.post(REPORTS, data=body, content_type=kind, **options)


def post_many(client: FlaskClient, body: bytes, **options: Any) -> TestResponse:
    return post(client, body, "application/x-ndjson", **options)


def assert_problem(response: TestResponse, problem: Problem) -> None:
    assert response.status_code == problem.status
    assert response.mimetype == "application/problem+json"
    assert response.json == problem.to_json()


def test_the_manifest_is_served_byte_for_byte_as_it_was_signed(client: FlaskClient, survey: PublishedSurvey) -> None:
    response = client.get("/api/v1/surveys/campus/manifest")
    assert response.data == survey.envelope
    assert verify(response.data, KEY.public) == survey.manifest


def test_a_report_is_accepted_once_then_a_duplicate_then_a_conflict(
    client: FlaskClient, survey: PublishedSurvey
) -> None:
    first, other = (make_report(survey.manifest, draw, 1, report_id="12" * 16) for draw in (1, 0))
    response = post(client, first.encode())
    assert (response.status_code, response.json) == (201, {"status": "accepted"})
    response = post(client, first.encode())
    assert (response.status_code, response.json) == (200, {"status": "duplicate"})
    response = post(client, json.dumps(json.loads(first.encode()), indent=1).encode())
    assert (response.status_code, response.json) == (200, {"status": "duplicate"})
    assert_problem(post(client, other.encode()), problems.CONFLICT)


def test_sixty_four_threads_with_one_report_give_one_accepted_and_sixty_three_duplicates(
    app: Flask, services: Services, survey: PublishedSurvey
) -> None:
    body = make_report(survey.manifest).encode()
    with ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(lambda _: post(app.test_client(), body).json, range(64)))
    assert answers.count({"status": "accepted"}) == 1
    assert answers.count({"status": "duplicate"}) == 63
    assert services.collect.counts("campus")["cheated", TOTAL] == 1


@pytest.mark.parametrize("case", vectors("reports")["bad"], ids=lambda case: case["name"])
def test_a_bad_report_gets_its_problem_and_nothing_is_stored(
    client: FlaskClient, services: Services, case: dict[str, Any]
) -> None:
    manifest = verify(vectors("reports")["envelope"].encode())
    services.surveys.publish(manifest, KEY)
    response = post(client, case["body"].encode())
    [problem] = [problem for problem in problems.ALL if problem.name == case["problem"]]
    assert_problem(response, problem)
    assert services.collect.reports("campus") == []


def test_a_batch_stores_the_good_and_names_the_bad_by_line(
    client: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    good = [make_report(survey.manifest).encode() for _ in range(3)]
    body = b"\n".join([good[0], b"{bad", b"", good[1], good[0], good[2].replace(b'"v":1', b'"v":7'), good[2]])
    response = post_many(client, body)
    assert response.status_code == 200
    assert response.json == {
        "accepted": 3,
        "duplicate": 1,
        "rejected": [
            {"line": 2, "type": problems.NOT_JSON.type, "title": problems.NOT_JSON.title},
            {"line": 6, "type": problems.UNKNOWN_VERSION.type, "title": problems.UNKNOWN_VERSION.title},
        ],
    }
    assert len(services.collect.reports("campus")) == 3


def test_a_batch_larger_than_one_commit_is_judged_whole(client: FlaskClient, survey: PublishedSurvey) -> None:
    reports = [make_report(survey.manifest).encode() for _ in range(4500)]
    response = post_many(client, gzip.compress(b"\n".join(reports)), headers={"Content-Encoding": "gzip"})
    assert response.json == {"accepted": 4500, "duplicate": 0, "rejected": []}


def test_an_empty_batch_is_no_error(client: FlaskClient, survey: PublishedSurvey) -> None:
    assert post_many(client, b"\n \n").json == {"accepted": 0, "duplicate": 0, "rejected": []}


def test_gzip_is_taken_for_one_report_too(client: FlaskClient, survey: PublishedSurvey) -> None:
    body = gzip.compress(make_report(survey.manifest).encode())
    assert post(client, body, headers={"Content-Encoding": "gzip"}).status_code == 201


@pytest.mark.parametrize(
    ("body", "encoding", "problem"),
    [
        (b"hello", "gzip", problems.BAD_ENCODING),
        (gzip.compress(b"x" * 1000)[:-4], "gzip", problems.BAD_ENCODING),
        (gzip.compress(b"{}") + b"more", "gzip", problems.BAD_ENCODING),
        (gzip.compress(b" " * 50_000_000), "gzip", problems.TOO_LARGE),
        (b"{}", "br", problems.WRONG_MEDIA_TYPE),
        (b"{}", "gzip, gzip", problems.WRONG_MEDIA_TYPE),
    ],
    ids=["not gzip", "cut short", "more behind it", "a bomb", "another encoding", "twice"],
)
def test_compression_is_bounded_and_strict(
    client: FlaskClient, survey: PublishedSurvey, body: bytes, encoding: str, problem: Problem
) -> None:
    assert_problem(post(client, body, headers={"Content-Encoding": encoding}), problem)
    assert_problem(post_many(client, body, headers={"Content-Encoding": encoding}), problem)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_other_media_types_are_refused(client: FlaskClient, survey: PublishedSurvey, kind: str) -> None:
    assert_problem(post(client, make_report(survey.manifest).encode(), kind), problems.WRONG_MEDIA_TYPE)


def test_bodies_above_the_limits_are_refused(client: FlaskClient, survey: PublishedSurvey) -> None:
    assert_problem(post(client, b" " * 65_537), problems.TOO_LARGE)
    assert_problem(post_many(client, b" " * 8_000_001), problems.TOO_LARGE)


def test_an_unknown_survey_is_a_problem(client: FlaskClient) -> None:
    assert_problem(post(client, b"{}"), problems.UNKNOWN_SURVEY)
    assert_problem(client.get("/api/v1/surveys/campus/manifest"), problems.UNKNOWN_SURVEY)
    assert_problem(client.get("/api/v1/surveys/%00/manifest"), problems.UNKNOWN_SURVEY)


def test_a_closed_survey_is_a_problem(client: FlaskClient, services: Services, survey: PublishedSurvey) -> None:
    services.surveys.close("campus")
    assert_problem(post(client, make_report(survey.manifest).encode()), problems.CLOSED)


def test_a_wrong_method_says_which_are_right(client: FlaskClient, survey: PublishedSurvey) -> None:
    response = client.put(REPORTS, data=b"{}")
    assert_problem(response, problems.WRONG_METHOD)
    assert "POST" in response.headers["Allow"]


def test_a_page_of_another_origin_may_call_without_cookies(client: FlaskClient, survey: PublishedSurvey) -> None:
    preflight = client.options(REPORTS)
    assert preflight.headers["Access-Control-Allow-Origin"] == "*"
    assert "Content-Type" in preflight.headers["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in preflight.headers
    assert post(client, b"{}").headers["Access-Control-Allow-Origin"] == "*"


def test_a_store_that_fails_answers_try_later_and_keeps_nothing(
    client: FlaskClient, services: Services, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = make_report(survey.manifest)
    with monkeypatch.context() as patch:
        patch.setattr("hushpoll_server.collect.counters.add_to_counts", lambda *_: 1 / 0)
        response = post(client, report.encode())
        assert_problem(response, problems.TRY_LATER)
        assert int(response.headers["Retry-After"]) > 0
    assert services.collect.reports("campus") == []
    assert post(client, report.encode()).status_code == 201


def test_an_unexpected_error_is_a_problem_and_the_log_holds_no_body(
    client: FlaskClient, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    body = make_report(survey.manifest).encode()

    def fail(*_: object) -> None:
        raise RuntimeError(body.decode())

    monkeypatch.setattr("hushpoll_server.collect.service.CollectService.take", fail)
    assert_problem(post(client, body), problems.UNEXPECTED)
    assert "RuntimeError" in caplog.text
    assert body.decode() not in caplog.text
