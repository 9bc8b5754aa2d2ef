"""Call an ASGI application as a web server would, in this process."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.server.web.loops import run

from hushpoll_server.web.asgi import AsgiApp

Response = tuple[int, dict[str, str], bytes]


def scope_of(*headers: tuple[bytes, bytes], path: bytes = b"/x", method: str = "POST") -> dict[str, Any]:
    """Describe a request."""
    return {
        "type": "http",
        "method": method,
        "path": path.decode(),
        "raw_path": path,
        "query_string": b"a=b",
        "scheme": "http",
        "http_version": "1.1",
        "server": ("127.0.0.1", 8000),
        "client": ("192.0.2.7", 4711),
        "headers": list(headers),
    }


class Client:
    """One request whose body comes in the given chunks, then never ends, or ends, or breaks off."""

    def __init__(self, *chunks: bytes, then: str = "end") -> None:
        self._chunks, self._then = list(chunks), then
        self.sent: list[Any] = []

    async def receive(self) -> dict[str, Any]:
        if self._chunks:
            return {"type": "http.request", "body": self._chunks.pop(0), "more_body": True}
        if self._then == "stall":
            await asyncio.Event().wait()
        if self._then == "leave":
            return {"type": "http.disconnect"}
        # After the end of the body a server has nothing to say until the client leaves.
        self._then = "stall"
        return {"type": "http.request"}

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def was_closed(self) -> bool:
        return (b"connection", b"close") in self.sent[0]["headers"]

    @property
    def response(self) -> Response:
        headers = {name.decode(): value.decode() for name, value in self.sent[0]["headers"]}
        return self.status, headers, self.sent[1]["body"]


def post(
    asgi_app: AsgiApp, path: str, body: bytes, media_type: str, *more: tuple[bytes, bytes], length: int | None = None
) -> Response:
    """Post a body and return the response; wait for a length that is longer than the body."""
    client = Client(body, then="end" if length is None else "stall")
    size = len(body) if length is None else length
    headers = ((b"content-type", media_type.encode()), (b"content-length", str(size).encode()), *more)
    run(asgi_app(scope_of(*headers, path=path.encode()), client.receive, client.send))
    return client.response
