"""The load generator: what it sends, and what it makes of answers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from bench import load

REPORT = b'{"v":1,"survey":"bench","manifest":"00","id":"' + b"0" * 32 + b'","answers":{"a":1}}'
ANSWER = b'HTTP/1.1 201 Created\r\nContent-Length: 21\r\n\r\n{"status":"accepted"}'

pytestmark = pytest.mark.loopback


@contextmanager
def server(*pieces: bytes) -> Iterator[int]:
    """Answer every request on one connection with the pieces, sent one by one; without any, hang up."""

    def answer() -> None:
        connection, _ = listener.accept()
        with connection:
            while pieces and connection.recv(65536):
                for piece in pieces:
                    connection.sendall(piece)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)


def run(port: int) -> load.Outcome:
    return load.run(port, load.report_requests("/reports", [REPORT]), connections=1, warm_up=0.01, seconds=0.05)


def test_every_request_is_a_report_of_the_same_length_with_a_fresh_id() -> None:
    next_request = load.report_requests("/reports", [REPORT])
    requests = [next_request() for _ in range(100)]
    bodies = [request.partition(b"\r\n\r\n")[2] for request in requests]
    assert len(set(bodies)) == 100
    assert {len(body) for body in bodies} == {len(REPORT)}
    assert all(f"Content-Length: {len(REPORT)}\r\n".encode() in request for request in requests)


def test_answers_are_counted_by_their_status_and_timed() -> None:
    with server(ANSWER) as port:
        outcome = run(port)
    assert outcome.statuses == {"201": outcome.requests}
    assert outcome.requests > 0
    assert 0 < outcome.p50 <= outcome.p99


def test_an_answer_that_comes_in_pieces_counts_once() -> None:
    with server(ANSWER[:30], ANSWER[30:-5], ANSWER[-5:]) as port:
        outcome = run(port)
    assert set(outcome.statuses) == {"201"}


def test_a_server_that_hangs_up_is_an_error() -> None:
    with server() as port, pytest.raises((load.LoadError, ConnectionError)):
        run(port)
