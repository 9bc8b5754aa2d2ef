"""The asynchronous client keeps what the client keeps, and never blocks the event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.client.conftest import MakeClient
from tests.client.servers import Collector

from hushpoll_client import AlreadyAnswered, AsyncClient, Client, Response, StateFailed

ANSWERS = {"cheated": True, "helped": False}


class Gate:
    """A transport that lets a request through when the test says so."""

    def __init__(self, transport: Any) -> None:
        self.transport, self.arrived, self.open = transport, threading.Event(), threading.Event()

    def send(self, *request: Any, **options: Any) -> Response:
        self.arrived.set()
        assert self.open.wait(10)
        response: Response = self.transport.send(*request, **options)
        return response


def run_in_thread(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine in a loop of its own; the thread of a browser's tests has one that never ends."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


async def every_call(client: AsyncClient) -> None:
    async with client:
        survey = await client.survey("campus")
        report = survey.randomize(ANSWERS)
        assert (await client.submit(report)).status == "accepted"
        assert await client.receipt("campus") == await client.submit(report)
        assert (await client.flush(), await client.spent()) == ([], "2.09861228866810969137")
        with pytest.raises(AlreadyAnswered):
            await client.submit(survey.randomize(ANSWERS))
    with pytest.raises(StateFailed):
        await client.spent()


def test_every_call_does_what_that_of_the_client_does(client: Client) -> None:
    run_in_thread(every_call(AsyncClient(client)))


def test_it_has_every_call_of_the_client() -> None:
    def calls(of: type) -> dict[str, list[str]]:
        public = {name: value for name, value in vars(of).items() if not name.startswith("_")}
        functions = {name: getattr(value, "fget", value) for name, value in public.items()}
        return {name: list(inspect.signature(function).parameters) for name, function in functions.items()}

    assert calls(AsyncClient) == calls(Client)


def test_a_slow_server_does_not_hold_up_the_event_loop(client: Client) -> None:
    gate = Gate(client._server.transport)
    client._server.transport = gate

    async def wait_and_work() -> None:
        waiting = asyncio.create_task(AsyncClient(client).survey("campus"))
        while not gate.arrived.is_set():
            await asyncio.sleep(0.001)
        # The loop runs on while the request waits.
        assert not waiting.done()
        gate.open.set()
        assert (await waiting).manifest.survey == "campus"

    run_in_thread(wait_and_work())


def test_a_cancelled_call_leaves_a_report_that_is_not_drawn_again(
    make_client: MakeClient, collector: Collector
) -> None:
    client = make_client()
    report = client.survey("campus").randomize(ANSWERS)
    gate = Gate(client._server.transport)
    client._server.transport = gate

    async def give_up() -> None:
        sending = asyncio.create_task(AsyncClient(client).submit(report))
        while not gate.arrived.is_set():
            await asyncio.sleep(0.001)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        gate.open.set()

    run_in_thread(give_up())
    receipt = make_client().receipt("campus")
    assert receipt is not None
    assert (receipt.status, receipt.id, collector.posts) == ("accepted", report.id, [report.encode()])
