"""What a server's answer to a report means for the device.

The law here: a report leaves the queue only when the server says so in its own words. Whatever else comes back (a
gateway's page, a redirect, half an answer) means "not yet", and the same bytes are sent again later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hushpoll_shared import problems, strict_json
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.problems import Problem

from hushpoll_client.state import Status
from hushpoll_client.transport import Response

# A server cannot silence a device for longer than a day.
LONGEST_WAIT = 24 * 60 * 60
_TAKEN: dict[tuple[int, str], Status] = {(201, "accepted"): "accepted", (200, "duplicate"): "duplicate"}
# Request Timeout, Too Early, Too Many Requests: the report itself is not at fault.
_NOT_YET = frozenset({408, 425, 429})


@dataclass(frozen=True)
class Verdict:
    """What became of a report, and how many seconds to leave the server alone."""

    status: Status
    problem: str | None
    wait: int


def judge(response: Response) -> Verdict:
    """Tell what the answer to a report means."""
    problem = _problem(response)
    return Verdict(_status(response), problem and problem.type, _wait(response))


def read_refusal(response: Response) -> Problem | None:
    """Give the problem for which the server refuses for good, if it does."""
    if not 400 <= response.status < 500 or response.status in _NOT_YET:
        return None
    problem = _problem(response)
    return None if problem is problems.NOT_OPEN else problem


def _status(response: Response) -> Status:
    if taken := _TAKEN.get((response.status, str(_fields(response).get("status")))):
        return taken
    return "rejected" if read_refusal(response) else "queued"


def _problem(response: Response) -> Problem | None:
    # Only a known type, never the server's own words: nothing that it writes reaches a log through us.
    return problems.BY_TYPE.get(str(_fields(response).get("type")))


def _fields(response: Response) -> dict[str, Any]:
    try:
        fields = strict_json.loads(response.body)
    except InvalidValue:
        return {}
    return fields if isinstance(fields, dict) else {}


def _wait(response: Response) -> int:
    text = response.headers.get("retry-after", "").strip()
    # Seconds only. A date would be read by the device's clock, which may be wrong by years.
    return min(int(text), LONGEST_WAIT) if text.isascii() and text.isdigit() and len(text) < 10 else 0
