"""Fault 8: clients that ask and never read: an honest client is served, memory stays, and each connection is let go."""

from __future__ import annotations

import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from tests.faults.exactly_once import Figures, publish, serve_honest_client
from tests.faults.sockets import stalled
from tests.running.server_process import ServerProcess

from hushpoll_server.commands.serve import allow_files
from hushpoll_server.web.connections import CROWDED_SECONDS

MEGABYTE = 1_000_000
# Enough answers for any buffer on the way.
REQUESTS = 40


@pytest.fixture
def running(server: ServerProcess) -> ServerProcess:
    """Yield a server with a survey and few places; a client has three seconds to read some of its response."""
    server.settings = "connections = 256\nresponse_wait = 3\n"
    publish(server)
    return server


@contextmanager
def silent(port: int, number: int) -> Iterator[list[socket.socket]]:
    """Hold connections that have asked for the script again and again, and read nothing."""
    allow_files(number + 256)
    request = f"GET /js/form.js HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode() * REQUESTS
    with ExitStack() as stack:
        clients = []
        for _ in range(number):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", port))
            client.sendall(request)
            clients.append(client)
        yield clients


def wait_until_closed(client: socket.socket, *, drops: bool) -> float:
    """Return the seconds until the server has closed a connection, of which at most a byte a second is read."""
    started = time.monotonic()
    client.settimeout(1)
    while time.monotonic() - started < 60:
        try:
            if drops:
                client.recv(1)
            client.send(b"\r\n")
        except TimeoutError:
            continue
        except OSError:
            return time.monotonic() - started
        time.sleep(1)
    raise AssertionError("it is still open")


def check_silent(
    server: ServerProcess, note: Callable[[Figures], None], *, connections: int, times: int, longest_wait: float
) -> None:
    """Let this many clients read nothing, then be an honest client."""
    server.start()
    before, worst = server.memory(), 0.0
    for _ in range(times):
        with silent(server.port, connections) as clients:
            worst = max(worst, serve_honest_client(server))
            assert wait_until_closed(clients[0], drops=False) < 10
    grown = server.peak_memory() - before
    name = f"{connections:,} silent, as many answers as fit"
    note(Figures(fault=name, engine=server.engine, times=times, wait=worst, peak_memory=grown))
    assert worst < longest_wait
    assert grown < 200 * MEGABYTE


def test_clients_that_ask_and_never_read_do_not_shut_an_honest_client_out(
    running: ServerProcess, note: Callable[[Figures], None]
) -> None:
    """All places are taken, and more wait in the queue before the honest client."""
    check_silent(running, note, connections=300, times=1, longest_wait=10)


def test_a_client_that_reads_a_byte_a_second_is_closed_too(running: ServerProcess) -> None:
    running.start()
    with silent(running.port, 1) as [client]:
        assert wait_until_closed(client, drops=True) < 20


def test_in_a_crowd_a_client_whose_commit_takes_long_is_not_taken_for_one_that_stands_still(
    tmp_path: Path, sqlite_url: str
) -> None:
    server = ServerProcess(tmp_path / "home", sqlite_url, settings="connections = 128\n")
    publish(server)
    server.start()
    try:
        with (
            stalled(server.port, 100, b"") as crowd,
            closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as other,
            ThreadPoolExecutor(1) as pool,
        ):
            other.execute("BEGIN IMMEDIATE")
            waiting = pool.submit(serve_honest_client, server)
            # They keep moving, so they stay.
            for letter in b"GET / HTTP":
                for client in crowd:
                    client.sendall(bytes([letter]))
                time.sleep(CROWDED_SECONDS / 4)
            other.rollback()
            assert waiting.result() > CROWDED_SECONDS
    finally:
        server.kill()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("connections", "longest_wait"), [(3000, 5.0), (4500, 15.0)])
def test_thousands_that_never_read(
    running: ServerProcess, note: Callable[[Figures], None], connections: int, longest_wait: float
) -> None:
    running.settings = ""
    check_silent(running, note, connections=connections, times=3, longest_wait=longest_wait)
