"""Send a response while it is made: a file of a million reports, or a page that says how far its figures are.

A thread is used only while a piece is made, so a few slow readers do not use up the threads. The rules here: the next
piece is made when the connection has room for it; nothing is made for a client that has left; and a response that fails
midway ends without its last message, which breaks the connection, so that nobody takes a part for the whole.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from hushpoll_server.web.outgoing import PIECE_BYTES
from hushpoll_server.web.wsgi import Message, Rest

log = logging.getLogger(__name__)

Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
# Runs work in a thread.
Run = Callable[[Callable[[], bytes | None]], Awaitable[bytes | None]]


async def send_rest(rest: Rest, receive: Receive, send: Send, run: Run) -> None:
    """Send what an application has still to make."""
    # granian does not say that nobody reads what is sent: only the client's side of the connection does.
    left = asyncio.ensure_future(_left(receive))
    try:
        await _send(rest, left, send, run)
    except Exception as error:  # noqa: BLE001 (whatever it was, the response must not look complete)
        # Only the type: the text of an error could contain what was sent.
        log.error("a response was broken off: %s", type(error).__name__)
    finally:
        left.cancel()


async def _send(rest: Rest, left: asyncio.Future[None], send: Send, run: Run) -> None:
    while not left.done():
        piece = await run(partial(rest.next_piece, PIECE_BYTES))
        if piece is None:
            await send({"type": "http.response.body", "body": b""})
            return
        for start in range(0, len(piece), PIECE_BYTES):
            await send({"type": "http.response.body", "body": piece[start : start + PIECE_BYTES], "more_body": True})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
