"""Forms that only our own pages can send.

The law here: whatever changes something outside the API must come from a page of this server. A browser says where a
request comes from (`Sec-Fetch-Site`, else `Origin`), and no page can make it say something else. A form of somebody who
is signed in also carries a token that is computed from the session's secret, which other pages cannot read.

A request without either header comes from no browser that is in use: a program has no session that could be misused.
"""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import urlsplit

from flask import request

from hushpoll_server import security
from hushpoll_shared.problems import BAD_FORM, ProblemError

FIELD = "csrf_token"

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_PURPOSE = b"hushpoll form"


def refuse_foreign() -> None:
    """Refuse a request that changes something and was sent by a page of another origin."""
    # The API knows no cookies, so nobody can be made to call it unawares.
    is_harmless = request.method in _SAFE_METHODS or request.url_rule is None or request.path.startswith("/api/")
    if not is_harmless and not _is_from_here():
        raise ProblemError(BAD_FORM)


def token_of(session: str) -> str:
    """Return the token of all forms of one session."""
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
    # Browsers send the first header over TLS and on the same machine only.
    return origin is None or origin == _own_origin()


def _own_origin() -> str | None:
    url = urlsplit(security.server_url() or "")
    return f"{url.scheme}://{url.netloc}" if url.netloc else None
