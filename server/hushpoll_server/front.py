"""The door of the server: take in a whole request before a thread is given to it, and send its answer.

A thread that waits for a slow body serves nobody, and there are only so many. So bodies are gathered here, without
threads, within a time and a size; then whoever has a short way for such a request answers it, and else the
application, which is plain WSGI, gets the whole body at once. The law here: however many connections stall, an honest
client is served, and memory is bounded. A client's address goes no further than this: the application never learns it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from hushpoll_server.hosts import OwnHost
from hushpoll_server.leaving import LeavingAnswers, send_body
from hushpoll_server.patience import Patience
from hushpoll_server.pools import Pools
from hushpoll_server.wsgi import Answer as Answer
from hushpoll_server.wsgi import Message, call, environ_of, refusal_of
from hushpoll_shared.problems import TRY_LATER
from hushpoll_shared.report import LARGEST_REPORT

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

Headers = Mapping[bytes, bytes]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# A length with more digits is larger than any body, or is written to confuse: Python reads no more than 4,300.
_DIGITS: Final = 15
_CLOSE = (b"connection", b"close")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a request may cost before the application sees it.

    A body has so many seconds to come; all bodies that are larger than a report share so many bytes of room.
    """

    body_seconds: float
    largest_body: int
    room: int
    waiting_threads: int
    page_threads: int
    page_calls: int
    researcher_threads: int
    researcher_calls: int


class Outcome(Enum):
    """What became of a body."""

    UNREAD = "unread"
    WHOLE = "whole"
    CUT_SHORT = "cut short"
    TOO_LARGE = "too large"
    NO_ROOM = "no room"


@dataclass(slots=True)
class Body:
    """The body of one request while it comes."""

    declared: int | None
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0
    reserved: int = 0
    # Whether it may be larger than a report.
    admitted: bool = False

    def is_whole(self, message: Message) -> bool:
        """Tell whether this message was the last: asking for one that says so would cost as much as the body."""
        return self.size == self.declared or not message.get("more_body", False)


class ShortWay(Protocol):
    """Who answers some requests without the application and its threads."""

    async def answer(self, method: str, path: bytes, headers: Headers, body: bytes) -> Answer | None:
        """Answer a request; give nothing to leave it to the application."""


class Front:
    """An ASGI application in front of a WSGI application."""

    def __init__(
        self,
        app: WSGIApplication,
        limits: Limits,
        *,
        refusal: Answer,
        short_way: ShortWay | None = None,
        host: OwnHost | None = None,
        may_send_many: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """Stand before this application; the refusal is the answer when there is no room.

        A body that is larger than a report is taken in only if its Authorization header may send many.
        """
        self._app, self._limits, self._refusal, self._short_way, self._host = app, limits, refusal, short_way, host
        self._may_send_many = may_send_many
        self._pools = Pools(
            waiting=limits.waiting_threads,
            pages=limits.page_threads,
            page_calls=limits.page_calls,
            researchers=limits.researcher_threads,
            researcher_calls=limits.researcher_calls,
        )
        self._patience = Patience(limits.body_seconds, self._cut_short)
        self._late: set[asyncio.Task[Any]] = set()
        self._taken = 0
        self._leaving = LeavingAnswers()
        # The clients whose request is being answered: it is not their fault if nothing moves.
        self.answering: set[tuple[str, str]] = set()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request."""
        headers = dict(scope["headers"])
        outcome, answer = await self._hear(scope, headers, receive)
        # What may still come of an unfinished body belongs to no request.
        told = answer.headers if outcome is Outcome.WHOLE else [*answer.headers, _CLOSE]
        answer = self._leaving.enter(answer)
        try:
            await send({"type": "http.response.start", "status": answer.status, "headers": told})
            await send_body(answer.body, send)
        finally:
            self._leaving.leave(answer)

    async def _hear(self, scope: Message, headers: Headers, receive: Receive) -> tuple[Outcome, Answer]:
        if self._host and (answer := self._host.answer_foreign(scope, headers.get(b"host", b""))):
            return Outcome.UNREAD, answer
        body = Body(_declared_length(headers))
        try:
            outcome = _outcome_of(headers, body, self._limits) or await self._gather_in_time(headers, body, receive)
            return outcome, await self._answer(scope, headers, body, outcome)
        finally:
            self._taken -= body.reserved

    async def _gather_in_time(self, headers: Headers, body: Body, receive: Receive) -> Outcome:
        task = asyncio.current_task()
        assert task is not None
        self._patience.begin(task)
        try:
            return await self._gather(headers, body, receive)
        except asyncio.CancelledError:
            if task not in self._late:
                raise
            self._late.discard(task)
            task.uncancel()
            return Outcome.CUT_SHORT
        finally:
            self._patience.end(task)

    def _cut_short(self, task: asyncio.Task[Any]) -> None:
        self._late.add(task)
        task.cancel()

    async def _gather(self, headers: Headers, body: Body, receive: Receive) -> Outcome:
        if (body.declared or 0) > LARGEST_REPORT and not await self._admits(headers, body):
            return Outcome.TOO_LARGE
        while True:
            message = await receive()
            # granian says so, too, of chunks that are no HTTP: then somebody still waits for an answer.
            if message["type"] == "http.disconnect":
                return Outcome.CUT_SHORT
            chunk = message.get("body", b"")
            if body.size + len(chunk) > LARGEST_REPORT and not await self._admits(headers, body):
                body.size += len(chunk)
                return Outcome.TOO_LARGE
            outcome = self._keep(body, chunk)
            if outcome is not Outcome.WHOLE or body.is_whole(message):
                return outcome

    async def _admits(self, headers: Headers, body: Body) -> bool:
        """Ask once whether a body may be larger than a report; the application has the words if not."""
        if not body.admitted:
            token = headers.get(b"authorization", b"").decode("latin-1")
            body.admitted = await self._pools.waiting.run(partial(self._may_send_many, token))
        return body.admitted

    def _keep(self, body: Body, chunk: bytes) -> Outcome:
        body.size += len(chunk)
        if body.size > self._limits.largest_body:
            return Outcome.TOO_LARGE
        if body.size > LARGEST_REPORT:
            if self._taken + len(chunk) > self._limits.room:
                return Outcome.NO_ROOM
            self._taken += len(chunk)
            body.reserved += len(chunk)
        body.chunks.append(chunk)
        return Outcome.WHOLE

    async def _answer(self, scope: Message, headers: Headers, body: Body, outcome: Outcome) -> Answer:
        if outcome is Outcome.NO_ROOM:
            return self._refusal
        host, port = scope["client"]
        # granian writes the port as a text, the standard as a number.
        client = host, str(port)
        self.answering.add(client)
        try:
            return await self._answer_whole(scope, headers, body, outcome)
        finally:
            self.answering.discard(client)

    async def _answer_whole(self, scope: Message, headers: Headers, body: Body, outcome: Outcome) -> Answer:
        content = b"".join(body.chunks)
        if outcome is Outcome.WHOLE and self._short_way:
            answer = await self._short_way.answer(scope["method"], scope["raw_path"], headers, content)
            if answer is not None:
                return answer
        environ = environ_of(scope, length=_length_to_tell(body, outcome), host=self._host.name if self._host else b"")
        pool = self._pools.of(environ["PATH_INFO"])
        return self._refusal if pool.is_full else await pool.run(partial(call, self._app, environ, content))


def try_later(headers: dict[str, str], *, seconds: int) -> Answer:
    """Return the answer of a server that has no room for a request."""
    return refusal_of(TRY_LATER, {**headers, "Retry-After": str(seconds)})


def _outcome_of(headers: Headers, body: Body, limits: Limits) -> Outcome | None:
    """Tell what becomes of a body before any of it has come, if that is clear."""
    if body.declared is None and b"transfer-encoding" not in headers:
        return Outcome.WHOLE
    return Outcome.TOO_LARGE if (body.declared or 0) > limits.largest_body else None


def _declared_length(headers: Headers) -> int | None:
    text = headers.get(b"content-length", b"")
    if not text.isdigit():
        return None
    return int(text) if len(text) <= _DIGITS else 10**_DIGITS


def _length_to_tell(body: Body, outcome: Outcome) -> int:
    """Give the length by which the application finds out what became of the body, and has the words for it."""
    if outcome is Outcome.WHOLE:
        return body.size
    return max(body.declared or 0, body.size + 1)
