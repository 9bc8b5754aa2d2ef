"""Clients that do not behave: requests as bytes over plain sockets of this machine."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from hushpoll_server.commands.serve import allow_files

SECONDS = 30
_HOST = b"\r\nHost: 127.0.0.1"


def head(path: str, *headers: str) -> bytes:
    """Return the head of a POST."""
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: 127.0.0.1", *headers, "", ""]).encode()


def addressed(request: bytes, port: int) -> bytes:
    """Return a request with the port, unknown when it was made: a server responds to its whole address only."""
    return request.replace(_HOST + b"\r\n", b"%b:%d\r\n" % (_HOST, port))


def exchange(port: int, *parts: bytes) -> bytes:
    """Send parts of a request and give all that comes back until the server closes."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as client:
        # A server that has refused already may close before it has heard everything.
        with suppress(ConnectionError):
            for part in parts:
                client.sendall(addressed(part, port))
        return b"".join(_received(client))


@contextmanager
def stalled(port: int, number: int, sent: bytes) -> Iterator[list[socket.socket]]:
    """Hold connections open that have sent the beginning of a request and nothing more."""
    allow_files(number + 256)
    with ExitStack() as stack:
        clients = []
        for _ in range(number):
            clients.append(stack.enter_context(socket.create_connection(("127.0.0.1", port), SECONDS)))
            clients[-1].sendall(addressed(sent, port))
        yield clients


def _received(client: socket.socket) -> Iterator[bytes]:
    with suppress(ConnectionError):
        while chunk := client.recv(65536):
            yield chunk
