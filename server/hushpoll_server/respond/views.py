"""The respondent's pages and the scripts that they load.

The rule here: the server sends the form and never receives an answer. One document carries the signed survey; after
loading, the page makes no request until the respondent presses Send, and then sends one randomized report.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import cast

from flask import Blueprint, Response, jsonify, render_template, request, url_for

from hushpoll_server.respond import bundle, label, page, reader
from hushpoll_server.respond import standalone as files
from hushpoll_server.respond.localized import LocalizedSurvey, localize
from hushpoll_server.respond.page import PageCache
from hushpoll_server.sharing.public_results import PublicResultsService
from hushpoll_server.surveys.service import PublishedSurvey, SurveyService
from hushpoll_server.web import headers
from hushpoll_server.web.current import current
from hushpoll_server.web.origins import ALLOW_ORIGIN
from hushpoll_server.words import moment, sentences
from hushpoll_shared import problems
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.problems import ProblemError

blueprint = Blueprint("respond", __name__)

View = str | Response | tuple[str, int]


@blueprint.get("/s/<name>")
def form(name: str) -> View:
    """Show the form, or why there is none now."""
    return _show(name, _form)


@blueprint.get("/s/<name>/embed")
def embed(name: str) -> View:
    """Show the form in a frame of the pages that the survey names."""
    return _show(name, _embedded)


@blueprint.get("/s/<name>/page.html")
def standalone(name: str) -> View:
    """Send the form as one file."""
    return _show(name, _file)


@blueprint.get("/s/<name>/privacy")
def privacy(name: str) -> View:
    """Show the public privacy label, to people or to programs."""
    try:
        survey = current(SurveyService).get(name)
    except ProblemError as error:
        return _state(error.problem.name, error.problem.status)
    if _wants_json():
        return jsonify(label.to_json(survey, results=_results(survey)))
    headers.use(headers.PUBLIC_PAGE)
    context = {"survey": survey, "manifest": survey.manifest, "label": label, "sentences": sentences}
    context |= {"script": _script_facts(), "server": _server_url(), "from_disk": survey.from_disk}
    context |= {"group": _group(survey), "localized": _localized(survey), "results": _results(survey)}
    return render_template("respond/privacy.html", **context)


@blueprint.get("/js/form.js")
def script() -> Response:
    """Send the script of the form: every line of it is a line of the repository."""
    return _script(bundle.form_script())


@blueprint.get("/s/worker.js")
def worker() -> Response:
    """Send the script that looks after a report that waits: below this path a browser lets it serve the forms."""
    headers.use(headers.WORKER)
    return _script(bundle.worker_script())


@blueprint.get("/js/hushpoll-survey.js")
def element() -> Response:
    """Send the element that embeds a survey, to any page."""
    response = _script(page.element_script())
    response.headers[ALLOW_ORIGIN] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _script(script: bundle.Code) -> Response:
    encoding = "gzip" if request.accept_encodings["gzip"] else "identity"
    body, tag = script.encoded(encoding)
    response = Response(body, mimetype="text/javascript", headers={"Vary": "Accept-Encoding"})
    if encoding == "gzip":
        response.headers["Content-Encoding"] = encoding
    response.headers["Cache-Control"] = "no-cache"
    response.set_etag(tag)
    return cast(Response, response.make_conditional(request))


def _group(survey: PublishedSurvey) -> str | None:
    """Return the labels that the link to the label named, if the survey has them, for the way back to the form."""
    named = request.args.get("group", "")
    try:
        known = survey.manifest.groups is not None and survey.manifest.groups.code(named.split(","))
    except InvalidValue:
        known = False
    return named if known else None


def _show(name: str, make: Callable[[PublishedSurvey], View]) -> View:
    try:
        survey = current(SurveyService).get(name)
    except ProblemError as error:
        return _state(error.problem.name, error.problem.status)
    phase = current(SurveyService).phase(survey)
    if phase != "open":
        return _state(phase, HTTPStatus.FORBIDDEN, survey)
    return make(survey)


def _form(survey: PublishedSurvey, *, embedded: bool = False) -> View:
    server = _server_url()
    headers.use(page.policy(survey, server, embedded=embedded))
    # The page depends on these alone. With a codebook it has megabytes, and anybody may request it.
    made_from = survey.manifest.id, survey.key, server, embedded
    make = partial(page.form, survey, server, embedded=embedded)
    return current(PageCache).recall(made_from, make, sys.getsizeof)


def _embedded(survey: PublishedSurvey) -> View:
    if not survey.manifest.hosts:
        return _state("not-embedded", HTTPStatus.FORBIDDEN, survey)
    return _form(survey, embedded=True)


def _file(survey: PublishedSurvey) -> View:
    if not survey.from_disk:
        return _state("not-from-disk", HTTPStatus.FORBIDDEN, survey)
    response = Response(files.document(survey, _server_url()), mimetype="text/html")
    response.headers["Content-Disposition"] = f'attachment; filename="{survey.name}.html"'
    return response


def _server_url() -> str:
    server = headers.server_url()
    if server is None:
        raise ProblemError(problems.BAD_REQUEST)
    return server


def _script_facts() -> dict[str, str | int]:
    script = bundle.form_script()
    sizes = {"size": script.size, "packed_size": script.packed_size}
    return {"url": url_for("respond.script"), "sha256": script.sha256, **sizes}


def _state(name: str, status: int, survey: PublishedSurvey | None = None) -> tuple[str, int]:
    headers.use(headers.PUBLIC_PAGE)
    localized = _localized(survey) if survey else None
    words = localized.words if localized else reader.words()
    context = {"state": name, "survey": survey, "localized": localized, "words": words, "moment_in": moment}
    context |= {"results": _results(survey) if survey else None}
    return render_template("respond/state.html", **context), status


def _results(survey: PublishedSurvey) -> str | None:
    """Return the address of the survey's results, if they are public."""
    is_public = current(PublicResultsService).is_on(survey.name)
    return url_for("public_results.page", name=survey.name) if is_public else None


def _localized(survey: PublishedSurvey) -> LocalizedSurvey:
    return localize(survey.manifest, reader.language(survey.manifest.languages))


def _wants_json() -> bool:
    accepted = request.accept_mimetypes.best_match(["text/html", "application/json"], default="text/html")
    return request.args.get("format") == "json" or accepted == "application/json"
