"""What a researcher waits for: the estimates over the API and the dashboard page, one request after another."""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from bench import survey
from bench.instance import BATCH, Running, send
from bench.load import Outcome
from bench.processes import HOST, HUSHPOLL, json_of, output_of
from bench.results import BenchError

ESTIMATES_PATH = f"/api/v1/surveys/{survey.NAME}/estimates"
PAGE_PATH = f"/surveys/{survey.NAME}"

_RESEARCHER = "bench@example.org"
# The first look at fifty distributions takes this long where nothing is remembered.
_TIMEOUT_SECONDS = 300.0


@dataclass(frozen=True)
class Reader:
    """A researcher with a token and a session."""

    server: Running
    token: str
    cookie: str

    def estimates(self, *, seconds: int) -> Outcome:
        """Request the estimates repeatedly."""
        return self._read(ESTIMATES_PATH, self.token, seconds)

    def page(self, path: str = PAGE_PATH, *, seconds: int) -> Outcome:
        """Request a page repeatedly."""
        return self._read(path, self.cookie, seconds)

    def look(self, path: str) -> float:
        """Return how many seconds a page takes that is requested once."""
        began = time.perf_counter()
        _request(self.server.port, path, self.cookie)
        return time.perf_counter() - began

    def number_of_reports(self) -> int:
        """Return how many reports are counted."""
        _, body = _request(self.server.port, ESTIMATES_PATH, self.token)
        [first, *_] = json.loads(body)["questions"].values()
        return int(first["n"])

    def fill_up_to(self, stored: int) -> None:
        """Send the missing reports in batches; each that was sent must be counted, once."""
        self.server.fill(stored - self.number_of_reports())
        counted = self.number_of_reports()
        if not stored <= counted < stored + BATCH:
            raise BenchError(f"{stored:,} reports should be counted, but {counted:,} are")

    def _read(self, path: str, header: str, seconds: int) -> Outcome:
        return send(self.server.port, path, expected="200", header=header, connections=1, seconds=seconds)


def sign_in(server: Running) -> Reader:
    """Add a researcher, press the button of the one-time link, make a token."""
    environment = server.instance.environment
    added = output_of([*HUSHPOLL, "researcher", "add", _RESEARCHER, "--json"], environment=environment)
    made = output_of([*HUSHPOLL, "researcher", "token", _RESEARCHER, "--json"], environment=environment)
    cookie, _ = _request(server.port, urlsplit(json_of(added)["link"]).path, method="POST")
    reader = Reader(server, f"Authorization: Bearer {json_of(made)['token']}", f"Cookie: {cookie.partition(';')[0]}")
    # Loading modules for the first page is not part of the cost of a page.
    _request(server.port, PAGE_PATH, reader.cookie)
    return reader


def _request(port: int, path: str, header: str = "", *, method: str = "GET") -> tuple[str, bytes]:
    """Return the cookie and the body of a response."""
    connection = http.client.HTTPConnection(HOST, port, timeout=_TIMEOUT_SECONDS)
    name, _, value = header.partition(": ")
    try:
        connection.request(method, path, headers={name: value} if header else {})
        response = connection.getresponse()
        body = response.read()
    finally:
        connection.close()
    if response.status >= http.HTTPStatus.BAD_REQUEST:
        raise BenchError(f"the server sent {response.status} where a page was expected")
    return response.headers.get("Set-Cookie", ""), body
