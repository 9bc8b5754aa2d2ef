"""What an app can log about a client's work.

The rule here: an event has no place for an answer, a draw or the id of a report. A log of them says that a device took
part, and when; it cannot be joined with the stored reports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hushpoll_client.state import Status

EventName = Literal["fetched", "queued", "sent", "failed", "refused"]


@dataclass(frozen=True)
class Event:
    """One step on the way of a survey or a report.

    `fetched`: a manifest arrived. `queued`: a report was stored and charged. `sent`: the server has it. `failed`: there
    was no usable reply; the same request can be sent again. `refused`: the server will not accept it, and `problem` is
    the type of the reason. `status` is that of the report, None for a manifest; `attempt` counts the requests of one
    call; `seconds` is what the request took.
    """

    name: EventName
    survey: str
    status: Status | None = None
    problem: str | None = None
    attempt: int = 1
    seconds: float = 0.0


OnEvent = Callable[[Event], None]


def ignore(_event: Event) -> None:
    """Do nothing: the default."""
