"""The modules of `client/js/dashboard/`, which the pages with figures load.

The rule here: a module is sent as it is in the repository. Browsers ask for it each time, so a page never runs the
modules of another release.
"""

from __future__ import annotations

from flask import Blueprint, Response, send_from_directory

from hushpoll_shared.scripts import script_folder

blueprint = Blueprint("scripts", __name__)


@blueprint.get("/js/dashboard/<module>.js")
def module(module: str) -> Response:
    """Send a module; it holds nothing that needs a sign-in."""
    return send_from_directory(script_folder() / "dashboard", f"{module}.js", mimetype="text/javascript")
