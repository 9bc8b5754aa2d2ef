"""The respondent's pages and the scripts that they load.

The law here: the server hands out the form and never hears of an answer. One document carries the signed survey;
the page asks for nothing more until the respondent presses Send, and then sends one randomized report.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import cast

from flask import Blueprint, Response, abort, jsonify, render_template, request

from hushpoll_server import security
from hushpoll_server.respond import label, scripts, sentences
from hushpoll_server.services import services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared import problems
from hushpoll_shared.problems import ProblemError

blueprint = Blueprint("respond", __name__)


@blueprint.get("/s/<name>")
def form(name: str) -> str | tuple[str, int]:
    """Show the form, or why there is none now."""
    try:
        survey = services().surveys.get(name)
    except ProblemError as error:
        return _state(error.problem.name, error.problem.status)
    phase = survey.phase(services().clock())
    if phase != "open":
        return _state(phase, HTTPStatus.FORBIDDEN, survey)
    return _form(survey)


@blueprint.get("/s/<name>/privacy")
def privacy(name: str) -> str | Response | tuple[str, int]:
    """Show the public privacy label, to people or to programs."""
    try:
        survey = services().surveys.get(name)
    except ProblemError as error:
        return _state(error.problem.name, error.problem.status)
    if _wants_json():
        return jsonify(label.to_json(survey))
    security.use(security.PUBLIC_PAGE)
    given = {"survey": survey, "manifest": survey.manifest, "label": label, "sentences": sentences}
    return render_template("respond/privacy.html", **given)


@blueprint.get("/js/<path:folder>/<file>")
def script(folder: str, file: str) -> Response:
    """Hand out a script as it lies in the repository: what is audited is what runs."""
    found = scripts.load(folder, file)
    if found is None:
        abort(HTTPStatus.NOT_FOUND)
    encoding = "gzip" if request.accept_encodings["gzip"] else "identity"
    body, tag = found.encoded(encoding)
    response = Response(body, mimetype="text/javascript", headers={"Vary": "Accept-Encoding"})
    if encoding == "gzip":
        response.headers["Content-Encoding"] = encoding
    response.headers["Cache-Control"] = "no-cache"
    response.set_etag(tag)
    return cast(Response, response.make_conditional(request))


def _form(survey: PublishedSurvey) -> str:
    server = security.server_url()
    if server is None:
        raise ProblemError(problems.BAD_REQUEST)
    security.use(security.respondent_page(f"{server}/api/v1/surveys/{survey.name}/reports"))
    envelope = json.loads(survey.envelope)
    modules = scripts.page_scripts(survey.manifest)
    return render_template("respond/form.html", survey=survey, envelope=envelope, server=server, scripts=modules)


def _state(name: str, status: int, survey: PublishedSurvey | None = None) -> tuple[str, int]:
    security.use(security.PUBLIC_PAGE)
    return render_template("respond/state.html", state=name, survey=survey), status


def _wants_json() -> bool:
    accepted = request.accept_mimetypes.best_match(["text/html", "application/json"], default="text/html")
    return request.args.get("format") == "json" or accepted == "application/json"
