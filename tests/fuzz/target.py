"""All that reads what was sent, as one function of bytes: a report, lines of reports, a packed body.

The law that is tried: the outcome is a report that fits or a problem of the closed list. Whatever else is a crash.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from io import BytesIO
from random import Random

from flask import Request
from tests.fuzz import bodies as fuzz_bodies

from hushpoll_server.collect.body import lines_of, read_body
from hushpoll_shared import report
from hushpoll_shared.problems import ALL, ProblemError

MANIFEST = fuzz_bodies.everything()
LARGEST_BATCH = 200_000

Read = Callable[[bytes], None]
outcomes: Counter[str] = Counter()


def try_one(data: bytes) -> None:
    """Let the first byte choose how the rest is read."""
    if data:
        judge(WAYS[data[0] % len(WAYS)], data[1:])


def judge(read: Read, data: bytes) -> None:
    """Read in one way and count what came of it."""
    try:
        read(data)
    except ProblemError as error:
        problem = error.problem
    else:
        outcomes["read"] += 1
        return
    assert problem in ALL
    outcomes[problem.name] += 1


def read_one(data: bytes) -> None:
    """Read a report; what was read has one spelling."""
    found = report.decode(data, MANIFEST)
    assert report.decode(found.encode(), MANIFEST) == found


def read_many(data: bytes) -> None:
    """Read each line alone."""
    for _, line in lines_of(data, report.report_length(MANIFEST)):
        judge(read_one, line)


def read_packed(data: bytes) -> None:
    """Unpack the body of a request, then read its lines."""
    plain = read_body(_request(data), LARGEST_BATCH, report_length=report.report_length(MANIFEST))
    assert len(plain) <= LARGEST_BATCH
    read_many(plain)


WAYS: tuple[Read, ...] = (read_one, read_many, read_packed)


def seeds(number: int) -> Iterator[bytes]:
    """Return inputs to start from: real reports and spoiled ones, for each way."""
    random = Random(20261116)
    for _ in range(number):
        body = fuzz_bodies.body(random, MANIFEST)
        for way, data in enumerate((body, b"\n".join([body, body]), gzip.compress(body))):
            yield bytes([way]) + data


def _request(body: bytes) -> Request:
    environ = {
        "REQUEST_METHOD": "POST",
        "CONTENT_TYPE": "application/x-ndjson",
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": "gzip",
        "wsgi.input": BytesIO(body),
    }
    return Request(environ)
