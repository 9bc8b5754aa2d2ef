"""Large answers on their way out: in pieces, and each in memory once, however many clients read it.

An answer that is given away whole waits in memory until its client has read it. With three thousand clients that ask
for a long form and read nothing that is gigabytes. In pieces the next one is made when the last one is gone. What is
left is one copy of each different answer and a few pieces for each connection.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from hushpoll_server.wsgi import Answer, Message

# Most answers are smaller and leave at once.
PIECE: Final = 32 * 1024


class LeavingAnswers:
    """The large answers that are being sent now."""

    def __init__(self) -> None:
        """Begin with none."""
        self._readers: dict[bytes, tuple[bytes, int]] = {}

    def enter(self, answer: Answer) -> Answer:
        """Return the same answer, whose body others may be reading, too."""
        if len(answer.body) <= PIECE:
            return answer
        body, readers = self._readers.get(answer.body, (answer.body, 0))
        self._readers[body] = body, readers + 1
        return replace(answer, body=body)

    def leave(self, answer: Answer) -> None:
        """Forget a body that nobody reads any more."""
        body, readers = self._readers.get(answer.body, (b"", 0))
        if readers > 1:
            self._readers[body] = body, readers - 1
        else:
            self._readers.pop(body, None)


async def send_body(body: bytes, send: Callable[[Message], Awaitable[None]]) -> None:
    """Send a body; each piece waits until there is room for it on the way to the client."""
    last = max(0, len(body) - 1) // PIECE * PIECE
    for start in range(0, last, PIECE):
        await send({"type": "http.response.body", "body": body[start : start + PIECE], "more_body": True})
    await send({"type": "http.response.body", "body": body[last:]})
