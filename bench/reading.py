"""What a researcher waits for: the estimates over the API and the dashboard page, one request after the other."""

from __future__ import annotations

import http.client
import json
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
_SECONDS = 60.0


@dataclass(frozen=True)
class Reader:
    """A researcher with a token and a session."""

    server: Running
    token: str
    cookie: str

    def estimates(self, *, seconds: int) -> Outcome:
        """Ask for the estimates again and again."""
        return self._read(ESTIMATES_PATH, self.token, seconds)

    def page(self, *, seconds: int) -> Outcome:
        """Ask for the dashboard again and again."""
        return self._read(PAGE_PATH, self.cookie, seconds)

    def number_of_reports(self) -> int:
        """Ask how many reports are counted."""
        _, body = _ask(self.server.port, ESTIMATES_PATH, self.token)
        [first, *_] = json.loads(body)["questions"].values()
        return int(first["n"])

    def fill_up_to(self, stored: int) -> None:
        """Send the reports that are missing, in batches; all that were sent must be counted, once."""
        self.server.fill(stored - self.number_of_reports())
        found = self.number_of_reports()
        if not stored <= found < stored + BATCH:
            raise BenchError(f"{stored:,} reports should be counted, but {found:,} are")

    def _read(self, path: str, header: str, seconds: int) -> Outcome:
        return send(self.server.port, path, expected="200", header=header, connections=1, seconds=seconds)


def sign_in(server: Running) -> Reader:
    """Add a researcher, press the button of the one-time link, make a token."""
    environment = server.instance.environment
    added = output_of([*HUSHPOLL, "researcher", "add", _RESEARCHER, "--json"], environment=environment)
    made = output_of([*HUSHPOLL, "researcher", "token", _RESEARCHER, "--json"], environment=environment)
    cookie, _ = _ask(server.port, urlsplit(json_of(added)["link"]).path, method="POST")
    reader = Reader(server, f"Authorization: Bearer {json_of(made)['token']}", f"Cookie: {cookie.partition(';')[0]}")
    # What is loaded for the first page only is no cost of a page.
    _ask(server.port, PAGE_PATH, reader.cookie)
    return reader


def _ask(port: int, path: str, header: str = "", *, method: str = "GET") -> tuple[str, bytes]:
    """Give the cookie and the body of an answer."""
    connection = http.client.HTTPConnection(HOST, port, timeout=_SECONDS)
    name, _, value = header.partition(": ")
    try:
        connection.request(method, path, headers={name: value} if header else {})
        answer = connection.getresponse()
        body = answer.read()
    finally:
        connection.close()
    if answer.status >= http.HTTPStatus.BAD_REQUEST:
        raise BenchError(f"the server answered {answer.status} where a page was expected")
    return answer.headers.get("Set-Cookie", ""), body
