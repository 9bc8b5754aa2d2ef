"""The requests of a load as bytes, each made when it is sent.

A report gets a fresh random id each time, so that it is new to the server, and keeps its length.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Sequence
from itertools import cycle, islice

HOST = "127.0.0.1"

NextRequest = Callable[[], bytes]

_ID = b'"id":"'
_ID_DIGITS = 32
# As a client on a phone would choose: more effort gains little on random draws.
_GZIP_LEVEL = 1


def empty_requests(path: str, headers: Sequence[str] = (), *, host: str = HOST) -> NextRequest:
    """Return a function that makes requests for a page."""
    request = _head("GET", path, host, headers) + b"\r\n"
    return lambda: request


def report_requests(path: str, reports: Sequence[bytes], *, host: str = HOST) -> NextRequest:
    """Return a function that makes requests with one report each, in turn."""
    head = _head("POST", path, host, ["Content-Type: application/json"])
    pieces = cycle([_split(head + b"Content-Length: %d\r\n\r\n" % len(report), report) for report in reports])

    def next_request() -> bytes:
        before, after = next(pieces)
        return before + os.urandom(_ID_DIGITS // 2).hex().encode() + after

    return next_request


def batch_requests(
    path: str,
    reports: Sequence[bytes],
    size: int,
    *,
    headers: Sequence[str] = (),
    compressed: bool = False,
    host: str = HOST,
) -> NextRequest:
    """Return a function that makes batches of this many reports; the headers hold the token of a gateway."""
    encoding = ["Content-Encoding: gzip"] if compressed else []
    head = _head("POST", path, host, ["Content-Type: application/x-ndjson", *encoding, *headers])
    pieces = cycle([_split(b"", report + b"\n") for report in reports])

    def next_request() -> bytes:
        body = b"".join(_with_fresh_ids(list(islice(pieces, size))))
        body = gzip.compress(body, _GZIP_LEVEL) if compressed else body
        return head + b"Content-Length: %d\r\n\r\n" % len(body) + body

    return next_request


def _with_fresh_ids(pieces: Sequence[tuple[bytes, bytes]]) -> list[bytes]:
    digits = os.urandom(_ID_DIGITS // 2 * len(pieces)).hex().encode()
    starts = range(0, len(digits), _ID_DIGITS)
    return [
        before + digits[start : start + _ID_DIGITS] + after
        for start, (before, after) in zip(starts, pieces, strict=True)
    ]


def _head(method: str, path: str, host: str, headers: Sequence[str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *headers]
    return "".join(f"{line}\r\n" for line in lines).encode()


def _split(head: bytes, report: bytes) -> tuple[bytes, bytes]:
    start = report.index(_ID) + len(_ID)
    return head + report[:start], report[start + _ID_DIGITS :]
