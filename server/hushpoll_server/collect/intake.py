"""The short way of a single report: from the door of the server straight to the writer, past Flask and its threads.

Flask and a thread cost several times what the rest of a report costs. Only the ordinary case goes this way: one plain
report that is accepted or a duplicate. Everything else, every problem included, is left to Flask with the same bytes,
which finds the same and has the words for it; so there is one place that answers problems. All the checking is the
service's, whichever way a report comes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus

from hushpoll_server.collect.batch import Stored
from hushpoll_server.collect.origins import ALLOW_ORIGIN, READABLE, VARY, Origins
from hushpoll_server.collect.service import CollectService
from hushpoll_server.front import Answer
from hushpoll_server.watch.metrics import Metrics
from hushpoll_shared import strict_json
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.report import LARGEST_REPORT

# What Flask calls the way that this one is short for.
ROUTE = "collect.reports"

STATUS_OF = {Stored.ACCEPTED: HTTPStatus.CREATED, Stored.DUPLICATE: HTTPStatus.OK}

_ALLOW_ORIGIN = ALLOW_ORIGIN.lower().encode()
_READABLE = [(name.lower().encode(), value.encode()) for name, value in READABLE.items()]
_PATH = re.compile(rb"/api/v1/surveys/([a-z0-9-]+)/reports")


class Intake:
    """What stands before Flask for plain reports."""

    def __init__(self, collect: CollectService, origins: Origins, headers: Mapping[str, str], metrics: Metrics) -> None:
        """Take reports for this service from these origins; every answer carries these headers."""
        self._collect, self._origins, self._metrics = collect, origins, metrics
        self._answers = {stored: _prepare(stored, headers) for stored in Stored}

    async def answer(self, method: str, path: bytes, headers: Mapping[bytes, bytes], body: bytes) -> Answer | None:
        """Store a plain report and answer; give nothing if it is anything else."""
        found = _PATH.fullmatch(path)
        if found is None or not _is_plain(method, headers, body):
            return None
        survey, origin = found[1].decode(), headers.get(b"origin")
        if origin is not None and not self._allows(origin, headers, survey):
            return None
        try:
            verdict = await self._collect.take_soon(survey, body)
        except ProblemError:
            return None
        if not isinstance(verdict, Stored):
            return None
        self._metrics.answered(ROUTE, STATUS_OF[verdict])
        answer = self._answers[verdict]
        return answer if origin is None else _readable_by(origin, answer)

    def _allows(self, origin: bytes, headers: Mapping[bytes, bytes], survey: str) -> bool:
        named, host = self._collect.origins_soon(survey), headers.get(b"host", b"")
        return self._origins.allows(origin.decode("latin-1"), host.decode("latin-1"), named)


def _readable_by(origin: bytes, answer: Answer) -> Answer:
    return Answer(answer.status, [*answer.headers, *_READABLE, (_ALLOW_ORIGIN, origin)], answer.body)


def _is_plain(method: str, headers: Mapping[bytes, bytes], body: bytes) -> bool:
    return (
        method == "POST"
        and headers.get(b"content-type") == b"application/json"
        and b"content-encoding" not in headers
        and len(body) <= LARGEST_REPORT
    )


def _prepare(stored: Stored, fixed: Mapping[str, str]) -> Answer:
    body = strict_json.dumps({"status": stored.value}) + b"\n"
    own = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    return Answer.of(str(STATUS_OF[stored].value), list({**own, **fixed, **VARY}.items()), body)
