"""Fault 7: stalled connections: an honest client is served within a second, and each connection is let go."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.faults.exactly_once import Figures, publish, serve_honest_client
from tests.faults.load import path_of
from tests.faults.sockets import head, stalled
from tests.running.server_process import ServerProcess
from tests.samples.surveys import two_questions

MANIFEST = two_questions()
PATH = path_of(MANIFEST.survey)
STALLS = {
    "nothing sent": b"",
    "half of the headers": b"POST " + PATH.encode() + b" HTTP/1.1\r\nHost: ",
    "half of a report": head(PATH, "Content-Type: application/json", "Content-Length: 300") + b'{"v":1,',
    "half of a chunk": head(PATH, "Content-Type: application/json", "Transfer-Encoding: chunked") + b"40\r\n{",
    "a page's request with a body": head("/sign-in", "Content-Length: 1000") + b"email=",
}


@pytest.fixture
def running(server: ServerProcess) -> ServerProcess:
    """Yield a server with a survey; a client has two seconds for headers and for a body."""
    server.settings = "header_wait = 2\nbody_wait = 2\n"
    publish(server)
    server.start()
    return server


def check_stalls(
    server: ServerProcess, note: Callable[[Figures], None], what: str, *, connections: int, times: int
) -> None:
    """Stall that many connections, then be an honest client."""
    before, worst = server.memory(), 0.0
    for _ in range(times):
        with stalled(server.port, connections, STALLS[what]) as clients:
            worst = max(worst, serve_honest_client(server))
            closed = [client.recv(65536) for client in clients]
        # None is held for ever: each gets a refusal, or its connection is closed.
        assert all(answer == b"" or answer.startswith(b"HTTP/1.1 4") for answer in closed)
    name = f"{connections:,} stalled, {what}"
    grown = server.peak_memory() - before
    note(Figures(fault=name, engine=server.engine, times=times, wait=worst, peak_memory=grown))
    assert worst < 1


def test_a_thousand_stalled_bodies_do_not_keep_an_honest_client_waiting(
    running: ServerProcess, note: Callable[[Figures], None]
) -> None:
    check_stalls(running, note, "half of a report", connections=1000, times=1)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("what", STALLS)
def test_three_thousand_stalled_connections(running: ServerProcess, note: Callable[[Figures], None], what: str) -> None:
    check_stalls(running, note, what, connections=3000, times=3)
