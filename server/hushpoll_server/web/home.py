"""The first page, for people who came without the address of a survey."""

from __future__ import annotations

from flask import Blueprint, render_template

from hushpoll_server.web import headers

blueprint = Blueprint("home", __name__)


@blueprint.get("/")
def home() -> str:
    """Show what this server is and where to go."""
    headers.use(headers.PUBLIC_PAGE)
    return render_template("home.html")
