"""Forms that only our own pages can send.

The rule here: every request that changes something outside the API must come from a page of this server. A browser says
where a request comes from (`Sec-Fetch-Site`, else `Origin`), and no page can forge that. A form of a signed-in
researcher also carries a token that is computed from the session's secret, which other pages cannot read.

A request without either header does not come from a browser in use today, and a program has no session to misuse.
"""

from __future__ import annotations

import hashlib
import hmac

from flask import request

from hushpoll_server.web import headers
from hushpoll_server.web.addresses import origin_of
from hushpoll_shared.problems import BAD_FORM, ProblemError

FIELD = "csrf_token"

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_PURPOSE = b"hushpoll form"


def refuse_foreign() -> None:
    """Refuse a request that changes something and was sent by a page of another origin."""
    # The API ignores cookies, so nobody can be tricked into calling it.
    is_harmless = request.method in _SAFE_METHODS or request.url_rule is None or request.path.startswith("/api/")
    if not is_harmless and not _is_from_here():
        raise ProblemError(BAD_FORM)


def token_of(session: str) -> str:
    """Return the token that all forms of a session carry."""
    return hmac.new(session.encode(), _PURPOSE, hashlib.sha256).hexdigest()


def check_token(session: str) -> None:
    """Refuse a form without the session's token."""
    sent = request.form.get(FIELD, "")
    if not hmac.compare_digest(sent.encode("utf-8", "surrogatepass"), token_of(session).encode()):
        raise ProblemError(BAD_FORM)


def _is_from_here() -> bool:
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        return site == "same-origin"
    # Browsers send Sec-Fetch-Site only over TLS and to the same machine.
    return origin is None or origin == _own_origin()


def _own_origin() -> str | None:
    server = headers.server_url()
    return origin_of(server) if server else None
