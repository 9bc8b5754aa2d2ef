"""The guard of the pages that only read a survey: for researchers, and for who opened a link to that survey.

The rule here: a cookie of a link is sent to its survey's pages only, and every request looks it up. It opens what its
scope names, and changes nothing: whatever changes something is guarded by `signed_in`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, g, make_response, render_template, request, url_for
from flask.typing import ResponseReturnValue

from hushpoll_server.researchers.access import View, cookie_flags, how_to_sign_in, is_behind_tls, signed_in_researcher
from hushpoll_server.sharing.service import Scope, ShareLink, ShareService
from hushpoll_server.web import headers
from hushpoll_server.web.current import current


def may_read(scope: Scope) -> Callable[[View], View]:
    """Guard a page of a survey: it opens for researchers, and for a link to this survey with this scope."""

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(*args: Any, **kwargs: Any) -> ResponseReturnValue:
            g.researcher = signed_in_researcher()
            g.share = None if g.researcher else _share_of(kwargs["name"])
            if g.researcher or (g.share and g.share.opens(scope)):
                return view(*args, **kwargs)
            is_over = not g.share and _cookie_name() in request.cookies
            return _forget(link_over(), kwargs["name"]) if is_over else how_to_sign_in()

        return guarded

    return guard


def opens(scope: Scope) -> bool:
    """Return whether whoever asks for a page that `may_read` guards can read this, too."""
    return bool(g.researcher or g.share.opens(scope))


def remember(response: Response, link: ShareLink, secret: str) -> Response:
    """Let the browser keep the link's secret, for the pages of its survey, until the link expires."""
    seconds = current(ShareService).seconds_left(link)
    response.set_cookie(_cookie_name(), secret, max_age=seconds, **_cookie_flags(link.survey))
    return response


def link_over() -> Response:
    """Say that a link opens nothing, for whatever reason."""
    headers.use(headers.PUBLIC_PAGE)
    return make_response(render_template("sharing/link_over.html"), 410)


def _share_of(survey: str) -> ShareLink | None:
    secret = request.cookies.get(_cookie_name())
    link = current(ShareService).find(secret) if secret else None
    return link if link and link.survey == survey else None


def _forget(response: Response, survey: str) -> Response:
    response.delete_cookie(_cookie_name(), **_cookie_flags(survey))
    return response


def _cookie_name() -> str:
    # Unlike `__Host-`, this prefix allows a path; browsers accept it only over TLS.
    return "__Secure-hushpoll-share" if is_behind_tls() else "hushpoll-share"


def _cookie_flags(survey: str) -> dict[str, Any]:
    return {**cookie_flags(), "path": url_for("dashboard.dashboard", name=survey)}
