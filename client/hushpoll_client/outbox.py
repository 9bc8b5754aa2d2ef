"""Reports on their way to one server: sent, and sent again.

The laws here: every try sends the kept bytes; a server that asked for time is left alone by all reports of the
publisher, not only by the one that it refused; nothing here sleeps unless the app asks for it; reports do not go out
together, because those that do are known to be one device's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from hushpoll_client.errors import ServerUnreachable
from hushpoll_client.replies import judge
from hushpoll_client.state import Entry, State, Status
from hushpoll_client.transport import Response
from hushpoll_client.waits import SPREAD, later, left, pauses, spread
from hushpoll_shared.randomness import ByteSource, SecureBytes, uniform


@dataclass(frozen=True)
class Receipt:
    """What became of a report so far.

    `accepted` or `duplicate`: the server has it. `queued`: it is kept here, call `flush` later; if the server asked for
    time, or others waited with it, `retry_after` is the number of seconds before which it is not sent. `rejected`: the
    server will not take it, and `problem` is the type of the reason; it is not drawn again.
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
    source: ByteSource = field(default_factory=SecureBytes)

    def submit(self, entry: Entry) -> Receipt:
        """Send an entry, unless that is done or too early; a server that is away changes nothing."""
        try:
            return self._send(entry)
        except ServerUnreachable:
            return self.receipt(entry)

    def flush(self, patience: float, *, send_together: bool) -> list[Receipt]:
        """Send what is queued, one report at a time; try again as long as the pauses fit into `patience` seconds."""
        owed = self.state.queued(self.key)
        for pause in pauses():
            self._send_all() if send_together else self._send_one()
            pause = self._rest() or (0 if send_together else self._next_turn()) or pause
            if pause > patience or not self.state.queued(self.key):
                break
            patience -= pause
            self.sleep(pause)
        return [self.receipt(self.state.find(self.key, entry.survey) or entry) for entry in owed]

    def receipt(self, entry: Entry) -> Receipt:
        """Tell what became of an entry."""
        wait = math.ceil(max(self._rest(), self._turn(entry))) if entry.status == "queued" else 0
        return Receipt(entry.status, entry.survey, entry.report, entry.problem, wait or None)

    def _send_one(self) -> None:
        """Send one of the reports whose turn it is, by lot; the others wait for theirs."""
        ready = [entry for entry in self.state.queued(self.key) if not self._turn(entry)]
        if ready:
            self.submit(ready[uniform(self.source, len(ready))])

    def _send_all(self) -> None:
        for entry in self.state.queued(self.key):
            try:
                self._send(entry, alone=False)
            except ServerUnreachable:
                # One wait for a server that is away is enough.
                return

    def _send(self, entry: Entry, *, alone: bool = True) -> Receipt:
        if entry.body is None or self._rest():
            return self.receipt(entry)
        if alone:
            self._postpone_others(entry)
        verdict = judge(self.post(entry))
        not_before = self.clock() + spread(verdict.wait) if verdict.wait else 0.0
        return self.receipt(
            self.state.settle(entry, status=verdict.status, problem=verdict.problem, not_before=not_before)
        )

    def _postpone_others(self, sent: Entry) -> None:
        """Give every report that could be sent now a time of its own, but for the one that is."""
        for entry in self.state.queued(self.key):
            if entry.report != sent.report and not self._turn(entry):
                self.state.postpone(entry, due=self.clock() + later(self.source))

    def _rest(self) -> float:
        """Give the seconds for which the server still wants to be left alone, whichever report it was about."""
        now = self.clock()
        return max((left(entry.not_before, now) for entry in self.state.queued(self.key)), default=0.0)

    def _turn(self, entry: Entry) -> float:
        """Give the seconds until a report may be sent without the others."""
        return left(entry.due, self.clock(), longest=SPREAD)

    def _next_turn(self) -> float:
        return min((self._turn(entry) for entry in self.state.queued(self.key)), default=0.0)
