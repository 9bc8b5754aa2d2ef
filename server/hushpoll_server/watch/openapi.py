"""Describe the API as OpenAPI 3.1, for programs that make clients or test this server.

It is written by hand, because the calls are few and their bodies are read by a stricter parser than a schema can tell.
What exists elsewhere is taken from there: problems, limits, names of methods. A test compares it with the app's routes
and with real answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any, Final

from hushpoll_server.estimate import COVERAGES, LARGEST_LEVEL, LEAST_LEVEL, METHODS
from hushpoll_server.watch import prometheus, schemas
from hushpoll_server.watch.schemas import Json, ref
from hushpoll_shared import problems
from hushpoll_shared.problems import Problem
from hushpoll_shared.report import LARGEST_REPORT

# All that can be wrong with one report; for many reports each line has its own.
WITH_A_REPORT: Final = (
    problems.NOT_JSON,
    problems.NOT_A_REPORT,
    problems.UNKNOWN_VERSION,
    problems.WRONG_SURVEY,
    problems.WRONG_MANIFEST,
    problems.WRONG_ANSWERS,
    problems.NOT_OPEN,
    problems.CLOSED,
    problems.CONFLICT,
)
WITH_A_BODY: Final = (
    problems.GATEWAY_NEEDED,
    problems.ORIGIN_REFUSED,
    problems.NOT_A_BATCH,
    problems.BAD_LENGTH,
    problems.BAD_ENCODING,
    problems.UNKNOWN_SURVEY,
    problems.TOO_LARGE,
    problems.WRONG_MEDIA_TYPE,
    problems.TRY_LATER,
)
_PROBLEM_TYPE: Final = "application/problem+json"
_JSON: Final = "application/json"


def describe(*, largest_batch: int) -> Json:
    """Give the whole description of an instance."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Hushpoll",
            "version": version("hushpoll"),
            "summary": "Surveys whose answers are randomized on the respondent's device.",
            "description": "A report holds draws, never answers. Let an SDK make it: the odds are in the manifest.",
            "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"},
        },
        # Relative to the address of this document.
        "servers": [{"url": "/"}],
        "paths": {
            "/api/v1/surveys/{name}/manifest": _survey_path("get", _manifest()),
            "/api/v1/surveys/{name}/reports": _survey_path("post", _reports(largest_batch)),
            "/api/v1/surveys/{name}/estimates": _survey_path("get", _estimates()),
            "/api/openapi.json": {"get": _description()},
            "/healthz": {"get": _healthz()},
            "/readyz": {"get": _readyz()},
            "/metrics": {"get": _metrics()},
        },
        "components": {
            "schemas": schemas.ALL,
            "securitySchemes": {
                "gateway": {"type": "http", "scheme": "bearer", "description": "From: hushpoll gateway add."},
                "researcher": {"type": "http", "scheme": "bearer", "description": "From: hushpoll researcher token."},
                "operator": {"type": "http", "scheme": "bearer", "description": "The setting metrics_token."},
            },
        },
    }


def _survey_path(method: str, operation: Json) -> Json:
    name = {"name": "name", "in": "path", "required": True, "description": "The survey's name.", "schema": ref("Name")}
    return {"parameters": [name], method: operation}


def _manifest() -> Json:
    good = _answer("The signed envelope, byte for byte as it was published.", ref("Envelope"))
    return _operation("manifest", "Fetch a survey's manifest.", {"200": good, **_refusals([problems.UNKNOWN_SURVEY])})


def _reports(largest_batch: int) -> Json:
    stored = _answer("One report: this very report was stored before. Many: each was judged alone.", schemas.TAKEN)
    new = _answer("Stored durably and counted, once.", schemas.ACCEPTED)
    operation = _operation(
        "reports",
        "Send one report, or many, one a line.",
        {"200": stored, "201": new, **_refusals([*WITH_A_REPORT, *WITH_A_BODY])},
    )
    encoding = {
        "name": "Content-Encoding",
        "in": "header",
        "description": "How the body is packed.",
        "schema": {"enum": ["identity", "gzip"]},
    }
    many = f"Many, one a line, have at most {largest_batch} bytes after decompression and need a gateway's token."
    body = {
        "required": True,
        "description": f"One report has at most {LARGEST_REPORT} bytes. {many}",
        "content": {_JSON: {"schema": ref("Report")}, "application/x-ndjson": {"schema": {"type": "string"}}},
    }
    return {**operation, "parameters": [encoding], "requestBody": body, "security": [{"gateway": []}, {}]}


def _estimates() -> Json:
    good = _answer("What `hushpoll estimate --json` prints.", ref("Estimates"))
    refusals = _refusals([problems.BAD_QUERY, problems.SIGN_IN_NEEDED, problems.UNKNOWN_SURVEY])
    operation = _operation("estimates", "Read the estimates of a survey.", {"200": good, **refusals})
    options: dict[str, Json] = {
        "level": {"type": "number", "minimum": LEAST_LEVEL, "maximum": LARGEST_LEVEL, "default": 0.95},
        "method": {"enum": list(METHODS)},
        "coverage": {"enum": list(COVERAGES), "default": "pointwise"},
        "beta": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
    }
    parameters = [{"name": name, "in": "query", "schema": schema} for name, schema in options.items()]
    return {**operation, "parameters": parameters, "security": [{"researcher": []}]}


def _description() -> Json:
    return _operation("openapi", "Fetch this document.", {"200": _answer("This document.", {"type": "object"})})


def _healthz() -> Json:
    return _operation("healthz", "Ask whether the process answers.", {"200": _answer("It does.", schemas.status("ok"))})


def _readyz() -> Json:
    answers = {"200": _answer("It does.", schemas.status("ready")), **_pages([problems.TRY_LATER])}
    return _operation("readyz", "Ask whether the database answers.", answers)


def _metrics() -> Json:
    good = {
        "description": "The figures, or only that the server is up.",
        "content": {prometheus.MEDIA_TYPE: {"schema": {"type": "string"}}},
    }
    answers = {"200": good, **_pages([problems.NOT_FOUND])}
    return {**_operation("metrics", "Read the figures for Prometheus.", answers), "security": [{"operator": []}, {}]}


def _operation(name: str, summary: str, answers: Mapping[str, Json]) -> Json:
    return {"operationId": name, "summary": summary, "responses": dict(sorted(answers.items()))}


def _answer(text: str, schema: Json) -> Json:
    return {"description": text, "content": {_JSON: {"schema": schema}}}


def _refusals(found: Iterable[Problem]) -> dict[str, Json]:
    """Give an answer for each status, with the problems that have it."""
    by_status: dict[str, list[Problem]] = {}
    for problem in found:
        by_status.setdefault(str(problem.status), []).append(problem)
    return {status: _refusal(same) for status, same in by_status.items()}


def _refusal(same: list[Problem]) -> Json:
    text = " ".join(f"{problem.name}: {problem.title}" for problem in same)
    types: Json = {"properties": {"type": {"enum": [problem.type for problem in same]}}}
    answer: Json = {
        "description": text,
        "content": {_PROBLEM_TYPE: {"schema": {"allOf": [ref("Problem"), types]}}},
    }
    return {**answer, "headers": schemas.RETRY_AFTER} if problems.TRY_LATER in same else answer


def _pages(found: Iterable[Problem]) -> dict[str, Json]:
    """Give the answers of a problem outside the API, which is a page."""
    page: dict[str, Any] = {"text/html": {"schema": {"type": "string"}}}
    return {str(problem.status): {"description": problem.title, "content": page} for problem in found}
