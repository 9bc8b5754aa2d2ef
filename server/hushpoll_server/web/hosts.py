"""One name for the server: a request to another host name is redirected to the public address, or refused.

For a browser, another name of the same server is a different site with storage of its own: it would draw again what was
already answered. So the rule here: forms are served, and reports accepted, only under the public address. No view ever
learns what a request said about the host. Programs on this machine may use any loopback name for API calls, because
they keep their own state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from hushpoll_server.web.addresses import DEFAULT_PORTS, host_of, is_loopback_host
from hushpoll_server.web.wsgi import Message, Response, refusal_of
from hushpoll_shared.addresses import is_loopback
from hushpoll_shared.problems import WRONG_HOST

# Monitors and load balancers call a machine by its address.
ANY_HOST: Final = frozenset({b"/healthz", b"/readyz", b"/metrics"})
_REDIRECT: Final = 308


class OwnHost:
    """The host of the public address, and the responses to requests for other hosts."""

    def __init__(self, public_url: str, headers: Mapping[str, str]) -> None:
        """Use the host of the public address; responses made here carry these headers."""
        self._url, self._headers = public_url, dict(headers)
        self.name = host_of(public_url).encode()
        # Browsers omit the default port; other clients may write it.
        address = urlsplit(public_url)
        self._names = frozenset({self.name, b"%s:%d" % (self.name, DEFAULT_PORTS[address.scheme])})
        self._is_local = is_loopback(address.hostname or "")
        self._refusal = refusal_of(WRONG_HOST, headers)

    def answer_foreign(self, scope: Message, host: bytes) -> Response | None:
        """Return the response to a request for another host; None if the host is right or does not matter."""
        if host == self.name or host.lower() in self._names or scope["raw_path"] in ANY_HOST:
            return None
        path, query = scope["raw_path"], scope["query_string"]
        is_call = path.startswith(b"/api/")
        # A tunnel to this machine has a different port.
        if is_call and self._is_local and is_loopback_host(host.decode("latin-1")):
            return None
        if scope["method"] not in ("GET", "HEAD") or is_call:
            return self._refusal
        target = self._url + (path + b"?" + query if query else path).decode("latin-1")
        return Response.of(str(_REDIRECT), [*self._headers.items(), ("Location", target), ("Content-Length", "0")], b"")
