"""Sign-in by a one-time link, and sign-out.

The law here: only a person who follows the link spends it. A HEAD request or a browser's prefetch leaves it whole.
"""

from __future__ import annotations

from flask import Blueprint, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from hushpoll_server import security
from hushpoll_server.researchers import access
from hushpoll_server.services import services

blueprint = Blueprint("researchers", __name__)


@blueprint.get("/sign-in/<token>")
def sign_in(token: str) -> ResponseReturnValue:
    """Spend a link and go to the surveys; say what to do if it does not work."""
    if request.method == "HEAD":
        return "", 204
    if _is_prefetch():
        # A failure is what makes browsers throw the prefetched answer away and ask again at the click.
        return "", 503
    researcher = services().researchers.use_link(token)
    if researcher is None:
        return _spent()
    access.sign_in(researcher)
    return redirect(url_for("dashboard.survey_list"), 303)


@blueprint.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """End the session; the form carries the token that keeps other sites from doing so."""
    access.sign_out()
    security.use(security.RESEARCHER_PAGE)
    return render_template("researchers/signed_out.html")


def _is_prefetch() -> bool:
    purposes = (request.headers.get(name, "").lower() for name in ("Sec-Purpose", "Purpose", "X-Moz"))
    return any("prefetch" in purpose or "prerender" in purpose for purpose in purposes)


def _spent() -> ResponseReturnValue:
    security.use(security.RESEARCHER_PAGE)
    return make_response(render_template("researchers/link_spent.html"), 410)
