"""Which web pages may call the API: those of this server, and those that the survey names.

A browser tells with every report from which origin the page is that sends it. The law here: a report with an origin is
taken only if the survey allows it, and only such an origin may read the answer. So no page elsewhere can make its
visitors send reports. Programs that are not a browser name no origin, and this does not stop them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import urlsplit

# What browsers call the origin of a page that was opened from a disk, and of a frame in a sandbox.
DISK: Final = "null"
ALLOW_ORIGIN: Final = "Access-Control-Allow-Origin"
# What is answered depends on who asks, so no cache may mix the answers up.
VARY: Final[Mapping[str, str]] = {"Vary": "Origin"}
# By these an app on another page knows when to send again.
READABLE: Final[Mapping[str, str]] = {"Access-Control-Expose-Headers": "Retry-After, Date"}
PREFLIGHT: Final[Mapping[str, str]] = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Content-Type, Content-Encoding",
    "Access-Control-Max-Age": "86400",
}
_USUAL_PORTS: Final = {"http": 80, "https": 443}


class Origins:
    """The judge of origins for one server."""

    def __init__(self, public_url: str) -> None:
        """Know the server's own origin, if it has a public address."""
        self._own = _origin_of(public_url) if public_url else None

    def allows(self, origin: str, host: str, named: Collection[str]) -> bool:
        """Tell whether pages of an origin may call the server that was reached as `host`."""
        return origin in named or self._is_own(origin, host)

    def _is_own(self, origin: str, host: str) -> bool:
        if self._own is not None:
            return origin == self._own
        # Without a public address the server is where it was reached; a proxy before it may have added TLS.
        return bool(host) and origin in (f"http://{host}", f"https://{host}")


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port in (None, _USUAL_PORTS.get(parts.scheme)) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"
