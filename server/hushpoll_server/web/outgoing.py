"""Large responses: sent in pieces, and kept in memory once, however many clients read them.

A response that is sent as a whole stays in memory until its client has read it. With three thousand clients that ask
for a long form and read nothing, that is gigabytes. In pieces, the next one is made when the last one is gone: there is
one copy of each different response, and a few pieces for each connection.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from hushpoll_server.web.wsgi import Message, Response

# Most responses are smaller and are sent at once.
PIECE_BYTES: Final = 32 * 1024


class LargeResponses:
    """The large responses that are being sent now."""

    def __init__(self) -> None:
        """Begin with none."""
        self._readers: dict[bytes, tuple[bytes, int]] = {}

    def enter(self, response: Response) -> Response:
        """Return an equal response, which shares its body with others that are being sent."""
        if len(response.body) <= PIECE_BYTES:
            return response
        body, readers = self._readers.get(response.body, (response.body, 0))
        self._readers[body] = body, readers + 1
        return replace(response, body=body)

    def leave(self, response: Response) -> None:
        """Drop the body once nobody reads it any more."""
        body, readers = self._readers.get(response.body, (b"", 0))
        if readers > 1:
            self._readers[body] = body, readers - 1
        else:
            self._readers.pop(body, None)


async def send_body(body: bytes, send: Callable[[Message], Awaitable[None]]) -> None:
    """Send a body in pieces; each waits until the connection has room for it."""
    last = max(0, len(body) - 1) // PIECE_BYTES * PIECE_BYTES
    for start in range(0, last, PIECE_BYTES):
        await send({"type": "http.response.body", "body": body[start : start + PIECE_BYTES], "more_body": True})
    await send({"type": "http.response.body", "body": body[last:]})
