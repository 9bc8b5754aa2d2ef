"""The call that returns the description of all calls."""

from __future__ import annotations

from flask import Blueprint

from hushpoll_server.api import openapi
from hushpoll_server.api.schemas import Json
from hushpoll_server.settings import Settings
from hushpoll_server.web.current import current

blueprint = Blueprint("api", __name__)


@blueprint.get("/api/openapi.json")
def description() -> Json:
    """Send the description of the API, for programs."""
    return openapi.describe(largest_batch=current(Settings).largest_batch)
