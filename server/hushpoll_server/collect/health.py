"""Whether the server is alive, and whether it can store reports."""

from __future__ import annotations

from flask import Blueprint

from hushpoll_server.collect.service import CollectService
from hushpoll_server.web.current import current
from hushpoll_shared.problems import TRY_LATER, ProblemError

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> dict[str, str]:
    """Report that the process is alive."""
    return {"status": "ok"}


@blueprint.get("/readyz")
def readyz() -> dict[str, str]:
    """Report whether the database responds and reports can be stored."""
    if not current(CollectService).is_ready():
        raise ProblemError(TRY_LATER)
    return {"status": "ready"}
