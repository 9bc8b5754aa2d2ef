"""The short way of a single report: from the web server straight to the service, past Flask.

Flask costs several times what the rest of a report costs. Only the ordinary case goes this way: one plain report that
is accepted or a duplicate. Everything else, every problem included, is handed to Flask with the same bytes, which
finds the same and has the words for it; so there is one place that answers problems.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from io import BytesIO
from typing import TYPE_CHECKING

from hushpoll_server.collect.batch import Stored
from hushpoll_server.collect.service import CollectService
from hushpoll_server.watch.metrics import Metrics
from hushpoll_shared import strict_json
from hushpoll_shared.report import LARGEST_REPORT

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# What Flask calls the way that this one is short for.
ROUTE = "collect.reports"

STATUS_OF = {Stored.ACCEPTED: HTTPStatus.CREATED, Stored.DUPLICATE: HTTPStatus.OK}

_PATH = re.compile(r"/api/v1/surveys/([^/]+)/reports", re.ASCII)
_LENGTH = re.compile(r"[1-9]\d{0,5}", re.ASCII)


class Intake:
    """A WSGI application in front of another."""

    def __init__(
        self, behind: WSGIApplication, collect: CollectService, headers: Mapping[str, str], metrics: Metrics
    ) -> None:
        """Take plain reports; leave the rest to the application behind."""
        self._behind, self._collect, self._metrics = behind, collect, metrics
        self._answers = {stored: _prepare(stored, headers) for stored in Stored}

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        path = _PATH.fullmatch(environ["PATH_INFO"])
        length = _plain_length(environ)
        if path is None or length is None:
            return self._behind(environ, start_response)
        body = environ["wsgi.input"].read(length)
        stored = self._take(path[1], body) if len(body) == length else None
        if stored is None:
            return self._behind({**environ, "wsgi.input": BytesIO(body)}, start_response)
        status, headers, answer = self._answers[stored]
        start_response(status, list(headers))
        self._metrics.answered(ROUTE, STATUS_OF[stored])
        return [answer]

    def _take(self, survey: str, body: bytes) -> Stored | None:
        try:
            [verdict] = self._collect.take(survey, [body])
        except Exception:  # noqa: BLE001 (Flask meets the same and answers it)
            return None
        return verdict if isinstance(verdict, Stored) else None


def _plain_length(environ: WSGIEnvironment) -> int | None:
    """Give the length of what looks like one plain report; none if it may be anything else."""
    if environ["REQUEST_METHOD"] != "POST" or environ.get("CONTENT_TYPE") != "application/json":
        return None
    if "HTTP_CONTENT_ENCODING" in environ or "HTTP_TRANSFER_ENCODING" in environ:
        return None
    length = environ.get("CONTENT_LENGTH") or ""
    return int(length) if _LENGTH.fullmatch(length) and int(length) <= LARGEST_REPORT else None


def _prepare(stored: Stored, fixed: Mapping[str, str]) -> tuple[str, list[tuple[str, str]], bytes]:
    body = strict_json.dumps({"status": stored.value}) + b"\n"
    status = STATUS_OF[stored]
    own = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    return f"{status.value} {status.phrase.upper()}", list({**own, **fixed}.items()), body
