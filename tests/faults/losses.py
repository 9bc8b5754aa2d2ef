"""A proxy that lets every request through and loses answers: the server has committed, and its client cannot know."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from enum import Enum
from socketserver import StreamRequestHandler

from tests.client.servers import read_request, talking
from tests.faults.sockets import exchange

ERROR = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Loss(Enum):
    """What becomes of an answer."""

    NONE = "passed on"
    ALL = "connection closed"
    HALF = "half of the answer"
    OTHER = "500 in its place"


def losing(port: int, losses: Iterator[Loss]) -> AbstractContextManager[str]:
    """Proxy a server and yield the address; each response to a POST suffers the next loss, while there is one."""

    def pass_on(handler: StreamRequestHandler) -> None:
        request = read_request(handler)
        answer = exchange(port, request)
        loss = next(losses, Loss.NONE) if request.startswith(b"POST") else Loss.NONE
        handler.wfile.write(_left(answer, loss))

    return talking(pass_on)


def _left(answer: bytes, loss: Loss) -> bytes:
    return {Loss.NONE: answer, Loss.ALL: b"", Loss.HALF: answer[: len(answer) // 2], Loss.OTHER: ERROR}[loss]
