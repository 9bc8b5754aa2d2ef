"""The two calls about the server itself: its figures and the description of its API."""

from __future__ import annotations

import hmac

from flask import Blueprint, Flask, Response, request

from hushpoll_server.services import Services, services
from hushpoll_server.watch import openapi, prometheus
from hushpoll_server.watch.schemas import Json
from hushpoll_shared.problems import NOT_FOUND, ProblemError

blueprint = Blueprint("watch", __name__)


@blueprint.get("/metrics")
def metrics() -> Response:
    """Say that the server is up to anybody, and its figures to who has the token."""
    if not request.headers.get("Authorization"):
        return Response(prometheus.write_up(), content_type=prometheus.MEDIA_TYPE)
    wanted = f"Bearer {services().settings.metrics_token}"
    given = request.headers.get("Authorization", "")
    if not services().metrics.is_on or not hmac.compare_digest(given.encode(), wanted.encode()):
        raise ProblemError(NOT_FOUND)
    return Response(prometheus.write(*services().metrics.read()), content_type=prometheus.MEDIA_TYPE)


@blueprint.get("/api/openapi.json")
def description() -> Json:
    """Describe the API for programs."""
    return openapi.describe(largest_batch=services().settings.largest_batch)


def install(app: Flask, instance: Services) -> None:
    """Count the answers of an app, if its operator asked for figures."""
    if not instance.settings.metrics_token:
        return
    instance.metrics.switch_on(instance.settings.home, (rule.endpoint for rule in app.url_map.iter_rules()))

    @app.after_request
    def count(response: Response) -> Response:
        instance.metrics.answered(request.endpoint, response.status_code)
        return response
