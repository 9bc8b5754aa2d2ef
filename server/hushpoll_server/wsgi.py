"""Requests and answers between ASGI, which the web server speaks, and WSGI, which the application speaks.

The law here: a client's address goes no further, and no header can pass for another one's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from hushpoll_shared import strict_json
from hushpoll_shared.problems import Problem

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

Message = MutableMapping[str, Any]

_LATIN = "latin-1"
_WITHOUT_PREFIX = ("CONTENT_TYPE", "CONTENT_LENGTH")


@dataclass(frozen=True)
class Answer:
    """An answer that is ready to be sent."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    @classmethod
    def of(cls, status: str, headers: list[tuple[str, str]], body: bytes) -> Answer:
        """Translate from WSGI."""
        return cls(
            int(status[:3]), [(name.lower().encode(_LATIN), text.encode(_LATIN)) for name, text in headers], body
        )


def refusal_of(problem: Problem, headers: Mapping[str, str]) -> Answer:
    """Return the answer for which neither the application nor a thread is needed."""
    body = strict_json.dumps(problem.to_json()) + b"\n"
    own = {"Content-Type": "application/problem+json", "Content-Length": str(len(body))}
    return Answer.of(str(problem.status), list({**headers, **own}.items()), body)


def call(app: WSGIApplication, environ: WSGIEnvironment, body: bytes) -> Answer:
    """Let an application answer a request."""
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], _: object = None) -> Callable[[bytes], object]:
        started.append((status, headers))
        return _no_writing

    parts = app({**environ, "wsgi.input": BytesIO(body)}, start_response)
    try:
        content = b"".join(parts)
    finally:
        if close := getattr(parts, "close", None):
            close()
    return Answer.of(*started[-1], content)


def environ_of(scope: Message, *, length: int, host: bytes = b"") -> WSGIEnvironment:
    """Translate a request whose body has this length; a host that is known stands for whatever was sent."""
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
    # What was announced, and how it came, is over.
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    environ["CONTENT_LENGTH"] = str(length)
    return {**environ, "HTTP_HOST": host.decode(_LATIN)} if host else environ


def _add_header(environ: WSGIEnvironment, name: str, value: str) -> None:
    # With an underscore a name could pass for another one's.
    if "_" in name:
        return
    key = name.upper().replace("-", "_")
    key = key if key in _WITHOUT_PREFIX else f"HTTP_{key}"
    separator = "; " if key == "HTTP_COOKIE" else ","
    environ[key] = f"{environ[key]}{separator}{value}" if key in environ else value


def _no_writing(_: bytes) -> object:
    raise NotImplementedError("the write callable of old WSGI applications is not offered")
