"""The entrance to the server: read a whole request before a thread is used for it, and send the response.

A thread that waits for a slow body serves nobody, and threads are limited. So bodies are gathered here, without
threads, within a time and a size; then the request is handled by the short way if there is one for it, and otherwise by
the application, which is plain WSGI and gets the whole body at once. The rule here: however many connections stall, an
honest client is served, and memory is bounded. A client's address stays here: the application never learns it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from hushpoll_server.web.deadlines import Deadlines
from hushpoll_server.web.hosts import OwnHost
from hushpoll_server.web.outgoing import LargeResponses, send_body
from hushpoll_server.web.pools import Pools
from hushpoll_server.web.streaming import Receive, Send, send_rest
from hushpoll_server.web.wsgi import Message, Rest, call, environ_of, refusal_of
from hushpoll_server.web.wsgi import Response as Response
from hushpoll_shared.problems import TRY_LATER
from hushpoll_shared.report import LARGEST_REPORT

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

Headers = Mapping[bytes, bytes]
T = TypeVar("T")

# A length with more digits is larger than any body, or an attack: Python parses no more than 4,300.
_MOST_LENGTH_DIGITS: Final = 15
_CLOSE = (b"connection", b"close")


@dataclass(frozen=True, kw_only=True)
class RequestLimits:
    """What a request may cost before the application sees it.

    A body must arrive within `body_seconds`; all bodies that are larger than a report share `large_body_bytes`.
    """

    body_seconds: float
    largest_body: int
    large_body_bytes: int
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
    """The body of one request while it arrives."""

    declared: int | None
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0
    reserved: int = 0
    # Whether it may be larger than a report.
    admitted: bool = False

    def is_whole(self, message: Message) -> bool:
        """Return whether this was the last message; waiting for one that says so would cost as much as the body."""
        return self.size == self.declared or not message.get("more_body", False)


class ShortWay(Protocol):
    """A handler for some requests that needs neither the application nor its threads."""

    async def handle(self, method: str, path: bytes, headers: Headers, body: bytes) -> Response | None:
        """Return the response to a request; None leaves it to the application."""


class AsgiApp:
    """An ASGI application in front of a WSGI application."""

    def __init__(
        self,
        app: WSGIApplication,
        limits: RequestLimits,
        *,
        refusal: Response,
        short_way: ShortWay | None = None,
        host: OwnHost | None = None,
        may_send_many: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """Serve this application; `refusal` is the response when there is no room.

        A body that is larger than a report is read only if `may_send_many` accepts the Authorization header.
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
        self._deadlines = Deadlines(limits.body_seconds, self._cut_short)
        self._late: set[asyncio.Task[Any]] = set()
        self._reserved_bytes = 0
        self._outgoing = LargeResponses()
        # The clients whose request is being handled: if nothing moves on their connection, it is not their fault.
        self.handling: set[tuple[str, str]] = set()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle a request."""
        headers = dict(scope["headers"])
        outcome, response = await self._receive(scope, headers, receive)
        # The rest of an unfinished body must not be read as another request.
        sent_headers = response.headers if outcome is Outcome.WHOLE else [*response.headers, _CLOSE]
        response = self._outgoing.enter(response)
        try:
            await send({"type": "http.response.start", "status": response.status, "headers": sent_headers})
            if response.rest:
                await self._send_rest(scope, response.rest, receive, send)
            else:
                await send_body(response.body, send)
        finally:
            self._outgoing.leave(response)
            if response.rest:
                await self._run_more(scope, response.rest, response.rest.close)

    async def _send_rest(self, scope: Message, rest: Rest, receive: Receive, send: Send) -> None:
        """Send what is made meanwhile; a page for which researchers wait is one of their calls until its end."""
        with self._pools.researchers.call() if rest.is_gradual else nullcontext():
            await send_rest(rest, receive, send, partial(self._run_more, scope, rest))

    async def _run_more(self, scope: Message, rest: Rest, work: Callable[[], T]) -> T:
        """Run work for a response that was begun; nothing can move on its connection meanwhile."""
        pool = self._pools.gradual if rest.is_gradual else self._pools.streams
        with self._handling_client(scope):
            return await pool.run(work)

    async def _receive(self, scope: Message, headers: Headers, receive: Receive) -> tuple[Outcome, Response]:
        if self._host and (response := self._host.answer_foreign(scope, headers.get(b"host", b""))):
            return Outcome.UNREAD, response
        body = Body(_declared_length(headers))
        try:
            outcome = _outcome_of(headers, body, self._limits) or await self._gather_in_time(headers, body, receive)
            return outcome, await self._respond(scope, headers, body, outcome)
        finally:
            self._reserved_bytes -= body.reserved

    async def _gather_in_time(self, headers: Headers, body: Body, receive: Receive) -> Outcome:
        task = asyncio.current_task()
        assert task is not None
        self._deadlines.begin(task)
        try:
            return await self._gather(headers, body, receive)
        except asyncio.CancelledError:
            if task not in self._late:
                raise
            self._late.discard(task)
            task.uncancel()
            return Outcome.CUT_SHORT
        finally:
            self._deadlines.end(task)

    def _cut_short(self, task: asyncio.Task[Any]) -> None:
        self._late.add(task)
        task.cancel()

    async def _gather(self, headers: Headers, body: Body, receive: Receive) -> Outcome:
        if (body.declared or 0) > LARGEST_REPORT and not await self._admits(headers, body):
            return Outcome.TOO_LARGE
        while True:
            message = await receive()
            # granian also sends this for malformed chunks: then the client still waits for a response.
            if message["type"] == "http.disconnect":
                return Outcome.CUT_SHORT
            chunk = message.get("body", b"")
            if body.size + len(chunk) > LARGEST_REPORT and not await self._admits(headers, body):
                body.size += len(chunk)
                return Outcome.TOO_LARGE
            outcome = self._append(body, chunk)
            if outcome is not Outcome.WHOLE or body.is_whole(message):
                return outcome

    async def _admits(self, headers: Headers, body: Body) -> bool:
        """Return whether a body may be larger than a report, asked once; if not, the application words the refusal."""
        if not body.admitted:
            token = headers.get(b"authorization", b"").decode("latin-1")
            body.admitted = await self._pools.waiting.run(partial(self._may_send_many, token))
        return body.admitted

    def _append(self, body: Body, chunk: bytes) -> Outcome:
        body.size += len(chunk)
        if body.size > self._limits.largest_body:
            return Outcome.TOO_LARGE
        if body.size > LARGEST_REPORT:
            if self._reserved_bytes + len(chunk) > self._limits.large_body_bytes:
                return Outcome.NO_ROOM
            self._reserved_bytes += len(chunk)
            body.reserved += len(chunk)
        body.chunks.append(chunk)
        return Outcome.WHOLE

    async def _respond(self, scope: Message, headers: Headers, body: Body, outcome: Outcome) -> Response:
        if outcome is Outcome.NO_ROOM:
            return self._refusal
        with self._handling_client(scope):
            return await self._handle(scope, headers, body, outcome)

    @contextmanager
    def _handling_client(self, scope: Message) -> Iterator[None]:
        host, port = scope["client"]
        # granian gives the port as a text, the ASGI standard as a number.
        client = host, str(port)
        self.handling.add(client)
        try:
            yield
        finally:
            self.handling.discard(client)

    async def _handle(self, scope: Message, headers: Headers, body: Body, outcome: Outcome) -> Response:
        content = b"".join(body.chunks)
        if outcome is Outcome.WHOLE and self._short_way:
            response = await self._short_way.handle(scope["method"], scope["raw_path"], headers, content)
            if response is not None:
                return response
        environ = environ_of(scope, length=_shown_length(body, outcome), host=self._host.name if self._host else b"")
        pool = self._pools.of(environ["PATH_INFO"])
        return self._refusal if pool.is_full else await pool.run(partial(call, self._app, environ, content))


def try_later(headers: dict[str, str], *, seconds: int) -> Response:
    """Return the response of a server that has no room for a request."""
    return refusal_of(TRY_LATER, {**headers, "Retry-After": str(seconds)})


def _outcome_of(headers: Headers, body: Body, limits: RequestLimits) -> Outcome | None:
    """Return the outcome of a body that is already known before any of it is read; None if it is not known yet."""
    if body.declared is None and b"transfer-encoding" not in headers:
        return Outcome.WHOLE
    return Outcome.TOO_LARGE if (body.declared or 0) > limits.largest_body else None


def _declared_length(headers: Headers) -> int | None:
    text = headers.get(b"content-length", b"")
    if not text.isdigit():
        return None
    return int(text) if len(text) <= _MOST_LENGTH_DIGITS else 10**_MOST_LENGTH_DIGITS


def _shown_length(body: Body, outcome: Outcome) -> int:
    """Return the Content-Length for the application: one that does not match makes it refuse an unfinished body."""
    if outcome is Outcome.WHOLE:
        return body.size
    return max(body.declared or 0, body.size + 1)
