"""Connections that stand still are closed, and no others. Real sockets of this machine; the clock is the test's."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest

from hushpoll_server.settings import Settings
from hushpoll_server.web.connections import (
    CROWDED_SECONDS,
    SEND_BUFFER_BYTES,
    Client,
    ConnectionRules,
    Watch,
    origin_of,
    prepare_listeners,
)

pytestmark = pytest.mark.loopback

RULES = ConnectionRules(response_wait=10, slowest_reader=1000, crowded_above=100, per_address=None)
MUCH = bytes(4_000_000)


@dataclass
class Server:
    """A listener whose connections never read or write by themselves."""

    stack: ExitStack
    rules: ConnectionRules = RULES
    handling: set[Client] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.listener = self.stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self.listener.settimeout(5)
        self.watch = Watch(self.rules, self.handling, {self.listener.getsockname()[1]})

    def connect(self) -> tuple[socket.socket, socket.socket]:
        """Return the client's and the server's end of a new connection."""
        client = self.stack.enter_context(socket.socket())
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(self.listener.getsockname())
        own = self.stack.enter_context(self.listener.accept()[0])
        for end in (client, own):
            end.setblocking(False)
        return client, own


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def name_of(client: socket.socket) -> Client:
    """Return what the server calls a client."""
    host, port = client.getsockname()
    return host, str(port)


def is_closed(own: socket.socket) -> bool:
    """Return whether the server's end was shut down: nothing more can be sent."""
    try:
        own.send(b"x")
    except BlockingIOError:
        return False
    except OSError:
        return True
    return False


def read(client: socket.socket, most: int) -> None:
    """Read what has arrived, or wait for it: under load the kernel delivers late."""
    select.select([client], [], [], 10)
    client.recv(most)


def fill(own: socket.socket) -> None:
    """Send until nothing more fits."""
    try:
        while True:
            own.send(MUCH)
    except BlockingIOError:
        return


def test_a_client_that_reads_nothing_of_its_answer_is_closed_when_its_time_is_over(stack: ExitStack) -> None:
    server = Server(stack)
    _, own = server.connect()
    fill(own)
    for now in (0.0, 5.0, 9.9):
        server.watch.check(now)
        assert not is_closed(own)
    server.watch.check(10.1)
    assert is_closed(own)


def test_a_client_that_sends_request_after_request_and_reads_nothing_is_closed_too(stack: ExitStack) -> None:
    server = Server(stack)
    client, own = server.connect()
    fill(own)
    # The next request is being answered although the last answer was not read.
    server.handling.add(name_of(client))
    for now in range(11):
        client.send(b"GET / HTTP/1.1\r\n")
        server.watch.check(now)
    server.watch.check(10.1)
    assert is_closed(own)


def test_a_client_that_reads_drop_by_drop_is_closed_long_before_it_is_done(stack: ExitStack) -> None:
    server = Server(stack)
    client, own = server.connect()
    fill(own)
    closed_at = None
    for now in range(0, 400, 5):
        server.watch.check(now)
        if is_closed(own):
            closed_at = now
            break
        # Always enough to move the window, never enough to get on.
        read(client, 3000)
        fill(own)
    assert closed_at is not None
    # 600 bytes a second, of the 1,000 that are asked of everybody after the first ten seconds.
    assert 15 <= closed_at <= 60


def test_a_slow_phone_that_keeps_reading_is_served_to_the_end(stack: ExitStack) -> None:
    server = Server(stack)
    client, own = server.connect()
    for now in range(60):
        fill(own)
        server.watch.check(now)
        # 400 kbit/s.
        for _ in range(25):
            read(client, 2000)
    assert not is_closed(own)


def test_an_idle_connection_is_left_to_the_time_for_headers(stack: ExitStack) -> None:
    server = Server(stack)
    _, own = server.connect()
    for now in (0.0, 100.0, 1000.0):
        server.watch.check(now)
    assert not is_closed(own)


def test_in_a_crowd_whoever_stands_still_goes_at_once_and_whoever_moves_or_is_answered_stays(stack: ExitStack) -> None:
    server = Server(stack, ConnectionRules(response_wait=10, slowest_reader=1000, crowded_above=3, per_address=None))
    silent, idle, answered, moving = (server.connect() for _ in range(4))
    fill(silent[1])
    server.handling.add(name_of(answered[0]))
    for now in (0.0, CROWDED_SECONDS / 2, CROWDED_SECONDS + 0.1):
        moving[0].send(b"x")
        server.watch.check(now)
    assert [is_closed(own) for _, own in (silent, idle, answered, moving)] == [True, True, False, False]


def test_an_answer_that_took_long_to_compute_gets_its_whole_time_to_be_read(stack: ExitStack) -> None:
    server = Server(stack)
    client, own = server.connect()
    server.handling.add(name_of(client))
    server.watch.check(0.0)
    server.watch.check(60.0)
    server.handling.clear()
    fill(own)
    server.watch.check(60.5)
    server.watch.check(69.0)
    assert not is_closed(own)
    server.watch.check(70.6)
    assert is_closed(own)


def test_one_address_holds_so_many_connections_and_the_first_ones_stay(stack: ExitStack) -> None:
    server = Server(stack, ConnectionRules(response_wait=10, slowest_reader=1000, crowded_above=100, per_address=3))
    ends = [server.connect()[1] for _ in range(2)]
    server.watch.check(0.0)
    ends += [server.connect()[1] for _ in range(4)]
    server.watch.check(1.0)
    assert [is_closed(own) for own in ends][:3] == [False] * 3
    assert sum(map(is_closed, ends)) == 3


def test_other_connections_of_the_process_are_none_of_its_business(stack: ExitStack) -> None:
    server, other = Server(stack), Server(stack)
    client, own = other.connect()
    fill(own)
    for now in (0.0, 1000.0):
        server.watch.check(now)
    assert not is_closed(own)
    assert not is_closed(client)


def test_the_kernel_keeps_little_for_each_client(stack: ExitStack) -> None:
    server = Server(stack)
    assert server.listener.getsockname()[1] in prepare_listeners()
    _, own = server.connect()
    # Linux doubles it for its own books.
    assert own.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) == 2 * SEND_BUFFER_BYTES


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:192.0.2.7", "192.0.2.7", True),
        ("fe80::1%eth0", "fe80::2", True),
    ],
)
def test_a_subscriber_of_version_6_has_a_whole_network_and_counts_once(one: str, other: str, *, same: bool) -> None:
    assert (origin_of(one) == origin_of(other)) is same


def test_behind_a_proxy_no_address_is_limited_and_without_one_each_is() -> None:
    assert ConnectionRules.of(Settings()).per_address is None
    assert ConnectionRules.of(Settings(insecure_without_tls=True)).per_address == Settings().connections_per_address
