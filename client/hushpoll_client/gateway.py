"""Many reports in one request, from a program that has a gateway's token.

For reports that others drew and stored, each on its own device or under its own respondent: field work, a relay, a
backend with a queue. A gateway keeps no ledger and no queue. The rules here: the same reports always make the same
bytes, so that a batch can be sent again whole; their order tells nothing, because they are sorted by their random ids.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hushpoll_client.backoff import asked_for
from hushpoll_client.errors import ServerRefused, ServerUnreachable
from hushpoll_client.events import ignore
from hushpoll_client.replies import fields_of, is_refusal, known_problem, problem_of
from hushpoll_client.server import LARGEST_REPLY, Server
from hushpoll_client.transport import Response, Transport, UrllibTransport
from hushpoll_shared.addresses import check_address
from hushpoll_shared.checks import check_name
from hushpoll_shared.errors import InvalidValue

# A server takes twice as many bytes by default.
LARGEST_BATCH = 4_000_000
_HEADERS = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip", "Accept": "application/json"}


@dataclass(frozen=True)
class Rejected:
    """A report that the server will not accept: its place among those that were submitted, from 0, and the reason.

    The reason is the type of a problem; None if the server named none of the list.
    """

    place: int
    problem: str | None


@dataclass(frozen=True)
class BatchReceipt:
    """What became of many reports; of those that were rejected, a server names the first hundred in each request."""

    accepted: int = 0
    duplicate: int = 0
    rejected_total: int = 0
    rejected: tuple[Rejected, ...] = ()

    def __add__(self, other: BatchReceipt) -> BatchReceipt:
        """Return the receipt of both batches."""
        return BatchReceipt(
            self.accepted + other.accepted,
            self.duplicate + other.duplicate,
            self.rejected_total + other.rejected_total,
            self.rejected + other.rejected,
        )


class Gateway:
    """A program that may send many reports at once to one server."""

    def __init__(self, url: str, *, token: str, transport: Transport | None = None, timeout: float = 60.0) -> None:
        """Set up the gateway; nothing is sent yet. `token` is what `hushpoll gateway add` printed."""
        if not token.isascii() or not token.isprintable() or " " in token or not token:
            raise InvalidValue("the token must be one word, as hushpoll gateway add prints it")
        self._server = Server(check_address(url), transport or UrllibTransport(), timeout, ignore)
        self._token = token

    def submit(self, survey: str, reports: Iterable[bytes]) -> BatchReceipt:
        """Send reports to a survey, each as `Report.encode` returns it; return what became of them.

        Raise `ServerUnreachable` if the server did not acknowledge all of them: submit the same reports again, and
        those that it has are duplicates. Raise `ServerRefused` if it does not take batches from this gateway.
        """
        check_name(survey, "a survey's name")
        numbered = sorted((_line(report), place) for place, report in enumerate(reports))
        return sum((self._send(survey, batch) for batch in _batches(numbered)), start=BatchReceipt())

    def _send(self, survey: str, batch: Sequence[tuple[bytes, int]]) -> BatchReceipt:
        body = gzip.compress(b"".join(line for line, _ in batch), mtime=0)
        headers = {**_HEADERS, "Authorization": f"Bearer {self._token}"}
        response = self._server.request("POST", f"{survey}/reports", headers, body, LARGEST_REPLY)
        if response.status != 200:
            raise _refusal(survey, response)
        return _receipt(fields_of(response), {number: place for number, (_, place) in enumerate(batch, start=1)})


def _line(report: bytes) -> bytes:
    if not (line := report.strip()) or b"\n" in line:
        raise InvalidValue("a report must be one line, as Report.encode returns it")
    return line + b"\n"


def _batches(reports: Sequence[tuple[bytes, int]]) -> Iterator[list[tuple[bytes, int]]]:
    batch: list[tuple[bytes, int]] = []
    size = 0
    for line, place in reports:
        if batch and size + len(line) > LARGEST_BATCH:
            yield batch
            batch, size = [], 0
        batch.append((line, place))
        size += len(line)
    if batch:
        yield batch


def _refusal(survey: str, response: Response) -> ServerRefused | ServerUnreachable:
    status = response.status
    message = f"the server did not take the reports to survey {survey} (status {status})"
    if is_refusal(response):
        cure = f"{message}: check the survey's name and the gateway's token"
        return ServerRefused(cure, survey=survey, status=status, problem=problem_of(response))
    wait = asked_for(response.headers) or None
    return ServerUnreachable(f"{message}: submit the same ones again later", status=status, retry_after=wait)


def _receipt(fields: Mapping[str, Any], places: Mapping[int, int]) -> BatchReceipt:
    """Read the server's reply, with the place of the report in each line; refuse one that does not count them all."""
    try:
        rejected = tuple(Rejected(places[each["line"]], known_problem(each["type"])) for each in fields["rejected"])
        receipt = BatchReceipt(fields["accepted"], fields["duplicate"], fields["rejected_total"], rejected)
        is_whole = receipt.accepted + receipt.duplicate + receipt.rejected_total == len(places)
    except (KeyError, TypeError):
        is_whole = False
    if not is_whole:
        raise ServerUnreachable("the reply does not count every report: submit the same ones again later")
    return receipt
