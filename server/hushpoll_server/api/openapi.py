"""Describe the API as OpenAPI 3.1, for programs that generate clients or test this server.

It is written by hand, because the calls are few and their parser is stricter than a schema can express. What exists
elsewhere is taken from there: problems, limits, names of methods. A test compares it with the app's routes and with
real responses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any, Final

from hushpoll_server.analysis.regression import EVERY_ERROR, MODELS
from hushpoll_server.api import schemas
from hushpoll_server.api.figures import NEEDED, OPTIONS
from hushpoll_server.api.schemas import Json, ref
from hushpoll_server.estimate.errors import LARGEST_LEVEL, LEAST_LEVEL
from hushpoll_server.estimate.groups.multiple_tests import ADJUSTMENTS
from hushpoll_server.estimate.intervals import METHODS
from hushpoll_server.estimate.results import COVERAGES
from hushpoll_server.watch import prometheus
from hushpoll_shared import problems
from hushpoll_shared.problems import Problem
from hushpoll_shared.report import LARGEST_REPORT

# All that can be wrong with one report; in a batch each line has its own problem.
WITH_A_REPORT: Final = (
    problems.NOT_JSON,
    problems.NOT_A_REPORT,
    problems.UNKNOWN_VERSION,
    problems.WRONG_SURVEY,
    problems.WRONG_MANIFEST,
    problems.WRONG_ANSWERS,
    problems.WRONG_GROUPS,
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
    """Return the description of an instance's API."""
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
            **{f"/api/v1/surveys/{{name}}/{call}": _survey_path("get", _figures(call)) for call in _FIGURES},
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
    good = _response("The signed envelope, byte for byte as it was published.", ref("Envelope"))
    return _operation("manifest", "Fetch a survey's manifest.", {"200": good, **_refusals([problems.UNKNOWN_SURVEY])})


def _reports(largest_batch: int) -> Json:
    stored = _response("One report: the same report was stored before. Many: each was judged by itself.", schemas.TAKEN)
    new = _response("Stored durably and counted, once.", schemas.ACCEPTED)
    operation = _operation(
        "reports",
        "Send one report, or many, one per line.",
        {"200": stored, "201": new, **_refusals([*WITH_A_REPORT, *WITH_A_BODY])},
    )
    encoding = {
        "name": "Content-Encoding",
        "in": "header",
        "description": "How the body is compressed.",
        "schema": {"enum": ["identity", "gzip"]},
    }
    many = f"Many, one per line, have at most {largest_batch} bytes after decompression and need a gateway's token."
    body = {
        "required": True,
        "description": f"One report has at most {LARGEST_REPORT} bytes. {many}",
        "content": {_JSON: {"schema": ref("Report")}, "application/x-ndjson": {"schema": {"type": "string"}}},
    }
    return {**operation, "parameters": [encoding], "requestBody": body, "security": [{"gateway": []}, {}]}


_TEXT: Final[Json] = {"type": "string"}
_OPTIONS: Final[dict[str, Json]] = {
    "level": {"type": "number", "minimum": LEAST_LEVEL, "maximum": LARGEST_LEVEL, "default": 0.95},
    "method": {"enum": list(METHODS)},
    "coverage": {"enum": list(COVERAGES), "default": "pointwise"},
    "beta": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
    "group": _TEXT,
    "adjust": {"enum": list(ADJUSTMENTS), "default": "holm"},
    "model": {"enum": list(MODELS), "default": "logistic"},
    "standard_errors": {"enum": list(EVERY_ERROR)},
    **dict.fromkeys(("question", "by", "questions", "outcome", "covariates", "reference", "shares", "at"), _TEXT),
}
# What each call is for, and the schema of its response.
_FIGURES: Final[dict[str, tuple[str, str]]] = {
    "estimates": ("Read the estimates.", "Estimates"),
    "compare": ("Compare groups.", "Comparison"),
    "crosstab": ("Cross questions.", "Crosstab"),
    "quantiles": ("Read quantiles.", "Quantiles"),
    "regression": ("Regress an answer.", "Regression"),
}


def _figures(call: str) -> Json:
    summary, schema = _FIGURES[call]
    good = _response("The figures, complete and with full precision.", ref(schema))
    same = {"304": {"description": "The figures that the program already has: If-None-Match is their ETag."}}
    # A comparison withholds single groups.
    withheld = [] if call == "compare" else [problems.GROUP_WITHHELD]
    # What no counter holds is read from the reports.
    read = [problems.REPORTS_PURGED, problems.TRY_LATER] if call in ("crosstab", "regression") else []
    refusals = _refusals([problems.BAD_QUERY, problems.SIGN_IN_NEEDED, *withheld, problems.UNKNOWN_SURVEY, *read])
    operation = _operation(call, summary, {"200": good, **same, **refusals})
    parameters = [
        {"name": name, "in": "query", "required": name in NEEDED[call], "schema": _OPTIONS[name]}
        for name in OPTIONS[call]
    ]
    return {**operation, "parameters": parameters, "security": [{"researcher": []}]}


def _description() -> Json:
    return _operation("openapi", "Fetch this document.", {"200": _response("This document.", {"type": "object"})})


def _healthz() -> Json:
    return _operation(
        "healthz", "Check whether the process responds.", {"200": _response("It does.", schemas.status("ok"))}
    )


def _readyz() -> Json:
    responses = {"200": _response("It does.", schemas.status("ready")), **_pages([problems.TRY_LATER])}
    return _operation("readyz", "Check whether the database responds.", responses)


def _metrics() -> Json:
    good = {
        "description": "The figures, or only that the server is up.",
        "content": {prometheus.MEDIA_TYPE: {"schema": {"type": "string"}}},
    }
    responses = {"200": good, **_pages([problems.NOT_FOUND])}
    return {**_operation("metrics", "Read the figures for Prometheus.", responses), "security": [{"operator": []}, {}]}


def _operation(name: str, summary: str, responses: Mapping[str, Json]) -> Json:
    return {"operationId": name, "summary": summary, "responses": dict(sorted(responses.items()))}


def _response(text: str, schema: Json) -> Json:
    return {"description": text, "content": {_JSON: {"schema": schema}}}


def _refusals(possible: Iterable[Problem]) -> dict[str, Json]:
    """Return a response for each status, with the problems that have it."""
    by_status: dict[str, list[Problem]] = {}
    for problem in possible:
        by_status.setdefault(str(problem.status), []).append(problem)
    return {status: _refusal(same) for status, same in by_status.items()}


def _refusal(same: list[Problem]) -> Json:
    text = " ".join(f"{problem.name}: {problem.title}" for problem in same)
    types: Json = {"properties": {"type": {"enum": [problem.type for problem in same]}}}
    response: Json = {
        "description": text,
        "content": {_PROBLEM_TYPE: {"schema": {"allOf": [ref("Problem"), types]}}},
    }
    return {**response, "headers": schemas.RETRY_AFTER} if problems.TRY_LATER in same else response


def _pages(possible: Iterable[Problem]) -> dict[str, Json]:
    """Return a response for each problem outside the API: a page."""
    page: dict[str, Any] = {"text/html": {"schema": {"type": "string"}}}
    return {str(problem.status): {"description": problem.title, "content": page} for problem in possible}
