"""Connections to a server, each with at most one pending request, and a tally of the responses.

Raw sockets on the loopback interface: making the load must cost less than the server that is measured.
"""

from __future__ import annotations

import json
import selectors
import socket
import time
from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.messages import HOST

SILENCE_SECONDS = 30.0

_END_OF_HEADERS = b"\r\n\r\n"
_LENGTH = b"content-length: "


class LoadError(Exception):
    """The server did not respond as a server should."""


class Response(NamedTuple):
    """A complete response."""

    status: bytes
    body: bytes

    @property
    def stored(self) -> int:
        """Return how many reports the server says it has stored."""
        if self.status == b"201":
            return 1
        return int(json.loads(self.body)["accepted"]) if self.body.startswith(b'{"accepted"') else 0


@dataclass
class Connection:
    """A connection with at most one pending request."""

    socket: socket.socket
    started: float = 0.0
    received: bytes = b""

    def send(self, request: bytes, started: float) -> None:
        """Send a request whose latency is measured from a start time."""
        self.started, self.received = started, b""
        self.socket.sendall(request)

    def receive(self) -> Response | None:
        """Receive some bytes; return the response when it is complete."""
        data = self.socket.recv(262_144)
        if not data:
            raise LoadError("the server closed a connection")
        self.received = received = self.received + data
        head, separator, body = received.partition(_END_OF_HEADERS)
        if not separator or len(body) < _content_length(head):
            return None
        return Response(received[9:12], body)


@dataclass
class Tally:
    """The latencies, statuses and stored reports of responses."""

    latencies: array[float] = field(default_factory=lambda: array("d"))
    statuses: Counter[bytes] = field(default_factory=Counter)
    stored: int = 0

    def add(self, response: Response, latency: float) -> None:
        """Count a response."""
        self.latencies.append(latency)
        self.statuses[response.status] += 1
        self.stored += response.stored


@contextmanager
def connected(selector: selectors.BaseSelector, port: int, number: int) -> Iterator[list[Connection]]:
    """Open this many connections and watch them; close them at the end."""
    opened: list[Connection] = []
    try:
        for _ in range(number):
            connection = Connection(socket.create_connection((HOST, port), timeout=SILENCE_SECONDS))
            opened.append(connection)
            connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(connection.socket, selectors.EVENT_READ, connection)
        yield opened
    finally:
        for connection in opened:
            connection.socket.close()


def responses(selector: selectors.BaseSelector, wait: float) -> Iterator[tuple[Connection, Response]]:
    """Wait for data, then yield the responses that are complete."""
    for key, _ in selector.select(wait):
        response = key.data.receive()
        if response is not None:
            yield key.data, response


def finish(selector: selectors.BaseSelector) -> None:
    """Receive the pending response of each connection, so that none burdens the next run."""
    waiting = len(selector.get_map())
    end = time.perf_counter() + SILENCE_SECONDS
    while waiting and (left := end - time.perf_counter()) > 0:
        waiting -= sum(1 for _ in responses(selector, left))


def _content_length(head: bytes) -> int:
    _, has_length, rest = head.lower().partition(_LENGTH)
    return int(rest.split(b"\r", 1)[0]) if has_length else 0
