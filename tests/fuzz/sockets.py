"""Hostile requests over the sockets of the real server: many connections, each with several requests under way."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from tests.fuzz.laws import Response, Tally
from tests.fuzz.requests import Request
from tests.server.web.loops import run

CONNECTIONS, UNDER_WAY = 64, 4
# A request without a response after this time is counted as left hanging.
SECONDS = 5.0
# A head that is cut short is closed when the server's own time limit is over.
HEAD_TIMEOUT = 40.0


class Supply:
    """A limited number of requests, for the first who ask."""

    def __init__(self, make: Callable[[], Request], number: int) -> None:
        self._make, self._left = make, number

    def take(self, most: int) -> list[Request]:
        """Return the next requests; none when there are no more."""
        number = min(most, self._left)
        self._left -= number
        return [self._make() for _ in range(number)]


def send_all(port: int, make: Callable[[], Request], number: int) -> Tally:
    """Send this many requests and judge every response."""
    supply, tally = Supply(make, number), Tally()

    async def send() -> None:
        await asyncio.gather(*(_send_from(supply, port, tally) for _ in range(CONNECTIONS)))

    run(send())
    return tally


def send_broken(port: int, make: Callable[[], tuple[str, bytes]], number: int) -> Counter[str]:
    """Send broken HTTP, each on a connection of its own; count the kinds with the statuses of the responses."""
    outcomes: Counter[str] = Counter()
    waiting = iter(range(number))

    async def send_one_by_one() -> None:
        for _ in waiting:
            kind, data = make()
            outcomes[f"{kind}: {await _outcome(port, data)}"] += 1

    async def send() -> None:
        await asyncio.gather(*(send_one_by_one() for _ in range(CONNECTIONS)))

    run(send())
    return outcomes


async def _send_from(supply: Supply, port: int, tally: Tally) -> None:
    pending = supply.take(UNDER_WAY)
    while pending:
        pending = await _converse(supply, port, pending, tally) or supply.take(UNDER_WAY)


async def _converse(supply: Supply, port: int, pending: list[Request], tally: Tally) -> list[Request]:
    """Use one connection until it ends; return the requests that got no response."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    is_new = True
    try:
        while pending:
            writer.write(b"".join(map(bytes, pending)))
            while pending:
                response = await asyncio.wait_for(_read(reader, pending[0].method), SECONDS)
                tally.add(pending.pop(0), response)
                is_new = False
                if response.headers.get("connection") == "close":
                    return pending
            pending = supply.take(UNDER_WAY)
    except TimeoutError:
        tally.hangs += 1
        tally.wrong.append(f"no response in {SECONDS} s to {bytes(pending.pop(0))[:600]!r}")
    except (ConnectionError, asyncio.IncompleteReadError):
        # Whoever waited too long with the next request may find the connection closed, and tries another.
        if is_new:
            tally.wrong.append(f"closed without a response: {bytes(pending.pop(0))[:600]!r}")
    finally:
        await _close(writer)
    return pending


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


async def _read(reader: asyncio.StreamReader, method: str) -> Response:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    status = int(head[9:12])
    if status < 200:
        return await _read(reader, method)
    lines = head.split("\r\n")[1:-2]
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    empty = method == "HEAD" or status in (204, 304)
    if headers.get("transfer-encoding") == "chunked" and not empty:
        return Response(status, headers, await _read_chunks(reader))
    size = 0 if empty else int(headers.get("content-length", 0))
    return Response(status, headers, await reader.readexactly(size))


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    parts = []
    while size := int(await reader.readuntil(b"\r\n"), 16):
        parts.append((await reader.readexactly(size + 2))[:-2])
    await reader.readuntil(b"\r\n")
    return b"".join(parts)


async def _outcome(port: int, data: bytes) -> str:
    """Send it, wait until the server closes, and return the statuses of its responses."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    received = b""
    try:
        writer.write(data)
        async with asyncio.timeout(HEAD_TIMEOUT):
            while chunk := await reader.read(65536):
                received += chunk
    except TimeoutError:
        return "left hanging"
    except ConnectionError:
        # A server that has refused already may close before it has read everything.
        pass
    finally:
        await _close(writer)
    statuses = [part[:3].decode("latin-1") for part in received.split(b"HTTP/1.1 ")[1:]]
    return " ".join(statuses) or "closed"
