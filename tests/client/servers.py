"""Servers to send to: one that collects as Hushpoll's does, and one that says whatever a test wants."""

from __future__ import annotations

import json
import socketserver
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from hushpoll_shared import problems
from hushpoll_shared.problems import Problem

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

Reply = tuple[int, dict[str, str], bytes]


@dataclass
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Collector:
    """A WSGI app that keeps one report for each id; `script` answers in its place while it lasts."""

    envelopes: dict[str, bytes]
    script: list[Reply] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    stored: dict[str, bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        headers = {name: value for name, value in environ.items() if name.startswith("HTTP_") or name == "CONTENT_TYPE"}
        with self.lock:
            self.seen.append(Seen(environ["REQUEST_METHOD"], environ["PATH_INFO"], headers, body))
            status, extra, answer = self.script.pop(0) if self.script else self._answer(self.seen[-1])
        start_response(f"{status} -", [("Content-Length", str(len(answer))), *extra.items()])
        return [answer]

    @property
    def posts(self) -> list[bytes]:
        """Return the bodies of all reports that were sent, in order."""
        return [request.body for request in self.seen if request.method == "POST"]

    def _answer(self, request: Seen) -> Reply:
        *_, survey, what = request.path.split("/")
        if survey not in self.envelopes:
            return problem(problems.UNKNOWN_SURVEY)
        if what == "manifest":
            return 200, {}, self.envelopes[survey]
        return self._collect(request.body)

    def _collect(self, body: bytes) -> Reply:
        report_id = json.loads(body)["id"]
        if report_id not in self.stored:
            self.stored[report_id] = body
            return 201, {}, b'{"status":"accepted"}'
        if self.stored[report_id] != body:
            return problem(problems.CONFLICT)
        return 200, {}, b'{"status":"duplicate"}'


def problem(what: Problem, **headers: str) -> Reply:
    """Return the answer that names a problem."""
    return what.status, {"Content-Type": "application/problem+json", **headers}, json.dumps(what.to_json()).encode()


class _Threading(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the name of the base class)
        """Stay silent."""


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve a WSGI app on the loopback interface and yield its address."""
    with make_server("127.0.0.1", 0, app, server_class=_Threading, handler_class=_Quiet) as server, _running(server):
        yield f"http://127.0.0.1:{server.server_port}"


@contextmanager
def talking(
    say: Callable[[socketserver.StreamRequestHandler], None], tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    """Accept connections, send any bytes at all, and yield the address."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            # A client may leave in the middle of the talk.
            try:
                say(self)
            except OSError:
                return

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

        def get_request(self) -> Any:
            connection, address = super().get_request()
            return (tls.wrap_socket(connection, server_side=True) if tls else connection), address

    with Server(("127.0.0.1", 0), Handler) as server, _running(server):
        yield f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}"


@contextmanager
def _running(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


def read_request(handler: socketserver.StreamRequestHandler) -> bytes:
    """Read one request to its end; return all its bytes."""
    head = b""
    while not head.endswith(b"\r\n\r\n") and (line := handler.rfile.readline()):
        head += line
    lengths = [line.split(b":")[1] for line in head.lower().splitlines() if line.startswith(b"content-length:")]
    return head + handler.rfile.read(int(lengths[0]) if lengths else 0)
