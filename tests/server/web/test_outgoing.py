"""Large responses leave in pieces, and each is in memory once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.server.web.loops import run

from hushpoll_server.web.outgoing import PIECE_BYTES, LargeResponses, send_body
from hushpoll_server.web.wsgi import Response


@pytest.mark.parametrize(
    "size", [0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES, 3 * PIECE_BYTES + 7]
)
def test_a_body_arrives_whole_and_no_message_is_larger_than_a_piece(size: int) -> None:
    body, messages = bytes(range(256)) * (size // 256 + 1), list[Any]()
    body = body[:size]

    async def send(message: Any) -> None:
        messages.append(message)

    run(send_body(body, send))
    assert b"".join(message["body"] for message in messages) == body
    assert max(len(message["body"]) for message in messages) <= PIECE_BYTES
    assert [message.get("more_body", False) for message in messages] == [True] * (len(messages) - 1) + [False]
    assert len(messages) == max(1, -(-size // PIECE_BYTES))


def test_a_client_that_reads_nothing_gets_no_further_piece() -> None:
    messages = list[Any]()

    async def send(message: Any) -> None:
        messages.append(message)
        await asyncio.Event().wait()

    async def story() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(send_body(bytes(100 * PIECE_BYTES), send), 0.05)

    run(story())
    assert len(messages) == 1


def test_many_readers_of_the_same_long_form_share_one_copy_which_goes_with_the_last() -> None:
    leaving, size = LargeResponses(), 2 * PIECE_BYTES
    first, second = (leaving.enter(Response(200, [], bytes(bytearray(size)))) for _ in range(2))
    assert first.body is second.body
    leaving.leave(first)
    assert leaving.enter(Response(200, [], bytes(bytearray(size)))).body is second.body
    leaving.leave(second)
    leaving.leave(second)
    assert leaving.enter(other := Response(200, [], bytes(bytearray(size)))).body is other.body


def test_an_answer_that_was_never_shared_can_leave() -> None:
    leaving, small = LargeResponses(), Response(200, [], b"x")
    assert leaving.enter(small) is small
    leaving.leave(small)
