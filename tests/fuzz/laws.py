"""The rules for every response, whatever was asked: no error of the server, and nothing of what was sent."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_to_bytes

from tests.fuzz.bodies import CANARY
from tests.fuzz.requests import Request

from hushpoll_shared import problems, strict_json

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

PROBLEMS = {problem.type: problem.to_json() for problem in problems.ALL}
ID = re.compile(rb'"id": ?"([0-9a-f]{32})"')
GOOD = {200, 201, 204, 206, 302, 303, 304, 308}


class Response(NamedTuple):
    """A response as it came; names of headers in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Tally:
    """What was tried and what came of it."""

    kinds: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    accepted: int = 0
    # The ids of single reports that were accepted, as far as they can be read without unpacking.
    acknowledged: set[str] = field(default_factory=set)
    hangs: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, request: Request, response: Response) -> None:
        """Count a response, and record what is wrong with it."""
        self.kinds[request.kind] += 1
        self.statuses[response.status] += 1
        self.accepted += _accepted(response)
        if response.status == 201 and (found := ID.search(request.body)):
            self.acknowledged.add(found[1].decode())
        if what := wrong(request, response):
            self.wrong.append(f"{what}: {response.status} to {bytes(request)[:600]!r}")

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.kinds + other.kinds,
            self.statuses + other.statuses,
            self.accepted + other.accepted,
            self.acknowledged | other.acknowledged,
            self.hangs + other.hangs,
            self.wrong + other.wrong,
        )

    @property
    def number(self) -> int:
        """Return how many inputs were tried."""
        return self.kinds.total()


def wrong(request: Request, response: Response) -> str:
    """Return the rule that a response breaks; nothing if none."""
    if response.status >= 500 and not (response.status == 503 and "retry-after" in response.headers):
        return "an error of the server"
    # A request under another name of the server is sent to the same path under its own, without a body.
    if response.status == HTTPStatus.PERMANENT_REDIRECT and not response.body:
        return ""
    if _echoes(response):
        return "an echo of what was sent"
    if response.status < 400:
        return "" if response.status in GOOD and _is_strict(response) else "an odd status or body"
    media_type = response.headers.get("content-type", "")
    is_page = media_type.startswith("text/html") and not unquote_to_bytes(request.target).startswith(b"/api/")
    if is_page:
        return ""
    if media_type != "application/problem+json":
        return "a problem of another type"
    if request.method == "HEAD":
        return ""
    said = json.loads(response.body)
    known = PROBLEMS.get(said["type"])
    return "" if said == known and said["status"] == response.status else "a problem that is not on the list"


def _is_strict(response: Response) -> bool:
    """Return whether a JSON body can be read by every parser: NaN is not JSON."""
    if response.headers.get("content-type") != "application/json" or not response.body:
        return True
    try:
        strict_json.loads_with_fractions(response.body)
    except strict_json.StrictJSONError:
        return False
    return True


def _echoes(response: Response) -> bool:
    # The page that asks a researcher to sign in leads back to the address that was asked for.
    if response.status == 401 and response.headers["content-type"].startswith("text/html"):
        return False
    packed = response.headers.get("content-encoding") == "gzip" and response.body
    body = gzip.decompress(response.body) if packed else response.body
    said = " ".join([*response.headers, *response.headers.values()])
    return CANARY.encode() in body.lower() or CANARY in said.lower()


def _accepted(response: Response) -> int:
    if response.status == 201:
        return 1
    if response.status == 200 and response.body.startswith(b'{"accepted"'):
        return int(json.loads(response.body)["accepted"])
    return 0


def ask(app: WSGIApplication, request: Request) -> Response:
    """Ask an application in this process, as its server would."""
    path, _, query = request.target.partition("?")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_LENGTH": str(len(request.body)),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(request.body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in request.headers:
        key = name.upper().replace("-", "_")
        environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
    started: list[Any] = []

    def start_response(*arguments: Any) -> Any:
        started[:] = arguments

    parts = app(environ, start_response)
    try:
        body = b"".join(parts)
    finally:
        getattr(parts, "close", lambda: None)()
    return Response(int(started[0][:3]), {name.lower(): value for name, value in started[1]}, body)
