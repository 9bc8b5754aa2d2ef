"""The guards of the researchers' pages and of the API.

The rule here: every request looks up the session or the token, in one query, so signing out or removing a researcher
takes effect at once. A page that needs a sign-in does not redirect; it says how to sign in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, g, make_response, render_template, request, url_for
from flask.typing import ResponseReturnValue

from hushpoll_server.researchers.service import Researcher, ResearcherService
from hushpoll_server.researchers.sessions import NewSession, SessionService
from hushpoll_server.settings import Settings
from hushpoll_server.web import headers
from hushpoll_server.web.current import current
from hushpoll_shared.problems import SIGN_IN_NEEDED, ProblemError

View = Callable[..., ResponseReturnValue]

_SCHEME = "bearer "


def session_secret() -> str | None:
    """Return the secret that the browser sent, whether it is valid or not."""
    return request.cookies.get(_cookie_name())


def signed_in_researcher() -> Researcher | None:
    """Return the researcher who is signed in."""
    secret = session_secret()
    return current(SessionService).researcher_of(secret) if secret else None


def remember(response: Response, session: NewSession) -> Response:
    """Let the browser keep the session's secret until the session ends."""
    response.set_cookie(_cookie_name(), session.secret, max_age=session.seconds, **cookie_flags())
    return response


def forget(response: Response) -> Response:
    """Let the browser delete the session's secret."""
    response.delete_cookie(_cookie_name(), **cookie_flags())
    return response


def signed_in(view: View) -> View:
    """Guard a page: without a session the response is 401 and says how to sign in."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> ResponseReturnValue:
        g.researcher = signed_in_researcher()
        return view(*args, **kwargs) if g.researcher else how_to_sign_in()

    return guarded


def bearer(view: View) -> View:
    """Guard an API call: without a researcher's token it is refused."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> ResponseReturnValue:
        g.researcher = _researcher_of_token()
        if g.researcher is None:
            raise ProblemError(SIGN_IN_NEEDED)
        return view(*args, **kwargs)

    return guarded


def how_to_sign_in() -> ResponseReturnValue:
    """Say that a page needs a sign-in, and how to get one."""
    headers.use(headers.RESEARCHER_PAGE)
    # A cookie with SameSite=Strict is not sent after following a link from another site; a click on this page sends it.
    same_page = url_for(request.endpoint or "dashboard.survey_list", **(request.view_args or {}))
    response = make_response(render_template("researchers/sign_in_needed.html", same_page=same_page), 401)
    response.headers["WWW-Authenticate"] = 'SignInLink realm="Hushpoll"'
    return response


def is_behind_tls() -> bool:
    """Return whether browsers reach this server over TLS."""
    return current(Settings).public_url.startswith("https://")


def cookie_flags() -> dict[str, Any]:
    """Return what browsers are told about every cookie that opens something."""
    return {"path": "/", "secure": is_behind_tls(), "httponly": True, "samesite": "Strict"}


def _cookie_name() -> str:
    # Browsers accept this prefix only from the exact host, over TLS: no sibling domain can set such a cookie.
    return "__Host-hushpoll" if is_behind_tls() else "hushpoll"


def _researcher_of_token() -> Researcher | None:
    header = request.headers.get("Authorization", "")
    if header[: len(_SCHEME)].lower() != _SCHEME:
        return None
    return current(ResearcherService).researcher_of_token(header[len(_SCHEME) :].strip())
