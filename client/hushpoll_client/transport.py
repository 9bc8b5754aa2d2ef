"""How bytes travel to a server and back.

`Transport` is a seam: tests drive the real app through it without a socket, and apps may put their own HTTP library
behind it. The rules of the default: TLS certificates are checked, no redirect is followed, no cookie is kept, nothing
distinguishes one device from another, and a reply that is too long or too slow counts as no reply.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Protocol

from hushpoll_client.errors import ServerUnreachable

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from ssl import SSLContext
    from urllib.request import OpenerDirector, Request

USER_AGENT = "hushpoll"

_CHUNK_BYTES = 64 * 1024


@dataclass(frozen=True)
class Response:
    """A server's reply, whatever its status; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Transport(Protocol):
    """Anything that can send one request and wait for the reply."""

    def send(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None, timeout: float, largest: int
    ) -> Response:
        """Send a request once, to this address only, and return the reply.

        Raise `ServerUnreachable` if there is none, or none within `timeout` seconds and `largest` bytes.
        """


class UrllibTransport:
    """The default transport, on the standard library alone."""

    def send(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None, timeout: float, largest: int
    ) -> Response:
        """Send a request once, to this address only, and return the reply."""
        # Loaded on the first request, so that an app does not wait for it when it starts.
        from http.client import HTTPException
        from urllib.request import Request

        request = Request(url, data=body, headers={**headers, "User-Agent": USER_AGENT}, method=method)  # noqa: S310 (`check_address`)
        try:
            return _exchange(self._opener, request, timeout=timeout, largest=largest)
        except (OSError, HTTPException, ValueError) as error:
            raise ServerUnreachable(
                f"the server did not reply ({_reason(error)}): check the address and the network, or try again later"
            ) from error

    @cached_property
    def _opener(self) -> OpenerDirector:
        from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, getproxies

        # Plain http is for this machine only and never goes to a proxy; https goes through one in an encrypted tunnel.
        proxies = {scheme: proxy for scheme, proxy in getproxies().items() if scheme == "https"}
        handlers = (ProxyHandler(proxies), HTTPHandler(), HTTPSHandler(context=_tls()))
        # Only these three: no handler that follows redirects, keeps cookies or signs in.
        opener = OpenerDirector()
        opener.addheaders = []
        for handler in handlers:
            opener.add_handler(handler)
        return opener


@cache
def _tls() -> SSLContext:
    # A context of our own, so that no other part of the app can switch off certificate checks. It is made once, because
    # reading the system's certificates takes a tenth of a second.
    import ssl

    return ssl.create_default_context()


def _exchange(opener: OpenerDirector, request: Request, *, timeout: float, largest: int) -> Response:
    deadline = time.monotonic() + timeout
    with opener.open(request, timeout=timeout) as response:
        body = _read(response, deadline=deadline, largest=largest)
        return Response(response.status, {name.lower(): value for name, value in response.headers.items()}, body)


def _read(response: HTTPResponse, *, deadline: float, largest: int) -> bytes:
    body = b""
    while chunk := response.read1(_CHUNK_BYTES):
        body += chunk
        if len(body) > largest:
            raise ValueError("the reply is too long")
        if time.monotonic() > deadline:
            raise TimeoutError("the reply takes too long")
    if response.length:
        raise ValueError("the reply is incomplete")
    return body


def _reason(error: BaseException) -> str:
    # urllib wraps the original error in one of its own.
    if isinstance(inner := getattr(error, "reason", None), OSError):
        return _reason(inner)
    # The text of an HTTPException may repeat what the server sent; its type is enough.
    if not isinstance(error, OSError | ValueError):
        return type(error).__name__
    return getattr(error, "strerror", None) or str(error)
