"""Requests to one server: the manifest of a survey, and a report to it.

The rule here: what a server says in its own words reaches no message. A refusal carries the status and, if it is from
the closed list, the type of the problem.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

from hushpoll_client.backoff import asked_for
from hushpoll_client.errors import ServerRefused, ServerUnreachable
from hushpoll_client.events import Event, EventName, OnEvent
from hushpoll_client.replies import Verdict, is_refusal, judge, problem_of
from hushpoll_client.state import Entry, Status
from hushpoll_client.transport import Response, Transport
from hushpoll_shared.errors import InvalidValue

LARGEST_MANIFEST = 6_000_000
LARGEST_REPLY = 64 * 1024
_JSON = {"Content-Type": "application/json", "Accept": "application/json"}
_EVENTS: Mapping[Status, EventName] = {
    "accepted": "sent",
    "duplicate": "sent",
    "queued": "failed",
    "rejected": "refused",
}


@dataclass
class Server:
    """A server's address, how requests get there, and who is told about them."""

    url: str
    transport: Transport
    timeout: float
    on_event: OnEvent

    def __post_init__(self) -> None:
        """Refuse a timeout that is none."""
        if not 0 < self.timeout < math.inf:
            raise InvalidValue("timeout must be a number of seconds above 0")

    def fetch(self, name: str, attempt: int) -> bytes:
        """Return the envelope of a survey, not yet verified."""
        start = time.monotonic()
        try:
            envelope = self._fetch(name)
        except ServerUnreachable:
            self.on_event(Event("failed", name, attempt=attempt, seconds=time.monotonic() - start))
            raise
        except ServerRefused as error:
            seconds = time.monotonic() - start
            self.on_event(Event("refused", name, problem=error.problem, attempt=attempt, seconds=seconds))
            raise
        self.on_event(Event("fetched", name, attempt=attempt, seconds=time.monotonic() - start))
        return envelope

    def post(self, entry: Entry, attempt: int) -> Verdict:
        """Send the stored bytes of a report once; return what the reply means."""
        start = time.monotonic()
        try:
            verdict = judge(self.request("POST", f"{entry.survey}/reports", _JSON, entry.body, LARGEST_REPLY))
        except ServerUnreachable:
            self.on_event(Event("failed", entry.survey, "queued", None, attempt, time.monotonic() - start))
            raise
        name, seconds = _EVENTS[verdict.status], time.monotonic() - start
        self.on_event(Event(name, entry.survey, verdict.status, verdict.problem, attempt, seconds))
        return verdict

    def _fetch(self, name: str) -> bytes:
        response = self.request("GET", f"{name}/manifest", {"Accept": "application/json"}, None, LARGEST_MANIFEST)
        if response.status == 200:
            return response.body
        status, refusal = response.status, f"the server does not provide survey {name} (status {response.status})"
        if is_refusal(response):
            message = f"{refusal}: check the survey's name and the server's address"
            raise ServerRefused(message, survey=name, status=status, problem=problem_of(response))
        wait = asked_for(response.headers) or None
        raise ServerUnreachable(f"{refusal}: try again later", status=status, retry_after=wait)

    def request(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None, largest: int) -> Response:
        """Send a request about a survey once; return the reply, whatever its status."""
        url = f"{self.url}/api/v1/surveys/{path}"
        return self.transport.send(method, url, headers=headers, body=body, timeout=self.timeout, largest=largest)
