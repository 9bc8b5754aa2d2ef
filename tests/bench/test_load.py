"""The load generator: what it sends, when it sends it, and how it counts responses."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

import pytest
from bench import connections, load, messages

REPORT = b'{"v":1,"survey":"bench","manifest":"00","id":"' + b"0" * 32 + b'","answers":{"a":"1"}}'
RESPONSE = b'HTTP/1.1 201 Created\r\nContent-Length: 21\r\n\r\n{"status":"accepted"}'

pytestmark = pytest.mark.loopback


@contextmanager
def server(*pieces: bytes, pause: float = 0.0) -> Iterator[int]:
    """Respond to every request on one connection with the pieces, one by one; without any, close it."""

    def answer() -> None:
        connection, _ = listener.accept()
        with connection:
            while pieces and connection.recv(65536):
                time.sleep(pause)
                for piece in pieces:
                    connection.sendall(piece)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)


def run(port: int) -> load.Outcome:
    return load.run(port, messages.report_requests("/reports", [REPORT]), connections=1, warm_up=0.01, seconds=0.05)


def body_of(request: bytes) -> bytes:
    head, _, body = request.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head
    return body


def test_every_request_is_a_report_of_the_same_length_with_a_fresh_id() -> None:
    next_request = messages.report_requests("/reports", [REPORT])
    bodies = [body_of(next_request()) for _ in range(100)]
    assert len(set(bodies)) == 100
    assert {len(body) for body in bodies} == {len(REPORT)}


@pytest.mark.parametrize("compressed", [False, True])
def test_a_batch_has_one_report_a_line_each_with_a_fresh_id(*, compressed: bool) -> None:
    request = messages.batch_requests("/reports", [REPORT], 100, compressed=compressed)()
    body = body_of(request)
    assert (b"Content-Encoding: gzip\r\n" in request) is compressed
    lines = (gzip.decompress(body) if compressed else body).splitlines()
    assert len({json.loads(line)["id"] for line in lines}) == len(lines) == 100


def test_a_page_is_asked_for_with_the_headers_that_are_given() -> None:
    request = messages.empty_requests("/page", ["Cookie: session=1"])()
    assert request == b"GET /page HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: session=1\r\n\r\n"


def test_answers_are_counted_by_their_status_and_timed() -> None:
    with server(RESPONSE) as port:
        outcome = run(port)
    assert outcome.statuses == {"201": outcome.requests}
    assert outcome.stored == outcome.requests > 0
    assert 0 < outcome.p50 <= outcome.p99


def test_an_answer_that_comes_in_pieces_counts_once() -> None:
    with server(RESPONSE[:30], RESPONSE[30:-5], RESPONSE[-5:]) as port:
        outcome = run(port)
    assert set(outcome.statuses) == {"201"}


def test_of_a_batch_only_the_accepted_reports_count_as_stored() -> None:
    assert connections.Response(b"200", b'{"accepted":998,"duplicate":1,"rejected":[]}').stored == 998
    assert connections.Response(b"200", b"<html>").stored == 0


def test_so_many_requests_are_sent_and_all_answers_counted() -> None:
    next_request = messages.report_requests("/reports", [REPORT])
    with server(RESPONSE) as port:
        outcome = load.run_at(port, next_request, due=iter([0.0] * 20), connections=1, warm_up=0.0)
    assert outcome.statuses == {"201": 20}


def test_who_comes_while_the_server_is_busy_waits_from_the_time_of_coming() -> None:
    # Five requests are due at once and take 20 ms each: the last one has waited for all.
    with server(RESPONSE, pause=0.02) as port:
        outcome = load.run_at(port, lambda: b"x", due=iter([0.0] * 5), connections=1, warm_up=0.0)
    assert outcome.requests == 5
    assert outcome.p50 >= 3 * 0.02


def test_what_was_due_before_the_end_of_the_warm_up_does_not_count() -> None:
    with server(RESPONSE) as port:
        outcome = load.run_at(port, lambda: b"x", due=iter([0.0, 0.01, 0.06, 0.07]), connections=1, warm_up=0.05)
    assert outcome.requests == 2


def test_people_come_at_the_rate_that_is_asked_for_and_at_uneven_times() -> None:
    times = list(load.arrivals(1000.0, 10.0))
    # Seeded: the number is always the same; a Poisson count of 10,000 lies within five deviations of 100.
    assert abs(len(times) - 10_000) < 500
    assert times == sorted(times)
    assert times[-1] < 10.0
    gaps = [later - earlier for earlier, later in zip(times, islice(times, 1, None), strict=False)]
    assert max(gaps) > 5 / 1000 > 1 / 5000 > min(gaps)


def test_a_server_that_hangs_up_is_an_error() -> None:
    with server() as port, pytest.raises((connections.LoadError, ConnectionError)):
        run(port)
