"""Close connections that hold a place and do nothing with it.

The web server waits without end for a client to read its answer, so a few thousand that never read would shut
everybody else out. This looks at the worker's own sockets twice a second and asks the kernel what moved. The law here:
what is closed is what stood still, never what the server is busy with; addresses are compared in memory, for a
moment, and nothing about them is stored or logged.
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

LOOK_SECONDS: Final = 0.5
# When more than half of the places are taken, whatever stands still has only this long.
CROWDED_SECONDS: Final = 2.0
# Bytes of an answer that the kernel keeps for a client: enough for 5 Mbit/s over 100 ms. What fits is made at once, so
# whoever asks for many answers and reads none gets few of them.
SEND_BUFFER: Final = 64 * 1024
_FOLDER: Final = Path("/proc/self/fd")
# struct tcp_info of Linux: tcpi_unacked, tcpi_bytes_acked, tcpi_bytes_received, tcpi_notsent_bytes.
_TCP_INFO: Final = struct.Struct("=24xI92xQQ8xI")
# An address of version 4, written as one of version 6.
_MAPPED: Final = bytes(10) + b"\xff\xff"


class Key(NamedTuple):
    """Which connection: a number may soon be another one's, together with the client it is not."""

    file: int
    client: Client


class Seen(NamedTuple):
    """A connection as the kernel describes it."""

    is_waiting: bool
    taken: int
    received: int


@dataclass(slots=True)
class Progress:
    """What is remembered of a connection from look to look."""

    seen: Seen
    moved: float
    # Since when it has had something to read without a break, and what it had read by then.
    waiting_since: float
    taken_before: int

    def update(self, seen: Seen, now: float, *, is_answered: bool) -> None:
        """Compare with the last look; while the server works on an answer nothing can move."""
        before, self.seen = self.seen, seen
        # While something waits to be read, reading alone counts. Whoever asks for more meanwhile stands still.
        is_busy = not seen.is_waiting and (is_answered or seen.received != before.received)
        if is_busy or seen.taken != before.taken:
            self.moved = now
        if not seen.is_waiting:
            self.waiting_since, self.taken_before = now, seen.taken


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What a connection may do without being closed."""

    answer_wait: float
    slowest_reader: int
    crowd: int
    per_address: int | None

    @classmethod
    def of(cls, settings: Settings) -> Rules:
        """Read the settings; behind a proxy all connections have its address, and it counts its own clients."""
        return cls(
            answer_wait=settings.answer_wait,
            slowest_reader=settings.slowest_reader,
            crowd=settings.connections // 2,
            per_address=settings.connections_per_address if settings.insecure_without_tls else None,
        )

    def is_stalled(self, one: Progress, now: float, *, is_crowded: bool) -> bool:
        """Tell whether a connection stood still for too long, or is read too slowly."""
        still = now - one.moved
        if is_crowded and still > min(CROWDED_SECONDS, self.answer_wait):
            return True
        if not one.seen.is_waiting:
            # Headers and bodies that do not come have times of their own.
            return False
        owed = self.slowest_reader * (now - one.waiting_since - self.answer_wait)
        return still > self.answer_wait or one.seen.taken - one.taken_before < owed


class Watch:
    """The connections of this process."""

    def __init__(self, rules: Rules, answering: Container[Client], ports: Container[int]) -> None:
        """Watch what came in by these ports; a client whose request is being answered is left alone."""
        self._rules, self._answering, self._ports = rules, answering, ports
        self._known: dict[Key, Progress] = {}

    def start(self) -> None:
        """Look again and again, in a thread; only Linux tells what is needed."""
        if _FOLDER.exists() and hasattr(socket, "TCP_INFO"):
            threading.Thread(target=self._look_on, name="hushpoll-connections", daemon=True).start()

    def _look_on(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            self.look(time.monotonic())

    def look(self, now: float) -> None:
        """Compare all connections with the last look, and close those that break a rule."""
        seen = dict(_connections(self._ports))
        new = {key: Progress(one, now, now, one.taken) for key, one in seen.items() if key not in self._known}
        # The oldest first, as dictionaries keep them.
        self._known = {key: one for key, one in self._known.items() if key in seen} | new
        for key, one in self._known.items():
            one.update(seen[key], now, is_answered=key.client in self._answering)
        for key in [*self._stalled(now), *self._too_many()]:
            _close(key)

    def _stalled(self, now: float) -> Iterator[Key]:
        is_crowded = len(self._known) > self._rules.crowd
        return (key for key, one in self._known.items() if self._rules.is_stalled(one, now, is_crowded=is_crowded))

    def _too_many(self) -> Iterator[Key]:
        if self._rules.per_address is None:
            return
        numbers = Counter[bytes]()
        for key in self._known:
            origin = origin_of(key.client[0])
            numbers[origin] += 1
            if numbers[origin] > self._rules.per_address:
                yield key


def origin_of(address: str) -> bytes:
    """Return what one subscriber holds: an address of version 4, or the first half of one of version 6."""
    if ":" not in address:
        return socket.inet_aton(address)
    number = socket.inet_pton(socket.AF_INET6, address.partition("%")[0])
    return number[-4:] if number.startswith(_MAPPED) else number[:8]


def prepare_listeners() -> frozenset[int]:
    """Return the ports that this process is bound to, after a bound is set on what the kernel keeps for a client."""
    return frozenset(port for file in _files() for port in _prepare(file))


def _prepare(file: int) -> Iterator[int]:
    with suppress(OSError), _borrow(file) as one:
        if isinstance(own := one.getsockname(), tuple) and not _is_connected(one):
            # Every connection inherits it from the socket that listens, or soon will.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
            yield own[1]


def _is_connected(one: socket.socket) -> bool:
    with suppress(OSError):
        return bool(one.getpeername())
    return False


def _connections(ports: Container[int]) -> Iterator[tuple[Key, Seen]]:
    for file in _files():
        # Not a socket, not connected, or gone meanwhile.
        with suppress(OSError), _borrow(file) as one:
            # Sockets of this machine alone have a path in place of a host and a port.
            if (client := _client_of(one)) and one.getsockname()[1] in ports:
                unacked, taken, received, unsent = _TCP_INFO.unpack(
                    one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO.size)
                )
                yield Key(file, client), Seen(bool(unacked or unsent), taken, received)


def _client_of(one: socket.socket) -> Client | None:
    address = one.getpeername()
    return (address[0], str(address[1])) if isinstance(address, tuple) else None


def _files() -> Iterator[int]:
    return (int(path.name) for path in _FOLDER.iterdir())


@contextmanager
def _borrow(file: int) -> Iterator[socket.socket]:
    one = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=file)
    try:
        yield one
    finally:
        one.detach()


def _close(key: Key) -> None:
    # A copy cannot become another connection while it is looked at.
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=os.dup(key.file)) as one:
        if _client_of(one) == key.client:
            # The kernel drops what was not read, too.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.shutdown(socket.SHUT_RDWR)
