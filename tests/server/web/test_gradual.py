"""Responses whose parts come one by one: each leaves at once, and nobody goes on for a client that is gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tests.server.web.asgi_calls import scope_of
from tests.server.web.loops import run
from tests.server.web.test_asgi import LIMITS

from hushpoll_server.web.asgi import AsgiApp, try_later
from hushpoll_server.web.wsgi import GRADUAL

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

SECONDS = 20.0


class Parts:
    """A body that goes on when the test says so."""

    def __init__(self) -> None:
        self.may_go_on, self.closed = threading.Semaphore(0), 0

    def __iter__(self) -> Iterator[bytes]:
        for part in (b"one", b"", b"two", b"three"):
            yield part
            assert self.may_go_on.acquire(timeout=SECONDS)

    def close(self) -> None:
        self.closed += 1


class Gradual:
    """A WSGI application with such a body."""

    def __init__(self) -> None:
        self.parts = Parts()

    def __call__(self, _: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK", [GRADUAL])
        return self.parts


class Client:
    """The other side of a connection: it takes messages, and may go."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.came, self.leaves = asyncio.Event(), asyncio.Event()
        self.has_asked = False

    async def receive(self) -> dict[str, Any]:
        if not self.has_asked:
            self.has_asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        self.messages.append(message)
        self.came.set()

    async def until(self, parts: int) -> list[bytes]:
        """Return the parts that came, once there are so many."""
        while len(self.messages) <= parts:
            self.came.clear()
            await asyncio.wait_for(self.came.wait(), SECONDS)
        return [message["body"] for message in self.messages[1:]]


def asgi_app_of(app: Gradual) -> AsgiApp:
    return AsgiApp(app, LIMITS, refusal=try_later({}, seconds=5))


def test_a_part_leaves_before_the_next_one_is_made_and_the_last_message_ends_the_body() -> None:
    async def story() -> None:
        app, client = Gradual(), Client()
        call = asyncio.create_task(asgi_app_of(app)(scope_of(), client.receive, client.send))
        assert await client.until(1) == [b"one"]
        app.parts.may_go_on.release(2)
        assert await client.until(2) == [b"one", b"two"]
        app.parts.may_go_on.release(2)
        await asyncio.wait_for(call, SECONDS)
        assert await client.until(4) == [b"one", b"two", b"three", b""]
        assert [message.get("more_body", False) for message in client.messages[1:]] == [True, True, True, False]
        assert app.parts.closed == 1

    run(story())


def test_when_the_client_is_gone_no_further_part_is_made() -> None:
    async def story() -> None:
        app, client = Gradual(), Client()
        asgi_app = asgi_app_of(app)
        call = asyncio.create_task(asgi_app(scope_of(), client.receive, client.send))
        await client.until(1)
        assert len(asgi_app.handling) == 1
        client.leaves.set()
        app.parts.may_go_on.release(1)
        await asyncio.wait_for(call, SECONDS)
        assert b"two" not in await client.until(1)
        assert (app.parts.closed, asgi_app.handling) == (1, set())

    run(story())


def test_it_counts_as_a_call_of_researchers_until_its_end_and_takes_none_of_their_threads() -> None:
    async def story() -> None:
        app = Gradual()
        asgi_app, clients = asgi_app_of(app), [Client() for _ in range(LIMITS.researcher_calls + 1)]
        calls = []
        for client in clients:
            # There is one thread for researchers: each of these has left it when its first part has come.
            calls.append(asyncio.create_task(asgi_app(scope_of(), client.receive, client.send)))
            await client.until(1)
        assert [client.messages[0]["status"] for client in clients] == [200] * LIMITS.researcher_calls + [503]
        app.parts.may_go_on.release(4 * len(clients))
        await asyncio.wait_for(asyncio.gather(*calls), SECONDS)
        again = Client()
        app.parts.may_go_on.release(4)
        await asgi_app(scope_of(), again.receive, again.send)
        assert again.messages[0]["status"] == 200

    run(story())
