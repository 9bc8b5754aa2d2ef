"""The API takes reports exactly once and answers everything else with a problem from the closed list."""

from __future__ import annotations

import gzip
import json
import time
import tracemalloc
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.gateways.senders import gateway_of
from tests.vectors.read import vectors
from werkzeug.test import TestResponse

from hushpoll_server.gateways.service import REMEMBERED_SECONDS, GatewayService
from hushpoll_server.mechanisms.mechanism import TOTAL
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared import problems
from hushpoll_shared.problems import Problem
from hushpoll_shared.signing import verify

REPORTS = "/api/v1/surveys/campus/reports"


def post(client: FlaskClient, body: bytes, kind: str = "application/json", **options: Any) -> TestResponse:
    return client.post(REPORTS, data=body, content_type=kind, **options)


def post_many(client: FlaskClient, body: bytes, headers: dict[str, str] | None = None, **options: Any) -> TestResponse:
    return post(client, body, "application/x-ndjson", headers={**gateway_of(client), **(headers or {})}, **options)


def outcome(accepted: int, duplicate: int = 0, *rejected: tuple[int, Problem]) -> dict[str, Any]:
    """Return the answer to a batch with these refused lines."""
    return {
        "accepted": accepted,
        "duplicate": duplicate,
        "rejected": [{"line": line, "type": problem.type, "title": problem.title} for line, problem in rejected],
        "rejected_total": len(rejected),
        "rejected_by_type": dict(Counter(problem.type for _, problem in rejected)),
    }


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
    assert services.collect.counts("campus")["cheated"][TOTAL] == 1


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
    assert response.json == outcome(3, 1, (2, problems.NOT_JSON), (6, problems.UNKNOWN_VERSION))
    assert len(services.collect.reports("campus")) == 3


def test_a_batch_larger_than_one_commit_is_judged_whole(client: FlaskClient, survey: PublishedSurvey) -> None:
    reports = [make_report(survey.manifest).encode() for _ in range(4500)]
    response = post_many(client, gzip.compress(b"\n".join(reports)), headers={"Content-Encoding": "gzip"})
    assert response.json == outcome(4500)


def test_an_empty_batch_is_no_error(client: FlaskClient, survey: PublishedSurvey) -> None:
    assert post_many(client, b"\n \n").json == outcome(0)


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


NAMED, DISK, OWN = "https://app.example", "null", "http://localhost"
FOREIGN = ["https://evil.example", "https://app.example.evil.example", "http://app.example", "https://app.example:444"]


@pytest.fixture
def named(services: Services) -> PublishedSurvey:
    """Publish a survey that names a site, and that may be answered from a disk."""
    return services.surveys.publish(two_questions(hosts=(NAMED,)), KEY, from_disk=True)


@pytest.mark.parametrize("origin", [NAMED, DISK, OWN])
def test_a_page_that_the_survey_allows_may_call_without_cookies(
    client: FlaskClient, named: PublishedSurvey, origin: str
) -> None:
    headers = {"Origin": origin}
    preflight = client.options(REPORTS, headers=headers)
    assert "Content-Type" in preflight.headers["Access-Control-Allow-Headers"]
    sent = post(client, make_report(named.manifest).encode(), headers=headers)
    fetched = client.get("/api/v1/surveys/campus/manifest", headers=headers)
    assert (sent.status_code, fetched.status_code) == (201, 200)
    for response in (preflight, sent, fetched, post(client, b"{}", headers=headers)):
        assert response.headers["Access-Control-Allow-Origin"] == origin
        assert "Origin" in response.vary
        assert "Access-Control-Allow-Credentials" not in response.headers


@pytest.mark.parametrize("origin", [*FOREIGN, DISK])
def test_a_page_elsewhere_can_neither_send_a_report_nor_read_an_answer(
    client: FlaskClient, services: Services, origin: str
) -> None:
    """The attack: any page could make its visitors' browsers send reports."""
    manifest = services.surveys.publish(two_questions(hosts=(NAMED,)), KEY).manifest
    headers = {"Origin": origin}
    refused = post(client, make_report(manifest).encode(), headers=headers)
    assert_problem(refused, problems.ORIGIN_REFUSED)
    for response in (
        refused,
        client.options(REPORTS, headers=headers),
        client.get("/api/v1/surveys/campus/manifest", headers=headers),
        client.post("/api/v1/surveys/nowhere/reports", headers=headers),
    ):
        assert not [name for name, _ in response.headers if name.startswith("Access-Control")]
        assert "Origin" in response.vary
    assert services.collect.number_of_reports("campus") == 0


def test_every_page_may_read_that_there_is_no_such_survey(client: FlaskClient) -> None:
    for call in (client.get, client.head):
        response = call("/api/v1/surveys/nowhere/manifest", headers={"Origin": FOREIGN[0]})
        assert (response.status_code, response.headers["Access-Control-Allow-Origin"]) == (404, "*")


def test_a_program_that_names_no_origin_sends_as_before(client: FlaskClient, survey: PublishedSurvey) -> None:
    response = post(client, make_report(survey.manifest).encode())
    assert (response.status_code, "Access-Control-Allow-Origin" in response.headers) == (201, False)


def test_a_batch_without_a_gateways_token_is_refused_before_it_is_unpacked(
    client: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    """The attack: one call stored 27,000 invented reports in 0.8 s."""
    reports = b"\n".join(make_report(survey.manifest).encode() for _ in range(100))
    researcher = services.researchers.add("ada@example.org")
    strangers = ["", "Bearer", "Bearer wrong", f"Bearer {'x' * 43}", "Basic eDp5"]
    strangers.append(f"Bearer {services.researchers.new_api_token(researcher.email)}")
    for header in strangers:
        for body, encoding in ((reports, "identity"), (b"no gzip", "gzip")):
            headers = {"Authorization": header, "Content-Encoding": encoding}
            response = post(client, body, "application/x-ndjson", headers=headers)
            assert_problem(response, problems.GATEWAY_NEEDED)
            assert response.headers["WWW-Authenticate"] == "Bearer"
    assert services.collect.number_of_reports("campus") == 0
    assert post_many(client, reports).json == outcome(100)


def test_a_gateway_that_was_removed_by_another_process_is_out_within_a_second(
    client: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    headers = {"Authorization": f"bearer {services.gateways.add('relay')}"}
    body = make_report(survey.manifest).encode()
    assert post(client, body, "application/x-ndjson", headers=headers).status_code == 200
    GatewayService(services.store).remove("relay")
    assert post(client, body, "application/x-ndjson", headers=headers).status_code == 200
    time.sleep(REMEMBERED_SECONDS)
    assert_problem(post(client, body, "application/x-ndjson", headers=headers), problems.GATEWAY_NEEDED)


HOSTILE_BATCHES = {
    "four million lines in 7,802 bytes": (gzip.compress(b"x\n" * 4_000_000, 9), problems.TOO_LARGE),
    "millions of blank lines": (gzip.compress(b"\n" * 7_900_000, 9), problems.TOO_LARGE),
    "short lines that are packed badly": (gzip.compress(b"x\n" * 200_000, 0), problems.NOT_A_BATCH),
    "blank lines that are not packed": (b"\n" * 2_000_000, problems.NOT_A_BATCH),
    "lines of blanks": (b" \n" * 1_000_000, problems.NOT_A_BATCH),
    "lines of the right length that are no reports": (b"\n".join([b"[" * 187] * 40_000), problems.NOT_A_BATCH),
    "deep nesting": (b"\n".join([b"[" * 65_000] * 120), problems.NOT_A_BATCH),
    "many members": (gzip.compress(b"x") * 10_000, problems.BAD_ENCODING),
}


@pytest.mark.parametrize("attack", HOSTILE_BATCHES)
def test_a_small_request_with_millions_of_lines_costs_neither_time_nor_memory_nor_a_long_answer(
    client: FlaskClient, survey: PublishedSurvey, attack: str
) -> None:
    """The attack: 7,802 bytes cost 56 s, 2.7 GB and an answer of 379 MB."""
    body, problem = HOSTILE_BATCHES[attack]
    gateway, packed = gateway_of(client), {"Content-Encoding": "gzip"} if body[:2] == b"\x1f\x8b" else {}
    tracemalloc.start()
    began = time.process_time()
    response = post(client, body, "application/x-ndjson", headers={**gateway, **packed})
    took, (_, peak) = time.process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert_problem(response, problem)
    assert (took < 5, peak < 40_000_000) == (True, True), (took, peak)


def test_of_many_refused_lines_the_first_hundred_are_named_and_all_are_counted(
    client: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    good = [make_report(survey.manifest).encode() for _ in range(300)]
    bad = [b"{" + b" " * 200, b"{}" + b" " * 200]
    told = post_many(client, b"\n".join([*good, *(bad * 150)])).json
    assert told is not None
    assert (told["accepted"], told["rejected_total"]) == (300, 300)
    assert [each["line"] for each in told["rejected"]] == list(range(301, 401))
    assert told["rejected_by_type"] == {problems.NOT_JSON.type: 150, problems.NOT_A_REPORT.type: 150}


def test_reports_of_another_survey_are_refused_as_one_and_not_line_by_line(
    client: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    other = two_questions(title="Another")
    body = b"\n".join(make_report(other).encode() for _ in range(5_000))
    assert_problem(post_many(client, body), problems.NOT_A_BATCH)
    assert services.collect.number_of_reports("campus") == 0


@pytest.mark.parametrize("between", [b"\n", b"\r\n", b"\n\n", b"\n \n"])
def test_honest_batches_in_other_spellings_are_taken_whole(
    client: FlaskClient, survey: PublishedSurvey, between: bytes
) -> None:
    spelled = [json.dumps(json.loads(make_report(survey.manifest).encode())).encode() for _ in range(1_000)]
    body = gzip.compress(between.join(spelled), 9)
    assert post_many(client, body, {"Content-Encoding": "gzip"}).json == outcome(1_000)


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
