"""Stalled connections: an honest client is served within a second, and the server still stops in time."""

from __future__ import annotations

import time
import urllib.request

import pytest
from tests.support.server_process import ServerProcess
from tests.support.sockets import head, stalled
from tests.support.surveys import KEY, make_report, two_questions

from hushpoll_server.services import Services
from hushpoll_server.settings import Settings

MANIFEST = two_questions()
PATH = f"/api/v1/surveys/{MANIFEST.survey}/reports"
STALLS = {
    "nothing sent": b"",
    "half of the headers": b"POST " + PATH.encode() + b" HTTP/1.1\r\nHost: ",
    "half of a report": head(PATH, "Content-Type: application/json", "Content-Length: 300") + b'{"v":1,',
    "half of a chunk": head(PATH, "Content-Type: application/json", "Transfer-Encoding: chunked") + b"40\r\n{",
    "a page's request with a body": head("/sign-in", "Content-Length: 1000") + b"email=",
}


@pytest.fixture
def running(server: ServerProcess) -> ServerProcess:
    """Lend a server with a survey; a client has two seconds for headers and for a body."""
    server.home.mkdir()
    services = Services(Settings(home=server.home, db=server.database_url))
    services.surveys.publish(MANIFEST, KEY)
    services.close()
    (server.home / "hushpoll.toml").write_text("header_wait = 2\nbody_wait = 2\n")
    server.start()
    return server


def serve_honest_client(server: ServerProcess) -> float:
    """Send one report and give the seconds until it was acknowledged."""
    started = time.monotonic()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(server.address + PATH, make_report(MANIFEST).encode(), headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert answer.status == 201
    return time.monotonic() - started


def check_stalls(server: ServerProcess, number: int, what: str) -> None:
    """Stall that many connections, then be an honest client."""
    with stalled(server.port, number, STALLS[what]) as clients:
        seconds = serve_honest_client(server)
        closed = [client.recv(65536) for client in clients]
    print(
        f"{server.database_url.split(':')[0]}: {number} connections, {what}: an honest client waited "
        f"{1000 * seconds:.0f} ms; all were let go"
    )
    assert seconds < 1
    # None is held for ever: each gets a refusal, or its connection is closed.
    assert all(answer == b"" or answer.startswith(b"HTTP/1.1 4") for answer in closed)


def test_a_thousand_stalled_bodies_do_not_keep_an_honest_client_waiting(running: ServerProcess) -> None:
    check_stalls(running, 1000, "half of a report")


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("what", STALLS)
def test_three_thousand_stalled_connections(running: ServerProcess, what: str) -> None:
    for _ in range(3):
        check_stalls(running, 3000, what)
