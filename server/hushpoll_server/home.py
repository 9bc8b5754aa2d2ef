"""The first page, for people who came without the address of a survey."""

from __future__ import annotations

from flask import Blueprint, render_template

from hushpoll_server import security

blueprint = Blueprint("home", __name__)


@blueprint.get("/")
def home() -> str:
    """Say what this is and where to go."""
    security.use(security.PUBLIC_PAGE)
    return render_template("home.html")
