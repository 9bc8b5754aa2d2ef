"""The headers that every answer of the server carries.

The law here: what no view asked for is forbidden. A view names the policy it needs with one call, `use(…)`; without
one nothing at all is allowed. On the respondent's page `form-action 'none'`
makes a native submit of raw answers impossible, and `connect-src` names the one address that takes the report.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NewType

from flask import Flask, Response, g, request

from hushpoll_server.services import services

Policy = NewType("Policy", str)

# A host name or address with its port; any other letter could add directives to a policy.
_NAME: Final = r"(?P<host>[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?"
# A name of this machine for itself, with its port.
_LOOPBACK = re.compile(r"(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?", re.ASCII)
# The whole address of a server, with the path under which it is mounted.
ADDRESS = re.compile(rf"(?P<scheme>https?)://{_NAME}(/[A-Za-z0-9._~-]+)*", re.ASCII)
_TWO_YEARS: Final = 2 * 365 * 24 * 3600
_NOBODY: Final = "'none'"

EVERYWHERE: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}

_CHOSEN_BY_VIEWS: Final = ("Cache-Control", "Cross-Origin-Resource-Policy")


def _policy(*allowed: str, ancestors: str = f"frame-ancestors {_NOBODY}") -> Policy:
    locked = ("base-uri 'none'", ancestors, "require-trusted-types-for 'script'", "trusted-types 'none'")
    return Policy("; ".join(filter(None, ("default-src 'none'", *allowed, *locked))))


# The API, files, and whatever said nothing.
STRICTEST: Final = _policy("form-action 'none'")
# A page to read: the privacy label, the states of a survey, errors.
PUBLIC_PAGE: Final = _policy("style-src 'self'", "img-src 'self'", "form-action 'none'")
# A researcher's page: forms to this server, no script.
RESEARCHER_PAGE: Final = _policy("style-src 'self'", "img-src 'self'", "form-action 'self'")


def respondent_page(report_url: str, *, hosts: Sequence[str] = ()) -> Policy:
    """Give the policy of the form: own scripts, and no connection but to the address that takes the report.

    The hosts are the origins of the pages that may show it in a frame.
    """
    own = ("script-src 'self'", "style-src 'self'", "img-src 'self'")
    ancestors = f"frame-ancestors {' '.join(hosts) or _NOBODY}"
    return _policy(*own, *_report_only(report_url), ancestors=ancestors)


def respondent_file(report_url: str, *, script: str, style: str) -> Policy:
    """Give the policy that stands in a form kept as a file: the script and the style with these hashes, nothing else.

    Who may frame a page only a header can say.
    """
    return _policy(f"script-src '{script}'", f"style-src '{style}'", *_report_only(report_url), ancestors="")


def _report_only(report_url: str) -> tuple[str, str]:
    return f"connect-src {report_url}", "form-action 'none'"


def use(policy: Policy) -> None:
    """Choose the policy for the answer to this request."""
    g.hushpoll_policy = policy


def server_url() -> str | None:
    """Return the address of this server as browsers write it: the public one.

    `hushpoll serve` always knows it. Without one the application serves this machine alone, by the name that this
    request was sent to; any other name gives `None`: what a request says must not reach a policy or a page.
    """
    public_url = services().settings.public_url
    if public_url:
        return public_url
    if not _LOOPBACK.fullmatch(request.host):
        return None
    return f"{request.scheme}://{request.host}{request.script_root}"


def install(app: Flask, *, public_url: str) -> None:
    """Put the headers on every answer of an app; what a view chose stands."""
    headers = strictest_headers(public_url)

    @app.after_request
    def add_headers(response: Response) -> Response:
        chosen = {"Content-Security-Policy": g.get("hushpoll_policy", STRICTEST)}
        kept = {name: response.headers[name] for name in _CHOSEN_BY_VIEWS if name in response.headers}
        response.headers.update({**headers, **chosen, **kept})
        return response


def strictest_headers(public_url: str) -> dict[str, str]:
    """Give the headers of an answer that asked for nothing."""
    transport = {"Strict-Transport-Security": f"max-age={_TWO_YEARS}"} if public_url.startswith("https://") else {}
    return {**EVERYWHERE, **transport, "Content-Security-Policy": STRICTEST, "Cache-Control": "no-store"}
