"""The two public calls of the API: fetch a manifest, send reports."""

from __future__ import annotations

from collections import Counter
from typing import Any

from flask import Blueprint, Response, request

from hushpoll_server.collect.batch import Stored, Verdict
from hushpoll_server.collect.body import kind_of, lines_of, read_body
from hushpoll_server.collect.intake import STATUS_OF
from hushpoll_server.services import services
from hushpoll_shared.problems import Problem, ProblemError

blueprint = Blueprint("collect", __name__, url_prefix="/api/v1/surveys/<name>")

Answer = tuple[dict[str, Any], int]

# Both calls are public and carry no cookie, so an app's page on another origin may make them.
OPEN_TO_OTHER_PAGES = {
    "Access-Control-Allow-Origin": "*",
    # By these an app on another page knows when to send again.
    "Access-Control-Expose-Headers": "Retry-After, Date",
}


@blueprint.get("/manifest")
def manifest(name: str) -> Response:
    """Give the signed envelope, byte for byte as it was published."""
    return Response(services().surveys.get(name).envelope, mimetype="application/json")


@blueprint.post("/reports")
def reports(name: str) -> Answer:
    """Take one report or many; count what is refused."""
    try:
        return _take(name)
    except ProblemError as error:
        services().collect.reject(name, [error.problem])
        raise


def _take(name: str) -> Answer:
    body = read_body(request, services().settings.largest_batch)
    if kind_of(request) == "one":
        [verdict] = services().collect.take(name, [body])
        return _answer_one(verdict)
    lines = lines_of(body)
    verdicts = services().collect.take(name, [line for _, line in lines])
    services().collect.reject(name, [verdict for verdict in verdicts if isinstance(verdict, Problem)])
    return _answer_many([number for number, _ in lines], verdicts)


@blueprint.after_request
def _let_other_pages_call(response: Response) -> Response:
    response.headers.update(OPEN_TO_OTHER_PAGES)
    if request.method == "OPTIONS":
        response.headers["Access-Control-Allow-Methods"] = "GET, POST"
        response.headers["Access-Control-Allow-Headers"] = "Content-Type, Content-Encoding"
        response.headers["Access-Control-Max-Age"] = "86400"
    return response


def _answer_one(verdict: Verdict) -> Answer:
    if isinstance(verdict, Problem):
        raise ProblemError(verdict)
    return {"status": verdict.value}, STATUS_OF[verdict]


def _answer_many(numbers: list[int], verdicts: list[Verdict]) -> Answer:
    stored = Counter(verdict for verdict in verdicts if isinstance(verdict, Stored))
    rejected = [
        {"line": number, "type": verdict.type, "title": verdict.title}
        for number, verdict in zip(numbers, verdicts, strict=True)
        if isinstance(verdict, Problem)
    ]
    return {"accepted": stored[Stored.ACCEPTED], "duplicate": stored[Stored.DUPLICATE], "rejected": rejected}, 200
