"""Send requests over many connections at once, and time each answer: a program of its own, `python -m bench.load`.

One thread, one selector, raw sockets on the loopback interface: it must cost less than the server that it measures.
It says which share of the time it was busy itself; near 1 it would be the limit, not the server. All requests of a
run have the same length. Every wait ends: a server that falls silent is an error.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import socket
import time
from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

HOST = "127.0.0.1"
SILENCE_SECONDS = 30.0

_END_OF_HEADERS = b"\r\n\r\n"
_LENGTH = b"content-length: "
_ID = b'"id":"'
_ID_DIGITS = 32


class LoadError(Exception):
    """Say that the server did not answer as a server should."""


@dataclass
class Connection:
    """A connection with at most one request under way."""

    socket: socket.socket
    started: float = 0.0
    received: bytes = b""


@dataclass(frozen=True)
class Outcome:
    """What was counted between the warm-up and the end."""

    requests: int
    seconds: float
    busy: float
    p50: float
    p99: float
    statuses: dict[str, int]

    @property
    def rate(self) -> float:
        """Give the answers per second."""
        return self.requests / self.seconds


def empty_requests(path: str) -> Callable[[], bytes]:
    """Ask for a page again and again."""
    request = f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
    return lambda: request


def report_requests(path: str, reports: list[bytes]) -> Callable[[], bytes]:
    """Post the reports in turn, each time under a fresh random id, so that each is new to the server."""
    head = f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n"
    pieces = cycle([_split(f"{head}Content-Length: {len(report)}\r\n\r\n".encode(), report) for report in reports])

    def next_request() -> bytes:
        before, after = next(pieces)
        return before + os.urandom(_ID_DIGITS // 2).hex().encode() + after

    return next_request


def run(port: int, next_request: Callable[[], bytes], *, connections: int, warm_up: float, seconds: float) -> Outcome:
    """Keep every connection busy for that long; count what is answered after the warm-up."""
    with selectors.DefaultSelector() as selector:
        opened = [
            Connection(socket.create_connection((HOST, port), timeout=SILENCE_SECONDS)) for _ in range(connections)
        ]
        try:
            for connection in opened:
                connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(connection.socket, selectors.EVENT_READ, connection)
                _send(connection, next_request())
            _exchange(selector, next_request, time.perf_counter() + warm_up)
            return _measure(selector, next_request, seconds)
        finally:
            for connection in opened:
                connection.socket.close()


def _measure(selector: selectors.BaseSelector, next_request: Callable[[], bytes], seconds: float) -> Outcome:
    began, busy_before = time.perf_counter(), time.process_time()
    latencies, statuses = _exchange(selector, next_request, began + seconds)
    took, busy = time.perf_counter() - began, time.process_time() - busy_before
    _finish(selector)
    ordered = sorted(latencies)
    return Outcome(
        requests=len(ordered),
        seconds=took,
        busy=busy / took,
        p50=_quantile(ordered, 0.50),
        p99=_quantile(ordered, 0.99),
        statuses={status.decode("ascii", "replace"): count for status, count in sorted(statuses.items())},
    )


def _exchange(
    selector: selectors.BaseSelector, next_request: Callable[[], bytes], end: float
) -> tuple[array[float], Counter[bytes]]:
    """Answer every answer with the next request until the end."""
    latencies, statuses = array("d"), Counter[bytes]()
    while (now := time.perf_counter()) < end:
        ready = selector.select(SILENCE_SECONDS)
        if not ready:
            raise LoadError(f"the server was silent for {SILENCE_SECONDS:.0f} s")
        for key, _ in ready:
            status = _receive(key.data)
            if status is None:
                continue
            now = time.perf_counter()
            latencies.append(now - key.data.started)
            statuses[status] += 1
            _send(key.data, next_request())
    return latencies, statuses


def _finish(selector: selectors.BaseSelector) -> None:
    """Take the answers that are still under way, so that they do not burden the next run."""
    waiting = len(selector.get_map())
    end = time.perf_counter() + SILENCE_SECONDS
    while waiting and (left := end - time.perf_counter()) > 0:
        waiting -= sum(_receive(key.data) is not None for key, _ in selector.select(left))


def _send(connection: Connection, request: bytes) -> None:
    connection.started, connection.received = time.perf_counter(), b""
    connection.socket.sendall(request)


def _receive(connection: Connection) -> bytes | None:
    """Take what came; give the status when the answer is complete."""
    data = connection.socket.recv(65536)
    if not data:
        raise LoadError("the server closed a connection")
    connection.received = received = connection.received + data
    head, separator, body = received.partition(_END_OF_HEADERS)
    if not separator or len(body) < _content_length(head):
        return None
    return received[9:12]


def _content_length(head: bytes) -> int:
    _, found, rest = head.lower().partition(_LENGTH)
    return int(rest.split(b"\r", 1)[0]) if found else 0


def _split(head: bytes, report: bytes) -> tuple[bytes, bytes]:
    start = report.index(_ID) + len(_ID)
    return head + report[:start], report[start + _ID_DIGITS :]


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[int(share * (len(ordered) - 1))] if ordered else 0.0


def main() -> None:
    """Read the options, run, print the outcome as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--reports", type=Path, help="reports to post, one a line; without it, GET requests are sent")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--warm-up", type=float, default=0.3)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    if options.reports:
        next_request = report_requests(options.path, options.reports.read_bytes().splitlines())
    else:
        next_request = empty_requests(options.path)
    outcome = run(
        options.port,
        next_request,
        connections=options.connections,
        warm_up=options.warm_up,
        seconds=options.seconds,
    )
    print(json.dumps(vars(outcome)))


if __name__ == "__main__":
    main()
