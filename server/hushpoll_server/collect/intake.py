"""The short way for a single report: from the ASGI application straight to the writer, without Flask and its threads.

Flask and a thread cost several times as much as everything else that a report needs. Only the ordinary case goes this
way: one plain report that is accepted or a duplicate. Everything else, including every problem, is left to Flask with
the same bytes, which comes to the same result and makes the response; so problems are handled in one place. Either way,
the service does all the checking.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus

from hushpoll_server.collect.batch import Stored
from hushpoll_server.collect.service import CollectService
from hushpoll_server.watch.metrics import Metrics
from hushpoll_server.web.origins import ALLOW_ORIGIN, READABLE, VARY, Origins
from hushpoll_server.web.wsgi import Response
from hushpoll_shared import strict_json
from hushpoll_shared.checks import NAME
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.report import LARGEST_REPORT

# The Flask endpoint that this way bypasses.
ROUTE = "collect.reports"

STATUS_OF = {Stored.ACCEPTED: HTTPStatus.CREATED, Stored.DUPLICATE: HTTPStatus.OK}

_ALLOW_ORIGIN = ALLOW_ORIGIN.lower().encode()
_READABLE = [(name.lower().encode(), value.encode()) for name, value in READABLE.items()]
_PATH = re.compile(rf"/api/v1/surveys/({NAME})/reports".encode(), re.ASCII)


class Intake:
    """The handler of plain reports in front of Flask."""

    def __init__(self, collect: CollectService, origins: Origins, headers: Mapping[str, str], metrics: Metrics) -> None:
        """Accept reports for this service from these origins; every response carries these headers."""
        self._collect, self._origins, self._metrics = collect, origins, metrics
        self._responses = {stored: _prepare(stored, headers) for stored in Stored}

    async def handle(self, method: str, path: bytes, headers: Mapping[bytes, bytes], body: bytes) -> Response | None:
        """Store a plain report and return the response; return None for any other request."""
        match = _PATH.fullmatch(path)
        if match is None or not _is_plain(method, headers, body):
            return None
        survey, origin = match[1].decode(), headers.get(b"origin")
        if origin is not None and not self._allows(origin, headers, survey):
            return None
        try:
            verdict = await self._collect.take_soon(survey, body)
        except ProblemError:
            return None
        if not isinstance(verdict, Stored):
            return None
        self._metrics.responded(ROUTE, STATUS_OF[verdict])
        response = self._responses[verdict]
        return response if origin is None else _readable_by(origin, response)

    def _allows(self, origin: bytes, headers: Mapping[bytes, bytes], survey: str) -> bool:
        named, host = self._collect.origins_soon(survey), headers.get(b"host", b"")
        return self._origins.allows(origin.decode("latin-1"), host.decode("latin-1"), named)


def _readable_by(origin: bytes, response: Response) -> Response:
    return Response(response.status, [*response.headers, *_READABLE, (_ALLOW_ORIGIN, origin)], response.body)


def _is_plain(method: str, headers: Mapping[bytes, bytes], body: bytes) -> bool:
    return (
        method == "POST"
        and headers.get(b"content-type") == b"application/json"
        and b"content-encoding" not in headers
        and len(body) <= LARGEST_REPORT
    )


def _prepare(stored: Stored, fixed: Mapping[str, str]) -> Response:
    body = strict_json.dumps({"status": stored.value}) + b"\n"
    own = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    return Response.of(str(STATUS_OF[stored].value), list({**own, **fixed, **VARY}.items()), body)
