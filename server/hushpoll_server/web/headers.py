"""The headers of every response.

The rule here: what no view asked for is forbidden. A view chooses the policy it needs with one call, `use(…)`; without
it nothing is allowed. On the respondent's page `form-action 'none'` makes it impossible to submit raw answers as an
HTML form, and `connect-src` names the only address that accepts the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NewType

from flask import Flask, Response, g, request

from hushpoll_server.settings import Settings
from hushpoll_server.web.addresses import is_loopback_host
from hushpoll_server.web.current import current

Policy = NewType("Policy", str)

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


def _policy(*allowed: str, ancestors: str = f"frame-ancestors {_NOBODY}", trusted: str = _NOBODY) -> Policy:
    locked = ("base-uri 'none'", ancestors, "require-trusted-types-for 'script'", f"trusted-types {trusted}")
    return Policy("; ".join(filter(None, ("default-src 'none'", *allowed, *locked))))


# The API, files, and whatever chose no policy.
STRICTEST: Final = _policy("form-action 'none'")
# The worker of the form: it loads the form again, and sends its report.
WORKER: Final = _policy("connect-src 'self'", "form-action 'none'")
# A page to read: the privacy label, the states of a survey, errors.
PUBLIC_PAGE: Final = _policy("style-src 'self'", "img-src 'self'", "form-action 'none'")
# A page to read with a form that asks for another one.
PUBLIC_FORM: Final = _policy("style-src 'self'", "img-src 'self'", "form-action 'self'")
# A researcher's page: forms to this server, no script.
_RESEARCHER: Final = ("style-src 'self'", "img-src 'self'", "form-action 'self'")
RESEARCHER_PAGE: Final = _policy(*_RESEARCHER)
# The same with modules of this server, which may ask this server for more, and never write markup.
RESEARCHER_PAGE_WITH_SCRIPT: Final = _policy("script-src 'self'", "connect-src 'self'", *_RESEARCHER)


def respondent_page(report_url: str, *, has_logo: bool = False, hosts: Sequence[str] | None = ()) -> Policy:
    """Return the policy of the form: own scripts, and no connection except to the address that accepts the report.

    A logo is part of the page. The hosts are the origins of the pages that may show it in a frame; without any list the
    policy is for the page itself, because only a header can say that. One script may become the form's worker.
    """
    own = ("script-src 'self'", "style-src 'self'", "img-src 'self'" + " data:" * has_logo)
    ancestors = "" if hosts is None else f"frame-ancestors {' '.join(hosts) or _NOBODY}"
    return _policy(*own, *_report_only(report_url), ancestors=ancestors, trusted="worker")


def respondent_file(report_url: str, *, script: str, style: str, has_logo: bool = False) -> Policy:
    """Return the policy of a form that is saved as a file: the script and the style with these hashes, nothing else.

    It does not say who may frame the page, because only a header can.
    """
    images = ("img-src data:",) if has_logo else ()
    own = (f"script-src '{script}'", f"style-src '{style}'", *images)
    return _policy(*own, *_report_only(report_url), ancestors="")


def _report_only(report_url: str) -> tuple[str, str]:
    return f"connect-src {report_url}", "form-action 'none'"


def use(policy: Policy) -> None:
    """Choose the policy for the response to this request."""
    g.hushpoll_policy = policy


def server_url() -> str | None:
    """Return the address of this server as browsers write it: the public one.

    `hushpoll serve` always has one. Without it the application serves only this machine, by the loopback name that the
    request was sent to; any other name gives `None`, because what a request says must not reach a policy or a page.
    """
    public_url = current(Settings).public_url
    if public_url:
        return public_url
    if not is_loopback_host(request.host):
        return None
    return f"{request.scheme}://{request.host}{request.script_root}"


def install(app: Flask, *, public_url: str) -> None:
    """Add the headers to every response of an app, except where a view has set its own."""
    headers = strictest_headers(public_url)

    @app.after_request
    def add_headers(response: Response) -> Response:
        chosen = {"Content-Security-Policy": g.get("hushpoll_policy", STRICTEST)}
        kept = {name: response.headers[name] for name in _CHOSEN_BY_VIEWS if name in response.headers}
        response.headers.update({**headers, **chosen, **kept})
        return response


def strictest_headers(public_url: str) -> dict[str, str]:
    """Return the headers of a response for which no view chose a policy."""
    transport = {"Strict-Transport-Security": f"max-age={_TWO_YEARS}"} if public_url.startswith("https://") else {}
    return {**EVERYWHERE, **transport, "Content-Security-Policy": STRICTEST, "Cache-Control": "no-store"}
