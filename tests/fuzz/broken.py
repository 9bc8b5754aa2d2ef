"""What is not sound HTTP: lengths that lie, chunks that are none, heads without an end.

Each needs a connection of its own, because nobody can say where it ends.
"""

from __future__ import annotations

from random import Random

from tests.fuzz import bodies as fuzz_bodies
from tests.fuzz.bodies import CANARY
from tests.fuzz.requests import JSON, NDJSON

from hushpoll_shared.manifest import Manifest

LENGTHS = (b"-1", b"+5", b"0x10", b"1e3", b"5, 5", b"5 5", b"", b"9" * 30, b"18446744073709551616", b"\xd9\xa5", b"1_0")
CHUNKS = (
    b"zz\r\n", b"-1\r\n", b"ffffffffffffffff\r\n", b"fffffffffffffffff\r\n", b"5\r\nab\r\n", b"1;" + b"x" * 99_999,
    b"\r\n", b"0x5\r\n",
)  # fmt: skip
TRANSFERS = (
    b"Transfer-Encoding: gzip, chunked\r\n", b"Transfer-Encoding: identity\r\n",
    b"Transfer-Encoding: chunked, chunked\r\n", b"Transfer-Encoding : chunked\r\n",
    b"Transfer-Encoding: xchunked\r\n", b"Transfer-Encoding:\x0bchunked\r\n",
)  # fmt: skip
LINES = (
    b"GET / HTTP/9.9", b"GET /", b"GET  /  HTTP/1.1", b"GET / HTTP/1.0", b"PRI * HTTP/2.0", b"GET * HTTP/1.1",
    b"CONNECT a:1 HTTP/1.1", b"OPTIONS * HTTP/1.1", b"GET http://[::1/ HTTP/1.1",
    b"GET http://" + CANARY.encode() + b"/s/all HTTP/1.1", b"GET /\xff HTTP/1.1", b"GET /a b HTTP/1.1",
    b"\x16\x03\x01\x02\x00\x01\x00", b"GET /" + b"a" * 70_000 + b" HTTP/1.1", b"G\x00T / HTTP/1.1", b"",
)  # fmt: skip


def broken(random: Random, manifest: Manifest) -> tuple[str, bytes]:
    """Return the kind of what is wrong, and the bytes to send."""
    body = fuzz_bodies.body(random, manifest)
    path = f"/api/v1/surveys/{manifest.survey}/reports"
    start = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {random.choice((JSON, NDJSON))}\r\n".encode()
    length = b"Content-Length: %d\r\n" % len(body)
    chunked, piece = b"Transfer-Encoding: chunked\r\n", random.choice(fuzz_bodies.PIECES)
    ways = {
        "length too large": start + b"Content-Length: %d\r\n\r\n" % (len(body) + random.randint(1, 99)) + body,
        "length too small": start + b"Content-Length: %d\r\n\r\n" % (len(body) // 2) + body,
        "length that is none": start + b"Content-Length: " + random.choice(LENGTHS) + b"\r\n\r\n" + body,
        "two lengths": start + length + b"Content-Length: %d\r\n\r\n" % random.randint(0, 99) + body,
        "length and chunks": start + length + chunked + b"\r\n" + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body),
        "bad chunks": start + chunked + b"\r\n" + random.choice(CHUNKS) + body,
        "head cut short": (start + length + b"\r\n")[: random.randrange(1, 60)],
        "body cut short": start + length + b"\r\n" + body[: len(body) // 2],
        "other encoding": start + random.choice(TRANSFERS) + b"\r\n" + body,
        "headers without end": start + b"".join(b"X: %d\r\n" % i for i in range(random.choice((90, 200, 3000)))),
        "head of bad bytes": start.replace(b"Host", piece + b"Host") + length + b"\r\n" + body,
        "request line": random.choice(LINES) + b"\r\nHost: x\r\n\r\n" + body,
        "anything": random.randbytes(random.choice((1, 10, 1000, 50_000))),
    }
    kind = random.choice([*ways])
    return kind, ways[kind]
