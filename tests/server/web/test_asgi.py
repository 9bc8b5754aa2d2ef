"""The asgi_app: what reaches the application, and what becomes of bodies that stall, lie or are too large."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pytest
from tests.server.web.asgi_calls import Client, scope_of
from tests.server.web.loops import run

from hushpoll_server.web.asgi import AsgiApp, RequestLimits, try_later

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

LIMITS = RequestLimits(
    body_seconds=0.05,
    largest_body=200_000,
    large_body_bytes=300_000,
    waiting_threads=2,
    page_threads=2,
    page_calls=20,
    researcher_threads=1,
    researcher_calls=2,
)


class Recorder:
    """A WSGI application that keeps what it was given."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, bytes]] = []

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        self.seen.append((environ["CONTENT_LENGTH"], environ["wsgi.input"].read()))
        start_response("200 OK", [("X-One", "1")])
        return [b"a", b"b"]


@pytest.fixture
def app() -> Recorder:
    return Recorder()


def ask(asgi_app: AsgiApp, client: Client, *headers: tuple[bytes, bytes]) -> Client:
    run(asgi_app(scope_of(*headers), client.receive, client.send))
    return client


def asgi_app_of(app: Recorder) -> AsgiApp:
    return AsgiApp(app, LIMITS, refusal=try_later({}, seconds=5))


def length(size: int) -> tuple[bytes, bytes]:
    return b"content-length", str(size).encode()


CHUNKED = (b"transfer-encoding", b"chunked")


def test_the_application_gets_the_whole_body_at_once(app: Recorder) -> None:
    client = ask(asgi_app_of(app), Client(b"one", b"two"), length(6))
    assert app.seen == [("6", b"onetwo")]
    assert client.sent[0] == {"type": "http.response.start", "status": 200, "headers": [(b"x-one", b"1")]}
    assert client.sent[1]["body"] == b"ab"


@pytest.mark.parametrize("port", [4711, "4711"])
def test_a_client_counts_as_answered_while_the_application_works_and_no_longer(port: int | str) -> None:
    seen: list[set[tuple[str, str]]] = []

    def app(_: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        seen.append(set(asgi_app.handling))
        start_response("200 OK", [])
        return [b""]

    asgi_app, client = AsgiApp(app, LIMITS, refusal=try_later({}, seconds=5)), Client()
    run(asgi_app(scope_of() | {"client": ("192.0.2.7", port)}, client.receive, client.send))
    assert seen == [{("192.0.2.7", "4711")}]
    assert not asgi_app.handling


def test_a_chunked_body_gets_the_length_that_it_has(app: Recorder) -> None:
    ask(asgi_app_of(app), Client(b"one", b"two"), CHUNKED)
    assert app.seen == [("6", b"onetwo")]


def test_a_request_without_a_body_is_not_waited_for(app: Recorder) -> None:
    ask(asgi_app_of(app), Client(then="stall"))
    assert app.seen == [("0", b"")]


@pytest.mark.parametrize(("header", "told"), [(length(100), "100"), (CHUNKED, "4")])
def test_a_body_that_stalls_is_handed_on_as_shorter_than_announced(
    app: Recorder, header: tuple[bytes, bytes], told: str
) -> None:
    client = ask(asgi_app_of(app), Client(b"one", then="stall"), header)
    assert app.seen == [(told, b"one")]
    assert client.was_closed


def test_a_body_that_breaks_off_is_handed_on_as_shorter_than_announced(app: Recorder) -> None:
    client = ask(asgi_app_of(app), Client(b"one", then="leave"), length(100))
    assert app.seen == [("100", b"one")]
    assert client.was_closed


def test_a_body_of_the_announced_length_is_not_waited_for_any_longer(app: Recorder) -> None:
    client = ask(asgi_app_of(app), Client(b"one", b"two", then="stall"), length(6))
    assert app.seen == [("6", b"onetwo")]
    assert not client.was_closed


def test_a_body_that_says_it_is_too_large_is_never_read(app: Recorder) -> None:
    client = ask(asgi_app_of(app), Client(b"x" * 10, then="stall"), length(10**15))
    assert app.seen == [(str(10**15), b"")]
    assert client.was_closed


@pytest.mark.parametrize("digits", [b"9" * 5001, b"0" * 5000 + b"3", b"9" * 16])
def test_a_length_of_five_thousand_digits_is_refused_as_too_large_and_breaks_nothing(
    app: Recorder, digits: bytes
) -> None:
    client = ask(asgi_app_of(app), Client(b"one", then="stall"), (b"content-length", digits))
    assert app.seen == [(str(10**15), b"")]
    assert client.was_closed


def test_a_chunked_body_is_read_up_to_the_limit_only(app: Recorder) -> None:
    ask(asgi_app_of(app), Client(*[bytes(60_000)] * 1000), CHUNKED)
    [(told, body)] = app.seen
    assert int(told) > LIMITS.largest_body
    assert len(body) == 180_000


def test_large_bodies_share_the_room_and_small_ones_always_find_some(app: Recorder) -> None:
    asgi_app = asgi_app_of(app)
    large, small = [Client(bytes(150_000), then="stall") for _ in range(3)], Client(b"one")

    async def all_at_once() -> None:
        asked = [(client, length(160_000)) for client in large]
        asked.append((small, length(3)))
        await asyncio.gather(*(asgi_app(scope_of(header), one.receive, one.send) for one, header in asked))

    run(all_at_once())
    assert [client.status for client in large] == [200, 200, 503]
    assert (b"retry-after", b"5") in large[2].sent[0]["headers"]
    assert small.status == 200
    # The room was given back.
    assert ask(asgi_app, Client(bytes(150_000)), length(150_000)).status == 200
