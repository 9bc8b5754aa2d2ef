"""The client for programs with an event loop: the same core, each call in a worker thread.

The rule here: no promise is kept twice. What takes time is a request, a commit of the state and the check of a
signature; the standard library has no asynchronous form of any of them. A call that is cancelled runs to its end in its
thread, so that a report is either queued or settled, never in between.
"""

from __future__ import annotations

from asyncio import to_thread
from types import TracebackType
from typing import TYPE_CHECKING, Self

from hushpoll_client.client import Client
from hushpoll_client.outbox import Receipt

if TYPE_CHECKING:
    from hushpoll_client.survey import Survey
    from hushpoll_shared.report import Report


class AsyncClient:
    """A client whose calls are awaited; `Survey.randomize` is quick and stays as it is."""

    def __init__(self, client: Client) -> None:
        """Take over a client; its `on_event` and its `sleep` are then called in worker threads."""
        self._client = client

    async def survey(self, name: str) -> Survey:
        """Fetch a survey and verify it, as `Client.survey` does."""
        return await to_thread(self._client.survey, name)

    async def submit(self, report: Report) -> Receipt:
        """Store the report, then send it, as `Client.submit` does."""
        return await to_thread(self._client.submit, report)

    async def flush(self, *, wait_seconds: float = 0, send_together: bool = False) -> list[Receipt]:
        """Send what is queued, as `Client.flush` does."""
        return await to_thread(self._client.flush, wait_seconds=wait_seconds, send_together=send_together)

    async def receipt(self, name: str) -> Receipt | None:
        """Return the receipt of this state's report to a survey, if there is one."""
        return await to_thread(self._client.receipt, name)

    async def spent(self) -> str:
        """Return the total epsilon of all reports in the state, as an exact decimal."""
        return await to_thread(lambda: self._client.spent)

    async def close(self) -> None:
        """Close the client; what is queued stays in its file."""
        await to_thread(self._client.close)

    async def __aenter__(self) -> Self:
        """Use the client in an `async with` block."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the client at the end of the block."""
        await self.close()
