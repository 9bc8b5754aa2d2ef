"""Which web pages may call the API: those of this server, and those that the survey names.

With every report a browser sends the origin of the page. The rule here: a report with an origin is accepted only if the
survey allows that origin, and only such an origin may read the response. So no other page can make its visitors send
reports. That there is no survey of a name may be read by every page: the element that embeds surveys says so. Programs
that are not browsers send no origin and are not affected.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from hushpoll_server.web.addresses import origin_of

# What browsers send as the origin of a page that was opened from a disk, and of a sandboxed frame.
DISK: Final = "null"
ALLOW_ORIGIN: Final = "Access-Control-Allow-Origin"
# The response depends on the origin, so no cache may use it for another one.
VARY: Final[Mapping[str, str]] = {"Vary": "Origin"}
# From these headers an app on another page knows when to send again.
READABLE: Final[Mapping[str, str]] = {"Access-Control-Expose-Headers": "Retry-After, Date"}
PREFLIGHT: Final[Mapping[str, str]] = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Content-Type, Content-Encoding",
    "Access-Control-Max-Age": "86400",
}


class Origins:
    """The check of origins for one server."""

    def __init__(self, public_url: str) -> None:
        """Use the origin of the public address as the server's own, if it has one."""
        self._own = origin_of(public_url) if public_url else None

    def allows(self, origin: str, host: str, named: Collection[str]) -> bool:
        """Return whether pages of an origin may call the server that was reached as `host`."""
        return origin in named or self._is_own(origin, host)

    def _is_own(self, origin: str, host: str) -> bool:
        if self._own is not None:
            return origin == self._own
        # Without a public address, the server's origin is the host that was reached; a proxy may have added TLS.
        return bool(host) and origin in (f"http://{host}", f"https://{host}")
