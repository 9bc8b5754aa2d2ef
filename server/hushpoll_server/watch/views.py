"""The call by which an operator reads the figures of the server."""

from __future__ import annotations

import hmac

from flask import Blueprint, Flask, Response, request

from hushpoll_server.settings import Settings
from hushpoll_server.watch import prometheus
from hushpoll_server.watch.metrics import Metrics
from hushpoll_server.web.current import current
from hushpoll_shared.problems import NOT_FOUND, ProblemError

blueprint = Blueprint("watch", __name__)


@blueprint.get("/metrics")
def metrics() -> Response:
    """Return all figures to a client that has the token, and only that the server is up to others."""
    if not request.headers.get("Authorization"):
        return Response(prometheus.write_up(), content_type=prometheus.MEDIA_TYPE)
    expected = f"Bearer {current(Settings).metrics_token}"
    received = request.headers.get("Authorization", "")
    if not current(Metrics).is_on or not hmac.compare_digest(received.encode(), expected.encode()):
        raise ProblemError(NOT_FOUND)
    return Response(prometheus.write(*current(Metrics).read()), content_type=prometheus.MEDIA_TYPE)


def install(app: Flask, settings: Settings, figures: Metrics) -> None:
    """Count the responses of an app, if its operator asked for metrics."""
    if not settings.metrics_token:
        return
    figures.switch_on(settings.home, (rule.endpoint for rule in app.url_map.iter_rules()))

    @app.after_request
    def count(response: Response) -> Response:
        figures.responded(request.endpoint, response.status_code)
        return response
