"""Bodies that are too large, lie about their length or unpack to far more: refused, with bounded memory."""

from __future__ import annotations

import gzip
import json
import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.server_process import ServerProcess
from tests.support.sockets import exchange, head, stalled
from tests.support.surveys import KEY, make_report, two_questions

from hushpoll_server.services import Services
from hushpoll_server.settings import Settings

MANIFEST = two_questions()
PATH = f"/api/v1/surveys/{MANIFEST.survey}/reports"
MEGABYTE = 1_000_000
LARGEST_BATCH = 8 * MEGABYTE
# Eight of the largest batches may be in memory at once; each is held twice for a moment, and decoded once.
ALLOWED_GROWTH = 24 * LARGEST_BATCH

ONE, MANY = "Content-Type: application/json", "Content-Type: application/x-ndjson"
GZIP, CHUNKED, CLOSE = "Content-Encoding: gzip", "Transfer-Encoding: chunked", "Connection: close"
BOMB = gzip.compress(bytes(200 * MEGABYTE), 9)


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def length(size: int) -> str:
    return f"Content-Length: {size}"


@pytest.fixture
def running(tmp_path: Path, sqlite_url: str) -> Iterator[ServerProcess]:
    """Lend a server with a survey; a body has one second to come. No database ever sees these bodies."""
    server = ServerProcess(tmp_path / "home", sqlite_url)
    server.home.mkdir()
    services = Services(Settings(home=server.home, db=server.database_url))
    services.surveys.publish(MANIFEST, KEY)
    services.close()
    (server.home / "hushpoll.toml").write_text("body_wait = 1\n")
    server.start()
    yield server
    server.kill()


def peak_memory(server: ServerProcess) -> int:
    """Give the most bytes of memory that the processes of the server ever had, added up."""
    assert server.process
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return _peak(server.process.pid) + sum(_peak(int(child)) for child in children)


def _peak(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    [peak] = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return 1024 * int(peak)


def check_refused(server: ServerProcess, status: int, problem: str, *parts: bytes) -> None:
    """Send a request and expect one refusal, in the words of the closed list."""
    answer_head, _, body = exchange(server.port, *parts).partition(b"\r\n\r\n")
    assert answer_head.split()[1] == str(status).encode()
    assert json.loads(body)["type"] == f"urn:hushpoll:problem:{problem}"


def refuse_each(server: ServerProcess) -> None:
    """Send every kind of body that must be refused."""
    report = make_report(MANIFEST).encode()
    filler = bytes(MEGABYTE)
    check_refused(server, 413, "too-large", head(PATH, ONE, length(10**15), CLOSE), filler)
    check_refused(server, 413, "too-large", head(PATH, MANY, length(LARGEST_BATCH + 1), CLOSE), filler)
    check_refused(server, 413, "too-large", head(PATH, ONE, length(MEGABYTE), CLOSE), filler)
    check_refused(server, 413, "too-large", head(PATH, MANY, CHUNKED, CLOSE), *[chunked(filler)] * 100)
    check_refused(server, 413, "too-large", head(PATH, MANY, GZIP, length(len(BOMB)), CLOSE), BOMB)
    check_refused(server, 413, "too-large", head(PATH, MANY, GZIP, CHUNKED, CLOSE), chunked(BOMB), b"0\r\n\r\n")
    check_refused(server, 400, "bad-length", head(PATH, ONE, length(len(report) + 1)), report)
    check_refused(server, 400, "bad-length", head(PATH, ONE, CHUNKED), chunked(report))
    check_refused(server, 400, "not-json", head(PATH, ONE, length(len(report) - 1), CLOSE), report)


def check_memory(server: ServerProcess, before: int) -> None:
    grown = peak_memory(server) - before
    print(f"{server.database_url.split(':')[0]}: peak memory grew by {grown / MEGABYTE:.0f} MB")
    assert grown < ALLOWED_GROWTH


def test_a_body_that_is_too_large_or_lies_is_refused_with_bounded_memory(running: ServerProcess) -> None:
    before = peak_memory(running)
    refuse_each(running)
    check_memory(running, before)
    assert running.is_ready()


def test_a_chunked_report_without_a_length_is_taken(running: ServerProcess) -> None:
    report = make_report(MANIFEST).encode()
    answer = exchange(
        running.port, head(PATH, ONE, CHUNKED, CLOSE), chunked(report[:9]), chunked(report[9:]), b"0\r\n\r\n"
    )
    assert answer.startswith(b"HTTP/1.1 201")
    assert answer.endswith(b'{"status":"accepted"}\n')


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_fifty_large_batches_that_stall_share_the_room(running: ServerProcess) -> None:
    before = peak_memory(running)
    for _ in range(20):
        refuse_each(running)
    with stalled(running.port, 50, head(PATH, MANY, length(LARGEST_BATCH))) as clients, ThreadPoolExecutor(50) as all_:
        answers = list(all_.map(_send_most_of_a_batch, clients))
    # A client that was refused while it sent sees a closed connection.
    statuses = Counter(answer[9:12].decode() or "closed" for answer in answers)
    print(f"50 stalled batches: {dict(statuses)}")
    assert statuses.keys() <= {"400", "503", "closed"}
    check_memory(running, before)
    assert running.is_ready()


def _send_most_of_a_batch(client: socket.socket) -> bytes:
    try:
        client.sendall(bytes(7 * MEGABYTE))
        return client.recv(65536)
    except ConnectionError:
        return b""
