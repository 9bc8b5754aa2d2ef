"""Fault 8: bodies that are too large, lie about their length or unpack to far more: refused, with bounded memory."""

from __future__ import annotations

import gzip
import json
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.faults.exactly_once import MEGABYTE, Figures, publish
from tests.faults.load import path_of
from tests.faults.sockets import exchange, head, stalled
from tests.running.server_process import ServerProcess
from tests.samples.surveys import make_report, two_questions
from tests.server.gateways.senders import gateway_at

from hushpoll_server.settings import Settings

MANIFEST = two_questions()
PATH = path_of(MANIFEST.survey)
LARGEST_BATCH = 8 * MEGABYTE
# Eight of the largest batches may be in memory at once; each is held twice for a moment, and decoded once.
ALLOWED_GROWTH = 24 * LARGEST_BATCH

ONE, MANY = "Content-Type: application/json", "Content-Type: application/x-ndjson"
GZIP, CHUNKED, CLOSE = "Content-Encoding: gzip", "Transfer-Encoding: chunked", "Connection: close"
BOMB = gzip.compress(bytes(200 * MEGABYTE), 9)
LINES = gzip.compress(b"x\n" * 30_000, 9)


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def gateway(server: ServerProcess) -> str:
    """Return the headers of a batch that a gateway sends."""
    [(name, value)] = gateway_at(Settings(home=server.home, db=server.database_url)).items()
    return f"{MANY}\r\n{name}: {value}"


def length(size: int) -> str:
    return f"Content-Length: {size}"


@pytest.fixture
def running(tmp_path: Path, sqlite_url: str) -> Iterator[ServerProcess]:
    """Yield a server with a survey; a body has one second to arrive. No database ever sees these bodies."""
    server = ServerProcess(tmp_path / "home", sqlite_url, settings="body_wait = 1\n")
    publish(server)
    server.start()
    yield server
    server.kill()


def check_refused(server: ServerProcess, status: int, problem: str, *parts: bytes) -> None:
    """Send a request and expect one refusal, in the words of the closed list."""
    answer_head, _, body = exchange(server.port, *parts).partition(b"\r\n\r\n")
    assert answer_head.split()[1] == str(status).encode()
    assert json.loads(body)["type"] == f"urn:hushpoll:problem:{problem}"


def bad_bodies(many: str) -> list[tuple[int, str, list[bytes]]]:
    """Return every kind of body that must be refused, with the status and the problem; `many` is a gateway's head."""
    report = make_report(MANIFEST).encode()
    filler = bytes(MEGABYTE)
    return [
        (413, "too-large", [head(PATH, ONE, length(10**15), CLOSE), filler]),
        (413, "too-large", [head(PATH, many, length(LARGEST_BATCH + 1), CLOSE), filler]),
        (401, "gateway-needed", [head(PATH, MANY, length(LARGEST_BATCH), CLOSE), filler]),
        (401, "gateway-needed", [head(PATH, MANY, CHUNKED, CLOSE), *[chunked(filler)] * 100]),
        (400, "not-a-batch", [head(PATH, many, GZIP, length(len(LINES)), CLOSE), LINES]),
        (413, "too-large", [head(PATH, ONE, length(MEGABYTE), CLOSE), filler]),
        (413, "too-large", [head(PATH, many, CHUNKED, CLOSE), *[chunked(filler)] * 100]),
        (413, "too-large", [head(PATH, many, GZIP, length(len(BOMB)), CLOSE), BOMB]),
        (413, "too-large", [head(PATH, many, GZIP, CHUNKED, CLOSE), chunked(BOMB), b"0\r\n\r\n"]),
        (400, "bad-length", [head(PATH, ONE, length(len(report) + 1)), report]),
        (400, "bad-length", [head(PATH, ONE, CHUNKED), chunked(report)]),
        (400, "not-json", [head(PATH, ONE, length(len(report) - 1), CLOSE), report]),
    ]


def check_bodies(server: ServerProcess, note: Callable[[Figures], None], *, times: int, stalled_batches: int) -> None:
    """Send all kinds of body again and again, then large batches that stall; look at the memory."""
    before = server.memory()
    many = gateway(server)
    bodies = bad_bodies(many) * times
    for status, problem, parts in bodies:
        check_refused(server, status, problem, *parts)
    statuses = stall_batches(server, stalled_batches) if stalled_batches else Counter[str]()
    grown = server.peak_memory() - before
    note(
        Figures(
            fault="bodies too large, or not what they say",
            engine=server.engine,
            times=times,
            inputs=len(bodies) + statuses.total(),
            try_later=statuses["503"],
            other_5xx=0,
            peak_memory=grown,
        )
    )
    # A client that was refused while it sent sees a closed connection.
    assert statuses.keys() <= {"400", "503", "closed"}
    assert grown < ALLOWED_GROWTH
    assert server.is_ready()


def stall_batches(server: ServerProcess, number: int) -> Counter[str]:
    """Send most of a large batch on each of several connections, then nothing more; count what comes back."""
    beginning = head(PATH, gateway(server), length(LARGEST_BATCH))
    with stalled(server.port, number, beginning) as clients, ThreadPoolExecutor(number) as threads:
        answers = list(threads.map(_send_most_of_a_batch, clients))
    return Counter(answer[9:12].decode() or "closed" for answer in answers)


def _send_most_of_a_batch(client: socket.socket) -> bytes:
    try:
        client.sendall(bytes(7 * MEGABYTE))
        return client.recv(65536)
    except ConnectionError:
        return b""


def test_a_body_that_is_too_large_or_lies_is_refused_with_bounded_memory(
    running: ServerProcess, note: Callable[[Figures], None]
) -> None:
    check_bodies(running, note, times=1, stalled_batches=0)


def test_a_chunked_report_without_a_length_is_taken(running: ServerProcess) -> None:
    report = make_report(MANIFEST).encode()
    answer = exchange(
        running.port, head(PATH, ONE, CHUNKED, CLOSE), chunked(report[:9]), chunked(report[9:]), b"0\r\n\r\n"
    )
    assert answer.startswith(b"HTTP/1.1 201")
    assert answer.endswith(b'{"status":"accepted"}\n')


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_fifty_large_batches_that_stall_share_the_room(running: ServerProcess, note: Callable[[Figures], None]) -> None:
    check_bodies(running, note, times=20, stalled_batches=50)
