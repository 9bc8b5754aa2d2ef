"""The real SDK talks to a real WSGI app, without a socket."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hushpoll_client import Response, ServerUnreachable

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication


class WSGITransport:
    """Call a WSGI app as its server would."""

    def __init__(self, app: WSGIApplication) -> None:
        self.app = app

    def send(
        self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None, timeout: float, largest: int
    ) -> Response:
        """Run the app once; its errors are those of a server that breaks the connection."""
        started: list[Any] = []

        def start_response(status: str, headers: Any, exc_info: Any = None, /) -> Any:
            started[:] = [status, headers]
            return lambda _: None

        chunks = self.app(_environ(method, url, headers, body or b""), start_response)
        try:
            answer = b"".join(chunks)
        finally:
            getattr(chunks, "close", lambda: None)()
        if len(answer) > largest:
            raise ServerUnreachable("the reply is too long")
        status, pairs = started
        return Response(int(status.split()[0]), {name.lower(): value for name, value in pairs}, answer)


def _environ(method: str, url: str, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    parts = urlsplit(url)
    environ = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": parts.path,
        "QUERY_STRING": parts.query,
        "SERVER_NAME": parts.hostname,
        "SERVER_PORT": str(parts.port or 80),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": parts.netloc,
        "CONTENT_LENGTH": str(len(body)),
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": parts.scheme,
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in headers.items():
        key = name.upper().replace("-", "_")
        environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
    return environ
