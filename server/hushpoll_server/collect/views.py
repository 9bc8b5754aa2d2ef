"""The two public calls of the API: fetch a manifest, send reports."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request

from hushpoll_server.collect.batch import Stored, Verdict
from hushpoll_server.collect.body import kind_of, read_body
from hushpoll_server.collect.intake import STATUS_OF
from hushpoll_server.collect.service import BatchOutcome, CollectService
from hushpoll_server.gateways.guard import need_gateway
from hushpoll_server.settings import Settings
from hushpoll_server.surveys.service import SurveyService
from hushpoll_server.web.current import current
from hushpoll_server.web.origins import ALLOW_ORIGIN, PREFLIGHT, READABLE, Origins
from hushpoll_shared.problems import ORIGIN_REFUSED, UNKNOWN_SURVEY, Problem, ProblemError
from hushpoll_shared.report import LARGEST_REPORT

blueprint = Blueprint("collect", __name__, url_prefix="/api/v1/surveys/<name>")

JsonResponse = tuple[dict[str, Any], int]


@blueprint.get("/manifest")
def manifest(name: str) -> Response:
    """Return the signed envelope, byte for byte as it was published."""
    return Response(current(SurveyService).get(name).envelope, mimetype="application/json")


@blueprint.post("/reports")
def reports(name: str) -> JsonResponse:
    """Accept one report or many; count what is refused."""
    try:
        _check_origin(name)
        return _take_one(name) if kind_of(request) == "one" else _take_many(name)
    except ProblemError as error:
        current(CollectService).reject(name, [error.problem])
        raise


def _check_origin(name: str) -> None:
    if _origin() and not _may_call(name):
        raise ProblemError(ORIGIN_REFUSED)


def _take_one(name: str) -> JsonResponse:
    return _respond_to_one(current(CollectService).take_one(name, read_body(request, LARGEST_REPORT)))


def _take_many(name: str) -> JsonResponse:
    need_gateway()
    collect = current(CollectService)
    length = collect.report_length(name)
    outcome = collect.take_many(name, read_body(request, current(Settings).largest_batch, report_length=length))
    collect.reject(name, outcome.refused)
    return _respond_to_many(outcome)


@blueprint.after_request
def _allow_origins(response: Response) -> Response:
    response.vary.add("Origin")
    if response.status_code == UNKNOWN_SURVEY.status and request.method in ("GET", "HEAD"):
        response.headers[ALLOW_ORIGIN] = "*"
    elif _origin() and _may_call((request.view_args or {}).get("name", "")):
        response.headers.update({ALLOW_ORIGIN: _origin(), **READABLE})
        if request.method == "OPTIONS":
            response.headers.update(PREFLIGHT)
    return response


def _origin() -> str:
    return request.headers.get("Origin", "")


def _may_call(name: str) -> bool:
    named = current(CollectService).origins(name)
    return current(Origins).allows(_origin(), request.headers.get("Host", ""), named)


def _respond_to_one(verdict: Verdict) -> JsonResponse:
    if isinstance(verdict, Problem):
        raise ProblemError(verdict)
    return {"status": verdict.value}, STATUS_OF[verdict]


def _respond_to_many(outcome: BatchOutcome) -> JsonResponse:
    return {
        "accepted": outcome.stored[Stored.ACCEPTED],
        "duplicate": outcome.stored[Stored.DUPLICATE],
        "rejected": [
            {"line": number, "type": problem.type, "title": problem.title} for number, problem in outcome.named
        ],
        "rejected_total": outcome.refused.total(),
        "rejected_by_type": {problem.type: count for problem, count in outcome.refused.items()},
    }, 200
