"""Connections to a server, each with at most one request under way, and what was counted of the answers.

Raw sockets on the loopback interface: a load must cost less than the server that it measures.
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
    """Say that the server did not answer as a server should."""


class Answer(NamedTuple):
    """A complete answer."""

    status: bytes
    body: bytes

    @property
    def stored(self) -> int:
        """Tell how many reports the server says it has stored."""
        if self.status == b"201":
            return 1
        return int(json.loads(self.body)["accepted"]) if self.body.startswith(b'{"accepted"') else 0


@dataclass
class Connection:
    """A connection with at most one request under way."""

    socket: socket.socket
    started: float = 0.0
    received: bytes = b""

    def send(self, request: bytes, started: float) -> None:
        """Send a request whose clock began to run at a time."""
        self.started, self.received = started, b""
        self.socket.sendall(request)

    def receive(self) -> Answer | None:
        """Take what came; give the answer when it is complete."""
        data = self.socket.recv(262_144)
        if not data:
            raise LoadError("the server closed a connection")
        self.received = received = self.received + data
        head, separator, body = received.partition(_END_OF_HEADERS)
        if not separator or len(body) < _content_length(head):
            return None
        return Answer(received[9:12], body)


@dataclass
class Tally:
    """What was counted of the answers."""

    latencies: array[float] = field(default_factory=lambda: array("d"))
    statuses: Counter[bytes] = field(default_factory=Counter)
    stored: int = 0

    def add(self, answer: Answer, latency: float) -> None:
        """Count an answer."""
        self.latencies.append(latency)
        self.statuses[answer.status] += 1
        self.stored += answer.stored


@contextmanager
def connected(selector: selectors.BaseSelector, port: int, number: int) -> Iterator[list[Connection]]:
    """Open so many connections and watch them; close them at the end."""
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


def answers(selector: selectors.BaseSelector, wait: float) -> Iterator[tuple[Connection, Answer]]:
    """Give the answers that are complete, after waiting for something to come."""
    for key, _ in selector.select(wait):
        answer = key.data.receive()
        if answer is not None:
            yield key.data, answer


def finish(selector: selectors.BaseSelector) -> None:
    """Take the answer that is under way on each connection, so that none burdens the next run."""
    waiting = len(selector.get_map())
    end = time.perf_counter() + SILENCE_SECONDS
    while waiting and (left := end - time.perf_counter()) > 0:
        waiting -= sum(1 for _ in answers(selector, left))


def _content_length(head: bytes) -> int:
    _, found, rest = head.lower().partition(_LENGTH)
    return int(rest.split(b"\r", 1)[0]) if found else 0
