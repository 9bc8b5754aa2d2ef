"""Responses that are sent while they are made: for whoever still reads, and never a part for the whole."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from tests.server.web.asgi_calls import Client, scope_of
from tests.server.web.loops import run
from tests.server.web.test_asgi import LIMITS

from hushpoll_server.web.asgi import AsgiApp, try_later
from hushpoll_server.web.outgoing import PIECE_BYTES
from hushpoll_server.web.streams import Streams, TooSlow
from hushpoll_shared.problems import TRY_LATER, ProblemError

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LINE = b"x" * 999 + b"\n"


class Source:
    """Lines without an end, or with an error; it notes how many were made, and whether it was closed."""

    def __init__(self, lines: int = 10**9, *, fails: bool = False) -> None:
        self.made, self.closed, self._lines, self._fails = 0, 0, lines, fails

    def __iter__(self) -> Iterator[bytes]:
        while self.made < self._lines:
            self.made += 1
            yield LINE
        if self._fails:
            raise OSError("what was stored")

    def close(self) -> None:
        self.closed += 1


def app_of(source: Iterable[bytes], *headers: tuple[str, str]) -> WSGIApplication:
    def app(_: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK", list(headers))
        return source

    return app


def asgi_app_of(source: Iterable[bytes], *headers: tuple[str, str]) -> AsgiApp:
    return AsgiApp(app_of(source, *headers), LIMITS, refusal=try_later({}, seconds=5))


def ask(asgi_app: AsgiApp, client: Client) -> list[Any]:
    run(asgi_app(scope_of(method="GET"), client.receive, client.send))
    return client.sent[1:]


def test_a_response_without_a_length_arrives_whole_and_in_pieces() -> None:
    source = Source(500)
    messages = ask(asgi_app_of(source), Client())
    assert b"".join(message["body"] for message in messages) == 500 * LINE
    assert max(len(message["body"]) for message in messages) <= PIECE_BYTES
    assert [message.get("more_body", False) for message in messages] == [True] * (len(messages) - 1) + [False]
    assert source.closed == 1


def test_a_response_that_says_its_length_is_made_before_it_is_sent() -> None:
    source = Source(3)
    [message] = ask(asgi_app_of(source, ("Content-Length", "3000")), Client())
    assert message["body"] == 3 * LINE
    assert source.closed == 1


def test_what_fails_midway_does_not_end_and_what_the_error_says_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    source = Source(100, fails=True)
    with caplog.at_level(logging.ERROR):
        messages = ask(asgi_app_of(source), Client())
    assert messages
    assert all(message["more_body"] for message in messages)
    assert source.closed == 1
    assert [record.getMessage() for record in caplog.records] == ["a response was broken off: OSError"]


def test_nothing_is_made_for_a_client_that_reads_nothing_and_all_is_given_back_when_it_leaves() -> None:
    source, gone = Source(), asyncio.Event()
    asgi_app = asgi_app_of(source)

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message.get("more_body"):
            await gone.wait()

    async def story() -> None:
        task = asyncio.ensure_future(asgi_app(scope_of(method="GET"), receive, send))
        while not source.made:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.02)
        made = source.made
        assert made <= PIECE_BYTES // len(LINE) + 1
        assert not asgi_app.handling
        gone.set()
        await asyncio.wait_for(task, 5)

    run(story())
    assert source.closed == 1
    assert source.made <= 3 * (PIECE_BYTES // len(LINE) + 1)


def test_a_request_that_is_cancelled_while_a_piece_is_made_gives_back_what_it_holds() -> None:
    source = Source()
    asgi_app = asgi_app_of(source)

    async def story() -> None:
        client = Client()
        task = asyncio.ensure_future(asgi_app(scope_of(method="GET"), client.receive, client.send))
        while not source.made:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(story())
    assert source.closed == 1


def lines(number: int) -> Callable[[], Iterator[bytes]]:
    return lambda: iter([LINE] * number)


def test_so_many_files_at_once_and_no_more_until_one_is_closed() -> None:
    streams = Streams(at_once=2)
    first, _ = (streams.response(lines(1), "text/csv") for _ in range(2))
    with pytest.raises(ProblemError) as refused:
        streams.response(lines(1), "text/csv")
    assert refused.value.problem is TRY_LATER
    first.close()
    first.close()
    streams.response(lines(1), "text/csv")
    with pytest.raises(ProblemError):
        streams.response(lines(1), "text/csv")


def test_a_file_that_cannot_be_begun_takes_no_place() -> None:
    def fail() -> Iterator[bytes]:
        raise OSError

    streams = Streams(at_once=1)
    for _ in range(2):
        with pytest.raises(OSError):
            streams.response(fail, "text/csv")
    streams.response(lines(1), "text/csv")


def test_a_file_that_is_read_too_slowly_is_broken_off() -> None:
    now = 0.0
    response = Streams(seconds=60, clock=lambda: now).response(lines(3), "text/csv")
    parts = response.iter_encoded()
    assert next(parts) == LINE
    now = 59
    assert next(parts) == LINE
    now = 61
    with pytest.raises(TooSlow):
        next(parts)
