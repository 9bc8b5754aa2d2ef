"""A small web server on the loopback interface, for tests of what a browser does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from werkzeug.serving import WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication


class Response(NamedTuple):
    """The response to a path."""

    body: str
    content_type: str = "text/html; charset=utf-8"


@contextmanager
def serve(responses: dict[str, Response], headers: dict[str, str]) -> Iterator[str]:
    """Serve the responses, each with the headers, and yield the server's address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            response = responses.get(self.path)
            self.send_response(200 if response else 404)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", response.content_type if response else "text/plain")
            self.end_headers()
            self.wfile.write(response.body.encode() if response else b"")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name of the base class)
            """Stay silent."""

    with _running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def serve_app(app: WSGIApplication, port: int = 0) -> Iterator[int]:
    """Serve an application and yield the server's port, any free one if none is given."""
    with _running(make_server("127.0.0.1", port, app, threaded=True, request_handler=_Silent)) as chosen:
        yield chosen


class _Silent(WSGIRequestHandler):
    def log(self, *_: Any, **__: Any) -> None:
        pass


@contextmanager
def _running(server: TCPServer) -> Iterator[int]:
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
