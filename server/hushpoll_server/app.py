"""The web application: pages and API over one instance."""

from __future__ import annotations

import atexit
import logging
import traceback

from flask import Flask, Response, jsonify, render_template, request
from sqlalchemy.exc import OperationalError
from werkzeug.exceptions import BadHost, HTTPException

from hushpoll_server.api.figures import blueprint as figures
from hushpoll_server.api.views import blueprint as api
from hushpoll_server.collect.health import blueprint as health
from hushpoll_server.collect.views import blueprint as collect
from hushpoll_server.dashboard.explore_pages import BLUEPRINTS as EXPLORE_PAGES
from hushpoll_server.dashboard.public_results import blueprint as public_results
from hushpoll_server.dashboard.report.views import blueprint as report
from hushpoll_server.dashboard.scripts import blueprint as scripts
from hushpoll_server.dashboard.views import blueprint as dashboard
from hushpoll_server.lab_pages.views import blueprint as lab_pages
from hushpoll_server.paths import template_folder
from hushpoll_server.researchers.views import blueprint as researchers
from hushpoll_server.respond import reader
from hushpoll_server.respond.views import blueprint as respond
from hushpoll_server.services import Clock, Services, system_clock
from hushpoll_server.settings import Settings, load_settings
from hushpoll_server.sharing.views import blueprint as sharing
from hushpoll_server.watch import logs
from hushpoll_server.watch import views as watch
from hushpoll_server.web import compression, current, headers
from hushpoll_server.web.home import blueprint as home
from hushpoll_shared import problems
from hushpoll_shared.problems import Problem, ProblemError

log = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 5

_PROBLEM_OF_STATUS = {404: problems.NOT_FOUND, 405: problems.WRONG_METHOD, 413: problems.TOO_LARGE}


def create_app(settings: Settings | None = None, *, clock: Clock = system_clock) -> Flask:
    """Make the application for an instance; without settings, for the one that the environment names."""
    logs.install()
    settings = settings or load_settings()
    app = Flask("hushpoll_server", template_folder=str(template_folder()))
    # Apart from reports, which have their own limits, only researchers' forms have a body.
    app.config["MAX_CONTENT_LENGTH"] = 64 * 1024
    app.extensions["hushpoll"] = instance = Services(settings, clock=clock)
    current.install(app, instance.by_class())
    atexit.register(instance.close)
    headers.install(app, public_url=settings.public_url)
    compression.install(app)
    own = (api, collect, dashboard, figures, health, home, lab_pages, report, researchers, respond, watch.blueprint)
    for blueprint in (*own, *EXPLORE_PAGES, public_results, scripts, sharing):
        app.register_blueprint(blueprint)
    _handle_errors(app)
    watch.install(app, settings, instance.metrics)
    return app


def _handle_errors(app: Flask) -> None:
    app.register_error_handler(ProblemError, lambda error: _response(error.problem))
    app.register_error_handler(HTTPException, _handle_http)
    app.register_error_handler(OperationalError, _handle_database)
    app.register_error_handler(Exception, _handle_unexpected)


def _handle_http(error: HTTPException) -> Response | HTTPException:
    if error.code is None or error.code < 400:
        return error
    otherwise = problems.BAD_REQUEST if error.code < 500 else problems.UNEXPECTED
    response = _response(_PROBLEM_OF_STATUS.get(error.code, otherwise))
    # The Allow header of a wrong method, for example.
    for name, value in error.get_headers(request.environ):
        if name == "Allow":
            response.headers[name] = value
    return response


def _handle_database(_: Exception) -> Response:
    # It may be restarting, or its disk may be full: the same request may well succeed later.
    log.error("the database does not respond")
    return _response(problems.TRY_LATER)


def _handle_unexpected(error: Exception) -> Response:
    # Only the type and the place: the text of an error could contain what was sent.
    [*_, last] = traceback.extract_tb(error.__traceback__)
    log.error("%s at %s:%s", type(error).__name__, last.filename, last.lineno)
    return _response(problems.UNEXPECTED)


def _response(problem: Problem) -> Response:
    # With an invalid host no URL can be built, and a page needs some.
    if request.path.startswith("/api/") or isinstance(request.routing_exception, BadHost):
        response = jsonify(problem.to_json())
        response.mimetype = "application/problem+json"
    else:
        headers.use(headers.PUBLIC_PAGE)
        response = Response(render_template("error.html", problem=problem, words=reader.words()), mimetype="text/html")
    response.status_code = problem.status
    if problem in (problems.SIGN_IN_NEEDED, problems.GATEWAY_NEEDED):
        response.headers["WWW-Authenticate"] = "Bearer"
    if problem is problems.TRY_LATER:
        response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response
