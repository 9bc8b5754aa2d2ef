"""Reports on their way to one server: sent, and sent again.

The laws here: every try sends the kept bytes; a server that asked for time is left alone by all reports of the
publisher, not only by the one that it refused; nothing here sleeps unless the app asks for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from hushpoll_client.errors import ServerUnreachable
from hushpoll_client.replies import judge
from hushpoll_client.state import Entry, State, Status
from hushpoll_client.transport import Response
from hushpoll_client.waits import left, pauses, spread


@dataclass(frozen=True)
class Receipt:
    """What became of a report so far.

    `accepted` or `duplicate`: the server has it. `queued`: it is kept here, call `flush` later; if the server asked for
    time, `retry_after` is the number of seconds before which nothing is sent. `rejected`: the server will not take it,
    and `problem` is the type of the reason; it is not drawn again.
    """

    status: Status
    survey: str
    id: str
    problem: str | None = None
    retry_after: int | None = None


@dataclass(frozen=True)
class Outbox:
    """What a device owes to one server for the surveys of one publisher."""

    key: str
    state: State
    post: Callable[[Entry], Response]
    clock: Callable[[], float]
    sleep: Callable[[float], None]

    def submit(self, entry: Entry) -> Receipt:
        """Send an entry, unless that is done or too early; a server that is away changes nothing."""
        try:
            return self._send(entry)
        except ServerUnreachable:
            return self.receipt(entry)

    def flush(self, patience: float) -> list[Receipt]:
        """Send all that is queued and due; try again as long as the pauses fit into `patience` seconds."""
        owed = self.state.queued(self.key)
        for pause in pauses():
            self._send_all()
            pause = self._rest() or pause
            if pause > patience or not self.state.queued(self.key):
                break
            patience -= pause
            self.sleep(pause)
        return [self.receipt(self.state.find(self.key, entry.survey) or entry) for entry in owed]

    def receipt(self, entry: Entry) -> Receipt:
        """Tell what became of an entry."""
        wait = math.ceil(self._rest()) if entry.status == "queued" else 0
        return Receipt(entry.status, entry.survey, entry.report, entry.problem, wait or None)

    def _send_all(self) -> None:
        for entry in self.state.queued(self.key):
            try:
                self._send(entry)
            except ServerUnreachable:
                # One wait for a server that is away is enough.
                return

    def _send(self, entry: Entry) -> Receipt:
        if entry.body is None or self._rest():
            return self.receipt(entry)
        verdict = judge(self.post(entry))
        not_before = self.clock() + spread(verdict.wait) if verdict.wait else 0.0
        return self.receipt(
            self.state.settle(entry, status=verdict.status, problem=verdict.problem, not_before=not_before)
        )

    def _rest(self) -> float:
        """Give the seconds for which the server still wants to be left alone, whichever report it was about."""
        now = self.clock()
        return max((left(entry.not_before, now) for entry in self.state.queued(self.key)), default=0.0)
