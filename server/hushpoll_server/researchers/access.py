"""Who may pass: the guards before a researcher's page and before the API.

The law here: every request looks the account up, so whoever was removed is out at once. A page that needs a sign-in
sends nobody elsewhere; it says how to sign in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import g, make_response, render_template, request, session, url_for
from flask.typing import ResponseReturnValue

from hushpoll_server import security
from hushpoll_server.researchers.service import Researcher
from hushpoll_server.services import services
from hushpoll_shared.problems import SIGN_IN_NEEDED, ProblemError

View = Callable[..., ResponseReturnValue]

_SESSION_KEY = "researcher"
_SCHEME = "bearer "


def sign_in(researcher: Researcher) -> None:
    """Start a session for a researcher; nothing of an earlier one is kept."""
    session.clear()
    session[_SESSION_KEY] = researcher.id
    session.permanent = True


def sign_out() -> None:
    """End the session."""
    session.clear()


def signed_in(view: View) -> View:
    """Guard a page: without a session it answers 401 and says how to sign in."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> ResponseReturnValue:
        g.researcher = _researcher_of_session()
        return view(*args, **kwargs) if g.researcher else _how_to_sign_in()

    return guarded


def bearer(view: View) -> View:
    """Guard an API call: without a researcher's token it answers with a problem."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> ResponseReturnValue:
        g.researcher = _researcher_of_token()
        if g.researcher is None:
            raise ProblemError(SIGN_IN_NEEDED)
        return view(*args, **kwargs)

    return guarded


def _researcher_of_session() -> Researcher | None:
    researcher_id = session.get(_SESSION_KEY)
    return services().researchers.get(researcher_id) if isinstance(researcher_id, str) else None


def _researcher_of_token() -> Researcher | None:
    header = request.headers.get("Authorization", "")
    if header[: len(_SCHEME)].lower() != _SCHEME:
        return None
    return services().researchers.researcher_of_token(header[len(_SCHEME) :].strip())


def _how_to_sign_in() -> ResponseReturnValue:
    security.use(security.RESEARCHER_PAGE)
    # A cookie with SameSite=Strict that was set on the way from another site is sent only after a click on this one.
    same_page = url_for(request.endpoint or "dashboard.survey_list", **(request.view_args or {}))
    response = make_response(render_template("researchers/sign_in_needed.html", same_page=same_page), 401)
    response.headers["WWW-Authenticate"] = 'SignInLink realm="Hushpoll"'
    return response
