"""The description of the API is valid, complete, and true of the app."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from sqlalchemy.exc import OperationalError
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.api import openapi_schema
from tests.server.clock import Clock
from tests.server.gateways.senders import as_gateway
from tests.server.watch.conftest import TOKEN
from tests.vectors.groups import FACULTY
from tests.vectors.surveys import surveys
from werkzeug.test import TestResponse

from hushpoll_client.survey import Survey
from hushpoll_server.api import openapi
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.operate.purge import purge
from hushpoll_server.results.service import ResultsService
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.groups import Groups
from hushpoll_shared.question_types import Scale
from hushpoll_shared.questions import Question
from hushpoll_shared.report import LARGEST_REPORT

SURVEY = "/api/v1/surveys/{name}"
REPORTS, MANIFEST, ESTIMATES = f"{SURVEY}/reports", f"{SURVEY}/manifest", f"{SURVEY}/estimates"
NOT_OF_THE_API = re.compile(r"/(s|js|lab|static|surveys|shared|sign-in|sign-out)?(/.*)?")
JSON, NDJSON = "application/json", "application/x-ndjson"
EMAIL = "ada@example.org"
STRESS = Question("stress", "How much?", Scale(1, 5), SubsetMechanism.of(Bound.of_epsilon("1"), 5))
# Every call for figures, with what it needs to be told.
CALLS = {
    "estimates": {},
    "compare": {"question": "cheated", "by": "faculty"},
    "crosstab": {"questions": "cheated,helped"},
    "quantiles": {"question": "stress"},
    "regression": {"outcome": "cheated", "covariates": "faculty", "model": "linear"},
}


@cache
def document() -> dict[str, Any]:
    """Return the description as programs get it."""
    described: dict[str, Any] = json.loads(json.dumps(openapi.describe(largest_batch=8_000_000)))
    return described


def schema_of(path: str, method: str, status: int, media_type: str) -> Any:
    content = document()["paths"][path][method]["responses"][str(status)]["content"]
    return content[media_type]["schema"]


def assert_described(response: TestResponse, path: str, method: str) -> None:
    """Check that a response of the app is what the description says: its status, its type, its body."""
    if response.status_code == 304:
        assert "304" in document()["paths"][path][method]["responses"]
        return
    schema = schema_of(path, method, response.status_code, kind_of(response))
    if response.is_json:
        whole = {**schema, "components": document()["components"]}
        Draft202012Validator(whole).validate(response.json)


def kind_of(response: TestResponse) -> str:
    return response.headers["Content-Type"] if response.mimetype == "text/plain" else str(response.mimetype)


def described() -> set[tuple[str, str, int]]:
    """Return every path, method and status of the description."""
    return {
        (path, method, int(status))
        for path, item in document()["paths"].items()
        for method, operation in item.items()
        if method != "parameters"
        for status in operation["responses"]
    }


def test_the_document_is_valid_openapi() -> None:
    openapi_schema.validator().validate(document())


def test_every_schema_of_the_document_is_valid_and_every_reference_leads_somewhere() -> None:
    for schema in document()["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
    names = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document())))
    assert names == set(document()["components"]["schemas"])


def test_every_route_of_the_api_is_described_and_no_other(app: Flask) -> None:
    routes = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if not NOT_OF_THE_API.fullmatch(rule.rule)
    }
    assert routes == {(path, method) for path, method, _ in described()}


def test_the_server_gives_the_document_with_its_own_limits(client: FlaskClient, settings: Settings) -> None:
    response = client.get("/api/openapi.json")
    assert response.json == openapi.describe(largest_batch=settings.largest_batch)
    assert str(settings.largest_batch) in response.text


def test_each_problem_of_a_report_is_described_with_its_status() -> None:
    wanted = [*openapi.WITH_A_REPORT, *openapi.WITH_A_BODY]
    for problem in wanted:
        described = schema_of(REPORTS, "post", problem.status, "application/problem+json")
        assert problem.type in described["allOf"][1]["properties"]["type"]["enum"]


class Asked:
    """Sends requests to the app, checks each response against the description, and remembers what was seen."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.seen: set[tuple[str, str, int]] = set()
        self.problems: set[str] = set()

    def __call__(self, path: str, name: str = "campus", method: str = "get", **options: Any) -> None:
        response = self.client.open(path.replace("{name}", name), method=method.upper(), **options)
        assert_described(response, path, method)
        self.seen.add((path, method, response.status_code))
        if response.mimetype == "application/problem+json":
            assert response.json is not None
            self.problems.add(response.json["type"])

    def post(self, body: bytes, kind: str = JSON, name: str = "campus", **options: Any) -> None:
        self(REPORTS, name, "post", data=body, content_type=kind, **options)


def test_every_described_status_and_every_problem_of_a_report_can_be_produced(
    client: FlaskClient,
    services: Services,
    survey: PublishedSurvey,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ask = Asked(client)
    for body, options in bodies(survey):
        ask.post(body, **options)
    gateway = as_gateway(services)
    ask.post(b"\n".join([make_report(survey.manifest).encode(), b"{"]), NDJSON, headers=gateway)
    ask.post(b"x\n" * 200, NDJSON, headers=gateway)
    later = two_questions(survey="later", opens=clock.now + timedelta(days=1))
    services.surveys.publish(later, KEY)
    ask.post(make_report(later).encode(), name="later")
    ask.post(b"{}", name="nowhere")
    ask(MANIFEST)
    ask(MANIFEST, "nowhere")
    ask("/api/openapi.json")
    ask("/healthz")
    ask("/readyz")
    ask("/metrics")
    ask("/metrics", headers={"Authorization": "Bearer wrong"})
    ask("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    ask_for_estimates(ask, services)
    services.surveys.close("campus")
    ask.post(make_report(survey.manifest).encode())
    monkeypatch.setattr(services.store, "writing", fail)
    monkeypatch.setattr(services.store, "reading", fail)
    ask.post(make_report(survey.manifest).encode())
    ask("/readyz")
    assert ask.seen == described()
    assert ask.problems >= {problem.type for problem in (*openapi.WITH_A_REPORT, *openapi.WITH_A_BODY)}


def fail() -> None:
    raise OperationalError("the database is gone", None, Exception())


def ask_for_estimates(ask: Asked, services: Services) -> None:
    services.researchers.add(EMAIL)
    bearer = {"Authorization": f"Bearer {services.researchers.new_api_token(EMAIL)}"}
    ask(ESTIMATES)
    ask(ESTIMATES, headers=bearer)
    ask(ESTIMATES, headers=bearer, query_string={"level": "2"})
    grouped = two_questions(
        survey="grouped", groups=Groups((FACULTY,), 2), questions=(*two_questions().questions, STRESS)
    )
    services.surveys.publish(grouped, KEY)
    answers = {"cheated": True, "helped": False, "stress": 3}
    wrong = Survey(grouped).randomize(answers).encode().replace(b'"groups":"-1"', b'"groups":"99"')
    ask.post(wrong, name="grouped")
    for label in ("arts", "engineering") * 20:
        services.collect.take("grouped", [Survey(grouped).randomize(answers, groups=[label]).encode()])
    # A group without reports is too small, whatever the smallest is.
    empty = two_questions(survey="empty", groups=Groups((FACULTY,), 2), questions=grouped.questions)
    services.surveys.publish(empty, KEY)
    for call, query in CALLS.items():
        path = f"{SURVEY}/{call}"
        ask(path)
        ask(path, "grouped", headers=bearer, query_string=query)
        tag = ask.client.get(path.replace("{name}", "grouped"), headers=bearer, query_string=query).headers["ETag"]
        ask(path, "grouped", headers={**bearer, "If-None-Match": tag}, query_string=query)
        ask(path, headers=bearer, query_string={**query, "level": "2"})
        ask(path, "nowhere", headers=bearer, query_string=query)
        if call != "compare":
            ask(path, "empty", headers=bearer, query_string={**query, "group": "arts"})
    # What was read for others is remembered.
    others = {"crosstab": {"questions": "helped,cheated"}, "regression": {**CALLS["regression"], "outcome": "helped"}}
    vars(services.results).update(vars(ResultsService(services.surveys, services.collect, most_seconds=0.0)))
    for call, query in others.items():
        ask(f"{SURVEY}/{call}", "grouped", headers=bearer, query_string=query)
    purge(services.store, grouped, ask_time(), ended=False, progress=lambda _: None)
    for call, query in others.items():
        ask(f"{SURVEY}/{call}", "grouped", headers=bearer, query_string=query)


def ask_time() -> datetime:
    return datetime(2026, 11, 18, tzinfo=UTC)


def bodies(survey: PublishedSurvey) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Return a body for every outcome that does not depend on the state of the survey or the server."""
    report = make_report(survey.manifest, 1, 1).encode()
    yield report, {}
    yield report, {}
    yield report.replace(b'"cheated":"1"', b'"cheated":"0"'), {}
    for old, new in ((b'"v":1', b'"v":7'), (b"campus", b"other"), (b'"cheated":"1"', b'"cheated":"5"')):
        yield report.replace(old, new), {}
    yield report.replace(survey.manifest.id.encode(), b"0" * 64), {}
    yield b"{", {}
    yield b"{}", {}
    yield b"x" * (LARGEST_REPORT + 1), {}
    yield report, {"environ_overrides": {"CONTENT_LENGTH": "5000"}}
    yield b"x", {"headers": {"Content-Encoding": "gzip"}}
    yield gzip.compress(report), {"headers": {"Content-Encoding": "gzip"}}
    yield b"x", {"kind": "text/plain"}
    yield report, {"kind": NDJSON}
    yield report, {"headers": {"Origin": "https://elsewhere.example"}}


@pytest.mark.parametrize("name", list(surveys()))
def test_the_estimates_and_the_reports_of_every_type_are_as_described(
    client: FlaskClient, services: Services, name: str
) -> None:
    manifest, [answers, *_] = surveys()[name]
    services.surveys.publish(manifest, KEY, [("cheated", "way")] if name == "everything" else [])
    whole = {"$ref": "#/components/schemas/Report", "components": document()["components"]}
    for _ in range(2):
        body = Survey(manifest).randomize(answers).encode()
        Draft202012Validator(whole).validate(json.loads(body))
        services.collect.take(manifest.survey, [body])
    services.researchers.add(EMAIL)
    bearer = {"Authorization": f"Bearer {services.researchers.new_api_token(EMAIL)}"}
    for query in ({}, {"beta": "0.05"}, {"coverage": "anytime"}, {"coverage": "simultaneous"}):
        path = ESTIMATES.replace("{name}", manifest.survey)
        response = client.get(path, headers=bearer, query_string=query)
        assert response.status_code == 200
        assert ("cross_tables" in response.get_json()) == (name == "everything")
        assert_described(response, ESTIMATES, "get")


def test_what_is_no_report_is_none_by_the_description_either(survey: PublishedSurvey) -> None:
    whole = {"$ref": "#/components/schemas/Report", "components": document()["components"]}
    good = json.loads(make_report(survey.manifest).encode())
    changes: list[dict[str, object]] = [
        {"v": 2}, {"id": "x"}, {"manifest": "x"}, {"answers": []}, {"more": 1}, {"survey": "No Name"},
    ]  # fmt: skip
    for change in changes:
        assert Draft202012Validator(whole).is_valid(good)
        assert not Draft202012Validator(whole).is_valid({**good, **change})


def test_a_name_of_the_description_is_a_name() -> None:
    from hushpoll_shared.checks import is_name

    pattern = re.compile(document()["components"]["schemas"]["Name"]["pattern"])
    for name in ("a", "campus-integrity", "a" * 64, "a" * 65, "", "A", "9", "a b", "ä", "a_1"):
        assert bool(pattern.fullmatch(name)) == is_name(name), name
