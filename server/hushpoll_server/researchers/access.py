"""Who may pass: the guards before a researcher's page and before the API.

The law here: every request looks the session or the token up, in one query, so whoever signed out or was removed is out
at once. A page that needs a sign-in sends nobody elsewhere; it says how to sign in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, g, make_response, render_template, request, url_for
from flask.typing import ResponseReturnValue

from hushpoll_server import security
from hushpoll_server.researchers.service import Researcher
from hushpoll_server.researchers.sessions import NewSession
from hushpoll_server.services import services
from hushpoll_shared.problems import SIGN_IN_NEEDED, ProblemError

View = Callable[..., ResponseReturnValue]

_SCHEME = "bearer "


def session_secret() -> str | None:
    """Return the secret that the browser sent, whether it is good or not."""
    return request.cookies.get(_cookie_name())


def signed_in_researcher() -> Researcher | None:
    """Return who is signed in."""
    secret = session_secret()
    return services().sessions.researcher_of(secret) if secret else None


def remember(response: Response, session: NewSession) -> Response:
    """Give the browser the session's secret; it forgets it when the session ends."""
    response.set_cookie(_cookie_name(), session.secret, max_age=session.seconds, **_cookie_flags())
    return response


def forget(response: Response) -> Response:
    """Let the browser forget the session's secret."""
    response.delete_cookie(_cookie_name(), **_cookie_flags())
    return response


def signed_in(view: View) -> View:
    """Guard a page: without a session it answers 401 and says how to sign in."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> ResponseReturnValue:
        g.researcher = signed_in_researcher()
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


def _is_behind_tls() -> bool:
    return services().settings.public_url.startswith("https://")


def _cookie_name() -> str:
    # Browsers take a name with this prefix from the very host only, over TLS: no neighbour can plant such a cookie.
    return "__Host-hushpoll" if _is_behind_tls() else "hushpoll"


def _cookie_flags() -> dict[str, Any]:
    return {"path": "/", "secure": _is_behind_tls(), "httponly": True, "samesite": "Strict"}


def _researcher_of_token() -> Researcher | None:
    header = request.headers.get("Authorization", "")
    if header[: len(_SCHEME)].lower() != _SCHEME:
        return None
    return services().researchers.researcher_of_token(header[len(_SCHEME) :].strip())


def _how_to_sign_in() -> ResponseReturnValue:
    security.use(security.RESEARCHER_PAGE)
    # A cookie with SameSite=Strict is held back when a link on another site was followed; a click on this one sends it.
    same_page = url_for(request.endpoint or "dashboard.survey_list", **(request.view_args or {}))
    response = make_response(render_template("researchers/sign_in_needed.html", same_page=same_page), 401)
    response.headers["WWW-Authenticate"] = 'SignInLink realm="Hushpoll"'
    return response
