"""Sign-in by a one-time link, and sign-out, here and everywhere.

The rule here: only a press of the button uses up a link. Whatever only opens it, such as a mail scanner or a
prefetching browser, does not use it up and gets no session. Every change is a POST from a page of our own.
"""

from __future__ import annotations

from flask import Blueprint, make_response, redirect, render_template, url_for
from flask.typing import ResponseReturnValue

from hushpoll_server.researchers import access, forms
from hushpoll_server.researchers.service import Researcher
from hushpoll_server.researchers.sessions import SessionService
from hushpoll_server.web import headers
from hushpoll_server.web.current import current

blueprint = Blueprint("researchers", __name__)
blueprint.before_app_request(forms.refuse_foreign)


@blueprint.app_template_global()
def csrf_token() -> str:
    """Return the token that a form of a signed-in researcher carries."""
    return forms.token_of(access.session_secret() or "")


@blueprint.get("/sign-in/<token>")
def ask_to_sign_in(token: str) -> ResponseReturnValue:
    """Show whom a link signs in, with the button that does it; the link is not used up."""
    headers.use(headers.RESEARCHER_PAGE)
    researcher = current(SessionService).researcher_of_link(token)
    return render_template("researchers/sign_in.html", researcher=researcher) if researcher else _link_spent()


@blueprint.post("/sign-in/<token>")
def sign_in(token: str) -> ResponseReturnValue:
    """Use a link and go to the surveys; say what to do if it does not work."""
    headers.use(headers.RESEARCHER_PAGE)
    session = current(SessionService).sign_in(token, instead_of=access.session_secret())
    if session is None:
        return _link_spent()
    return access.remember(make_response(redirect(url_for("dashboard.survey_list"), 303)), session)


@blueprint.post("/sign-out")
def sign_out() -> ResponseReturnValue:
    """End this browser's session."""
    return _sign_out(everywhere=False)


@blueprint.post("/sign-out/everywhere")
def sign_out_everywhere() -> ResponseReturnValue:
    """End all sessions of the researcher who is signed in."""
    return _sign_out(everywhere=True)


def _sign_out(*, everywhere: bool) -> ResponseReturnValue:
    secret, researcher = access.session_secret(), access.signed_in_researcher()
    if secret and researcher:
        forms.check_token(secret)
        _end(secret, researcher, everywhere=everywhere)
    headers.use(headers.RESEARCHER_PAGE)
    page = render_template("researchers/signed_out.html", everywhere=everywhere and researcher)
    return access.forget(make_response(page))


def _end(secret: str, researcher: Researcher, *, everywhere: bool) -> None:
    if everywhere:
        current(SessionService).end_all(researcher)
    else:
        current(SessionService).end(secret)


def _link_spent() -> ResponseReturnValue:
    return make_response(render_template("researchers/link_spent.html"), 410)
