"""Read the body of a request: its size, its encoding, its lines.

Whatever is sent, the outcome is a list of bodies within the limits or a problem; memory is bounded by the limit.
"""

from __future__ import annotations

import zlib
from typing import Literal

from flask import Request
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from hushpoll_shared.problems import BAD_ENCODING, BAD_LENGTH, TOO_LARGE, WRONG_MEDIA_TYPE, ProblemError
from hushpoll_shared.report import LARGEST_REPORT

Kind = Literal["one", "many"]
_KINDS: dict[str, Kind] = {"application/json": "one", "application/x-ndjson": "many"}
_GZIP = 16 + zlib.MAX_WBITS


def kind_of(request: Request) -> Kind:
    """Tell by its media type whether a request brings one report or many."""
    try:
        return _KINDS[request.mimetype]
    except KeyError:
        raise ProblemError(WRONG_MEDIA_TYPE) from None


def read_body(request: Request, largest_batch: int) -> bytes:
    """Read the whole body, decompressed, if it is within the limit of its kind."""
    limit = LARGEST_REPORT if kind_of(request) == "one" else largest_batch
    request.max_content_length = limit
    try:
        data = request.get_data(cache=False)
    except RequestEntityTooLarge:
        raise ProblemError(TOO_LARGE) from None
    except ClientDisconnected:
        raise ProblemError(BAD_LENGTH) from None
    return _decompress(data, request.headers.get("Content-Encoding", "identity").strip().lower(), limit)


def lines_of(data: bytes) -> list[tuple[int, bytes]]:
    """Split NDJSON into its lines that are not blank, with their numbers from 1."""
    return [(number, line) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip()]


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
