"""Pages of somebody else, on another origin than the server: they show a survey in a frame."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response


@dataclass
class Host:
    """A site that is not the server's; `pages` holds what it shows, by path."""

    address: str
    pages: dict[str, str] = field(default_factory=dict)

    def show(self, html: str) -> str:
        """Put a page on the site and give its address."""
        path = f"/{len(self.pages)}"
        self.pages[path] = html
        return f"{self.address}{path}"


class _Silent(WSGIRequestHandler):
    def log(self, *_: Any, **__: Any) -> None:
        pass


@contextmanager
def serve_host() -> Iterator[Host]:
    """Serve pages under the name localhost: another site than 127.0.0.1."""
    pages: dict[str, str] = {}

    @Request.application
    def answer(request: Request) -> Response:
        found = pages.get(request.path)
        return Response(found or "", mimetype="text/html", status=200 if found else 404)

    server = make_server("127.0.0.1", 0, answer, threaded=True, request_handler=_Silent)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield Host(f"http://localhost:{server.server_port}", pages)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
