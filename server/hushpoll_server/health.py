"""Whether the server lives, and whether it can take reports."""

from __future__ import annotations

from flask import Blueprint
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from hushpoll_server.services import services
from hushpoll_shared.problems import TRY_LATER, ProblemError

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> dict[str, str]:
    """Say that the process answers."""
    return {"status": "ok"}


@blueprint.get("/readyz")
def readyz() -> dict[str, str]:
    """Say that the database answers and takes reports, or that it does not."""
    if services().collect.has_failed:
        raise ProblemError(TRY_LATER)
    try:
        with services().store.reading() as session:
            session.connection().execute(text("SELECT 1"))
    except SQLAlchemyError:
        raise ProblemError(TRY_LATER) from None
    return {"status": "ready"}
