"""Read the body of a request: its size, its encoding, its lines.

Whatever is sent, the outcome is a list of bodies within the limits or a problem; memory is bounded by the limit. All
reports to a manifest have the same length, and each contains an id of 16 random bytes. This limits the number of
reports in a compressed body, and the number of lines in a body of a given size; more is refused before a line is read.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Literal

from flask import Request
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from hushpoll_shared.problems import (
    BAD_ENCODING,
    BAD_LENGTH,
    NOT_A_BATCH,
    TOO_LARGE,
    WRONG_MEDIA_TYPE,
    ProblemError,
)
from hushpoll_shared.report import ID_BYTES, LARGEST_REPORT

Kind = Literal["one", "many"]
_KINDS: dict[str, Kind] = {"application/json": "one", "application/x-ndjson": "many"}
_GZIP = 16 + zlib.MAX_WBITS
# To allow for blank lines, other spellings and some bad lines: twice what the reports alone need, and a little more.
_ALLOWANCE = 2
_SPARE_LINES = 100


def kind_of(request: Request) -> Kind:
    """Return whether a request has one report or many, by its media type."""
    try:
        return _KINDS[request.mimetype]
    except KeyError:
        raise ProblemError(WRONG_MEDIA_TYPE) from None


def read_body(request: Request, limit: int, *, report_length: int = LARGEST_REPORT) -> bytes:
    """Read the whole body and decompress it; refuse more than the limit, or than reports could decompress to."""
    request.max_content_length = limit
    try:
        data = request.get_data(cache=False)
    except RequestEntityTooLarge:
        raise ProblemError(TOO_LARGE) from None
    except ClientDisconnected:
        raise ProblemError(BAD_LENGTH) from None
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    return _decompress(data, encoding, min(limit, _largest_decompressed(len(data), report_length)))


def lines_of(data: bytes, report_length: int) -> Iterator[tuple[int, bytes]]:
    """Return the lines of NDJSON that are not blank, with their numbers from 1."""
    if data.count(b"\n") > _ALLOWANCE * (len(data) // report_length) + _SPARE_LINES:
        raise ProblemError(NOT_A_BATCH)
    return ((number, line) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip())


def _largest_decompressed(compressed: int, report_length: int) -> int:
    # The random id of a report cannot be compressed.
    return LARGEST_REPORT + _ALLOWANCE * (report_length + 1) * compressed // ID_BYTES


def _decompress(data: bytes, encoding: str, limit: int) -> bytes:
    if encoding == "identity":
        return data
    if encoding != "gzip":
        raise ProblemError(WRONG_MEDIA_TYPE)
    stream = zlib.decompressobj(_GZIP)
    try:
        plain = stream.decompress(data, limit + 1)
    except zlib.error:
        raise ProblemError(BAD_ENCODING) from None
    if len(plain) > limit:
        raise ProblemError(TOO_LARGE)
    if not stream.eof or stream.unused_data:
        raise ProblemError(BAD_ENCODING)
    return plain
