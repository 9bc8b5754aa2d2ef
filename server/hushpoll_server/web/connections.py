"""Close connections that take up a place and make no progress.

The web server waits forever for a client to read its response, so a few thousand clients that never read would shut
everybody else out. This checks the worker's own sockets twice a second and asks the kernel what moved. The rule here:
only connections that make no progress are closed, never those that the server is busy with; addresses are compared
briefly in memory, and nothing about them is stored or logged.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from hushpoll_server.settings import Settings

Client = tuple[str, str]

CHECK_SECONDS: Final = 0.5
# When more than half of the places are taken, a connection may make no progress for this long only.
CROWDED_SECONDS: Final = 2.0
# The most bytes of responses that the kernel buffers for a client: enough for 5 Mbit/s over 100 ms. The server goes on
# producing responses while they fit, so a client that asks for many and reads none causes only a few.
SEND_BUFFER_BYTES: Final = 64 * 1024
_OPEN_FILES: Final = Path("/proc/self/fd")
# struct tcp_info of Linux: tcpi_unacked, tcpi_bytes_acked, tcpi_bytes_received, tcpi_notsent_bytes.
_TCP_INFO: Final = struct.Struct("=24xI92xQQ8xI")
# The prefix of an IPv4 address that is written as an IPv6 address.
_MAPPED: Final = bytes(10) + b"\xff\xff"


class Key(NamedTuple):
    """What identifies a connection: a file number alone may soon belong to another one."""

    file: int
    client: Client


class Snapshot(NamedTuple):
    """A connection as the kernel describes it: whether data waits to be read, and the bytes sent and received."""

    is_waiting: bool
    acknowledged: int
    received: int


@dataclass(slots=True)
class Progress:
    """What is remembered of a connection between checks."""

    snapshot: Snapshot
    moved: float
    # Since when data has been waiting for the client without a break, and how much it had read by then.
    waiting_since: float
    acknowledged_before: int

    def update(self, snapshot: Snapshot, now: float, *, is_handled: bool) -> None:
        """Compare with the last check; while the server works on a response, nothing can move."""
        before, self.snapshot = self.snapshot, snapshot
        # While data waits to be read, only reading counts: a client that sends more requests instead makes no progress.
        is_busy = not snapshot.is_waiting and (is_handled or snapshot.received != before.received)
        if is_busy or snapshot.acknowledged != before.acknowledged:
            self.moved = now
        if not snapshot.is_waiting:
            self.waiting_since, self.acknowledged_before = now, snapshot.acknowledged


@dataclass(frozen=True, kw_only=True)
class ConnectionRules:
    """What a connection may do without being closed."""

    response_wait: float
    slowest_reader: int
    crowded_above: int
    per_address: int | None

    @classmethod
    def of(cls, settings: Settings) -> ConnectionRules:
        """Return the rules from the settings; a proxy has one address for all, and must count its clients itself."""
        return cls(
            response_wait=settings.response_wait,
            slowest_reader=settings.slowest_reader,
            crowded_above=settings.connections // 2,
            per_address=settings.connections_per_address if settings.insecure_without_tls else None,
        )

    def is_stalled(self, one: Progress, now: float, *, is_crowded: bool) -> bool:
        """Return whether a connection made no progress for too long, or is read too slowly."""
        still = now - one.moved
        if is_crowded and still > min(CROWDED_SECONDS, self.response_wait):
            return True
        if not one.snapshot.is_waiting:
            # Headers and bodies that do not arrive have their own limits.
            return False
        least_read = self.slowest_reader * (now - one.waiting_since - self.response_wait)
        return still > self.response_wait or one.snapshot.acknowledged - one.acknowledged_before < least_read


class Watch:
    """The connections of this process."""

    def __init__(self, rules: ConnectionRules, handling: Container[Client], ports: Container[int]) -> None:
        """Watch the connections to these ports; leave alone a client whose request is being handled."""
        self._rules, self._handling, self._ports = rules, handling, ports
        self._known: dict[Key, Progress] = {}

    def start(self) -> None:
        """Start to check regularly, in a thread; only Linux provides what is needed."""
        if _OPEN_FILES.exists() and hasattr(socket, "TCP_INFO"):
            threading.Thread(target=self._run, name="hushpoll-connections", daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(CHECK_SECONDS)
            self.check(time.monotonic())

    def check(self, now: float) -> None:
        """Compare all connections with the last check, and close those that break a rule."""
        current = dict(_connections(self._ports))
        new = {key: Progress(one, now, now, one.acknowledged) for key, one in current.items() if key not in self._known}
        # The oldest first: dictionaries keep their order.
        self._known = {key: one for key, one in self._known.items() if key in current} | new
        for key, one in self._known.items():
            one.update(current[key], now, is_handled=key.client in self._handling)
        for key in [*self._stalled(now), *self._too_many()]:
            _close(key)

    def _stalled(self, now: float) -> Iterator[Key]:
        is_crowded = len(self._known) > self._rules.crowded_above
        return (key for key, one in self._known.items() if self._rules.is_stalled(one, now, is_crowded=is_crowded))

    def _too_many(self) -> Iterator[Key]:
        if self._rules.per_address is None:
            return
        counts = Counter[bytes]()
        for key in self._known:
            origin = origin_of(key.client[0])
            counts[origin] += 1
            if counts[origin] > self._rules.per_address:
                yield key


def origin_of(address: str) -> bytes:
    """Return the part of an address that one subscriber has: all of an IPv4 address, the first half of an IPv6 one."""
    if ":" not in address:
        return socket.inet_aton(address)
    number = socket.inet_pton(socket.AF_INET6, address.partition("%")[0])
    return number[-4:] if number.startswith(_MAPPED) else number[:8]


def prepare_listeners() -> frozenset[int]:
    """Limit what the kernel buffers for a client, and return the ports that this process is bound to."""
    return frozenset(port for file in _files() for port in _prepare(file))


def _prepare(file: int) -> Iterator[int]:
    with suppress(OSError), _borrow(file) as one:
        if isinstance(own := one.getsockname(), tuple) and not _is_connected(one):
            # This socket listens, or soon will, and every connection inherits the limit from it.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
            yield own[1]


def _is_connected(one: socket.socket) -> bool:
    with suppress(OSError):
        return bool(one.getpeername())
    return False


def _connections(ports: Container[int]) -> Iterator[tuple[Key, Snapshot]]:
    for file in _files():
        # An error means: not a socket, not connected, or already gone.
        with suppress(OSError), _borrow(file) as one:
            # A Unix socket has a path in place of a host and a port.
            if (client := _client_of(one)) and one.getsockname()[1] in ports:
                unacked, acknowledged, received, unsent = _TCP_INFO.unpack(
                    one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
                )
                yield Key(file, client), Snapshot(bool(unacked or unsent), acknowledged, received)


def _client_of(one: socket.socket) -> Client | None:
    address = one.getpeername()
    return (address[0], str(address[1])) if isinstance(address, tuple) else None


def _files() -> Iterator[int]:
    return (int(path.name) for path in _OPEN_FILES.iterdir())


@contextmanager
def _borrow(file: int) -> Iterator[socket.socket]:
    one = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=file)
    try:
        yield one
    finally:
        one.detach()


def _close(key: Key) -> None:
    # A duplicate cannot become another connection while it is checked.
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=os.dup(key.file)) as one:
        if _client_of(one) == key.client:
            # The kernel then also drops what was not read.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.shutdown(socket.SHUT_RDWR)
