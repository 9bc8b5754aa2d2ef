"""What a server's reply to a report means for the device.

The rule here: a report leaves the queue only when Hushpoll's own server says so. Whatever else comes back (a proxy's
page, a redirect, half a reply) means "not yet", and the same bytes are sent again later.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from hushpoll_client.backoff import asked_for
from hushpoll_client.state import Status
from hushpoll_client.transport import Response
from hushpoll_shared import problems, strict_json
from hushpoll_shared.errors import InvalidValue

_STORED: dict[tuple[int, str], Status] = {(201, "accepted"): "accepted", (200, "duplicate"): "duplicate"}
# Request timeout, too early, too many requests: the same bytes may be accepted later.
_LATER = frozenset({408, 425, 429})
# The survey may open, and an operator may correct the server's name.
_TEMPORARY = frozenset({problems.NOT_OPEN.type, problems.WRONG_HOST.type})
_PROBLEM = re.compile(re.escape(problems.PREFIX) + "[a-z-]{1,64}", re.ASCII)


@dataclass(frozen=True)
class Verdict:
    """What became of a report, and how many seconds to wait before the next request."""

    status: Status
    problem: str | None = None
    wait: int = 0


def judge(response: Response) -> Verdict:
    """Return what the reply to a report means."""
    if status := _STORED.get((response.status, str(fields_of(response).get("status")))):
        return Verdict(status)
    problem = problem_of(response)
    # A refusal without one of our problems comes from a proxy, not from the collector.
    if is_refusal(response) and problem and problem not in _TEMPORARY:
        return Verdict("rejected", problem)
    return Verdict("queued", problem, asked_for(response.headers))


def is_refusal(response: Response) -> bool:
    """Return whether the status says that the same request would be refused again."""
    return 400 <= response.status < 500 and response.status not in _LATER


def problem_of(response: Response) -> str | None:
    """Return the type of the problem that a reply names, if it is one of Hushpoll's."""
    return known_problem(fields_of(response).get("type"))


def known_problem(problem: object) -> str | None:
    """Return the type of a problem if it is spelled as Hushpoll's are."""
    # Only the type, never the server's own text, so that nothing it sends reaches a log through us.
    return problem if isinstance(problem, str) and _PROBLEM.fullmatch(problem) else None


def fields_of(response: Response) -> dict[str, Any]:
    """Return the fields of a reply; none if it is not a JSON object."""
    try:
        fields = strict_json.loads(response.body)
    except InvalidValue:
        return {}
    return fields if isinstance(fields, dict) else {}
