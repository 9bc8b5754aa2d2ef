"""Requests and responses between ASGI, which the web server speaks, and WSGI, which the application speaks.

The rule here: a client's address is not passed on, and no header can be mistaken for another. A response of the
application that does not say how long it is, is sent while it is made; one that says that nobody on its way may gather
it, part by part as they come.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from hushpoll_shared import strict_json
from hushpoll_shared.problems import Problem

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

Message = MutableMapping[str, Any]

# nginx knows this header: each part of such a response is sent on as soon as it comes.
GRADUAL = ("X-Accel-Buffering", "no")

_LATIN = "latin-1"
_WITHOUT_PREFIX = ("CONTENT_TYPE", "CONTENT_LENGTH")


class Rest:
    """What an application has still to make of a body, piece by piece, in whichever thread is free."""

    def __init__(self, parts: Iterable[bytes], *, is_gradual: bool = False) -> None:
        """Begin before the first part; of a gradual body each part, which may be empty, is a piece."""
        self._parts, self._rest, self.is_gradual = parts, iter(parts), is_gradual
        # A client may leave while a piece is being made: closing waits for it.
        self._one_at_a_time = threading.Lock()

    def next_piece(self, least: int) -> bytes | None:
        """Return at least this many bytes, fewer at the end, and None after it; of a gradual body the next part."""
        with self._one_at_a_time:
            if (part := next(self._rest, None)) is None or self.is_gradual:
                return part
            piece = bytearray(part)
            while len(piece) < least and (part := next(self._rest, None)) is not None:
                piece += part
            return bytes(piece)

    def close(self) -> None:
        """Let the application give back what it holds, whether the client has got everything or not."""
        with self._one_at_a_time:
            if close := getattr(self._parts, "close", None):
                close()


@dataclass(frozen=True)
class Response:
    """A response that is ready to be sent, or begun."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    rest: Rest | None = None

    @classmethod
    def of(cls, status: str, headers: list[tuple[str, str]], body: bytes, rest: Rest | None = None) -> Response:
        """Translate from WSGI."""
        pairs = [(name.lower().encode(_LATIN), text.encode(_LATIN)) for name, text in headers]
        return cls(int(status[:3]), pairs, body, rest)


def refusal_of(problem: Problem, headers: Mapping[str, str]) -> Response:
    """Return the response for a problem, without the application or a thread."""
    body = strict_json.dumps(problem.to_json()) + b"\n"
    own = {"Content-Type": "application/problem+json", "Content-Length": str(len(body))}
    return Response.of(str(problem.status), list({**headers, **own}.items()), body)


def call(app: WSGIApplication, environ: WSGIEnvironment, body: bytes) -> Response:
    """Return an application's response to a request."""
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], _: object = None) -> Callable[[bytes], object]:
        started.append((status, headers))
        return _no_writing

    parts = app({**environ, "wsgi.input": BytesIO(body)}, start_response)
    headers = started[-1][1] if started else []
    rest = Rest(parts, is_gradual=GRADUAL in headers)
    if started and not any(name.lower() == "content-length" for name, _ in headers):
        return Response.of(*started[-1], b"", rest)
    try:
        content = rest.next_piece(sys.maxsize) or b""
    finally:
        rest.close()
    return Response.of(*started[-1], content)


def environ_of(scope: Message, *, length: int, host: bytes = b"") -> WSGIEnvironment:
    """Translate a request whose body has this length; `host`, if known, replaces whatever was sent."""
    name, port = scope["server"]
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode(_LATIN),
        "QUERY_STRING": scope["query_string"].decode(_LATIN),
        "SERVER_NAME": name,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name_bytes, value in scope["headers"]:
        _add_header(environ, name_bytes.decode(_LATIN), value.decode(_LATIN))
    # The body is complete: how it was announced and transferred no longer matters.
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    environ["CONTENT_LENGTH"] = str(length)
    return {**environ, "HTTP_HOST": host.decode(_LATIN)} if host else environ


def _add_header(environ: WSGIEnvironment, name: str, value: str) -> None:
    # A name with an underscore could be mistaken for another header.
    if "_" in name:
        return
    key = name.upper().replace("-", "_")
    key = key if key in _WITHOUT_PREFIX else f"HTTP_{key}"
    separator = "; " if key == "HTTP_COOKIE" else ","
    environ[key] = f"{environ[key]}{separator}{value}" if key in environ else value


def _no_writing(_: bytes) -> object:
    raise NotImplementedError("the write callable of old WSGI applications is not supported")
