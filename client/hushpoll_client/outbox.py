"""Reports on their way to one server: sent, and sent again.

The rules here: every try sends the stored bytes; if a server asks for time, all reports to that publisher wait, not
only the one that it refused; nothing here sleeps unless the app asks for it; reports are not sent together, because
that would link them to one device.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from hushpoll_client.backoff import LONGEST_DELAY, Retry, later, left, randomized_wait
from hushpoll_client.errors import ServerUnreachable
from hushpoll_client.replies import Verdict
from hushpoll_client.state import Entry, State, Status
from hushpoll_shared.randomness import ByteSource, SecureBytes, uniform


@dataclass(frozen=True)
class Receipt:
    """What became of a report so far.

    `accepted` or `duplicate`: the server has it. `queued`: it is kept here, call `flush` later; if the server asked for
    time, or other reports are queued too, it is not sent within the next `retry_after` seconds. `rejected`: the server
    will not accept it, and `problem` is the type of the reason; it is not drawn again.
    """

    status: Status
    survey: str
    id: str
    problem: str | None = None
    retry_after: int | None = None


@dataclass(frozen=True)
class Outbox:
    """The reports of a device that are still to be sent to one server, for the surveys of one publisher."""

    key: str
    state: State
    post: Callable[[Entry, int], Verdict]
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    retry: Retry
    source: ByteSource = field(default_factory=SecureBytes)

    def submit(self, entry: Entry) -> Receipt:
        """Send an entry unless it was sent already or must wait; if no attempt gets through, it stays queued."""
        receipt = self._try(entry, 1)
        for attempt, pause in enumerate(self.retry.pauses_between_attempts(), start=2):
            if receipt.status != "queued" or receipt.retry_after:
                break
            self.sleep(pause)
            receipt = self._try(entry, attempt)
        return receipt

    def flush(self, wait_seconds: float, *, send_together: bool) -> list[Receipt]:
        """Send what is queued, one report at a time; try again as long as the pauses fit into `wait_seconds`."""
        queued = self.state.queued(self.key)
        for attempt, pause in enumerate(self.retry.pauses(), start=1):
            self._send_all(attempt) if send_together else self._send_one(attempt)
            pause = self._server_wait() or (0 if send_together else self._next_turn()) or pause
            if pause > wait_seconds or not self.state.queued(self.key):
                break
            wait_seconds -= pause
            self.sleep(pause)
        return [self.receipt(self.state.find(self.key, entry.survey) or entry) for entry in queued]

    def receipt(self, entry: Entry) -> Receipt:
        """Return the receipt of an entry."""
        wait = math.ceil(max(self._server_wait(), self._turn(entry))) if entry.status == "queued" else 0
        return Receipt(entry.status, entry.survey, entry.report, entry.problem, wait or None)

    def _try(self, entry: Entry, attempt: int) -> Receipt:
        try:
            return self._send(entry, attempt)
        except ServerUnreachable:
            return self.receipt(entry)

    def _send_one(self, attempt: int) -> None:
        """Send one of the reports whose turn it is, drawn at random; the others wait for theirs."""
        ready = [entry for entry in self.state.queued(self.key) if not self._turn(entry)]
        if ready:
            self._try(ready[uniform(self.source, len(ready))], attempt)

    def _send_all(self, attempt: int) -> None:
        for entry in self.state.queued(self.key):
            try:
                self._send(entry, attempt, alone=False)
            except ServerUnreachable:
                # One timeout for an unreachable server is enough.
                return

    def _send(self, entry: Entry, attempt: int, *, alone: bool = True) -> Receipt:
        if entry.body is None or self._server_wait():
            return self.receipt(entry)
        if alone:
            self._postpone_others(entry)
        verdict = self.post(entry, attempt)
        not_before = self.clock() + randomized_wait(verdict.wait) if verdict.wait else 0.0
        return self.receipt(
            self.state.settle(entry, status=verdict.status, problem=verdict.problem, not_before=not_before)
        )

    def _postpone_others(self, sent: Entry) -> None:
        """Schedule every other report that could be sent now for a time of its own."""
        for entry in self.state.queued(self.key):
            if entry.report != sent.report and not self._turn(entry):
                self.state.postpone(entry, due=self.clock() + later(self.source))

    def _server_wait(self) -> float:
        """Return the seconds that the server still asks to wait, whichever report it refused."""
        now = self.clock()
        return max((left(entry.not_before, now) for entry in self.state.queued(self.key)), default=0.0)

    def _turn(self, entry: Entry) -> float:
        """Return the seconds until it is a report's own time to be sent."""
        return left(entry.due, self.clock(), longest=LONGEST_DELAY)

    def _next_turn(self) -> float:
        return min((self._turn(entry) for entry in self.state.queued(self.key)), default=0.0)
