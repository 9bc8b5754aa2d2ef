"""Requests that nobody honest would send, each of them sound HTTP: what is wrong with them is for the server to find.

The canary stands wherever a sender can put something.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from urllib.parse import quote

from tests.fuzz import bodies as fuzz_bodies
from tests.fuzz.bodies import CANARY

from hushpoll_shared.manifest import Manifest

METHODS = ("GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "post", "M-SEARCH", CANARY.upper())
JSON, NDJSON = "application/json", "application/x-ndjson"
TYPES = (
    "application/json; charset=utf-8", "application/json;charset=utf-16", "APPLICATION/JSON",
    "application/json, text/plain", "application/json;", "application/jsonp", "application/x-ndjson; charset=latin-1",
    "text/plain", "text/html", "", "application/x-www-form-urlencoded", "multipart/form-data",
    "multipart/form-data; boundary=x", "a/b; c=\"\\", "*/*", f"application/{CANARY}", "application/json\t; q",
    "application/gzip", "x" * 3000,
)  # fmt: skip
ENCODINGS = (
    "gzip", "GZIP", " gzip ", "identity", "br", "deflate", "zstd", "gzip, gzip", "gzip,identity", "", CANARY,
    "x" * 999,
)  # fmt: skip
PATHS = (
    "/", "//", "/.", "/..", "/%2e%2e/%2e%2e/etc/passwd", "/static/../../etc/passwd", "/static/%2e%2e%2fapp.py",
    "/%00", "/%ff", "/%c3%28", "/%", "/%zz", "/%u0041", f"/{CANARY}", f"/{CANARY}?{CANARY}={CANARY}",
    f"/static/{CANARY}", "/js/..%2f..%2f", "/api", "/api/", f"/api/{CANARY}", "/api/v1/surveys",
    "/api/v1/surveys//reports", "/api/v1/surveys/%2F/reports", "/api/v1/surveys/{name}/",
    "/api/v1/surveys/{name}/reports/", "/api/v1/surveys/{name}/reports/1", "/api/v1/surveys/%00/reports",
    "/api/v1/surveys/{name}%00/reports", "/api/v1/surveys/{upper}/reports", f"/api/v1/surveys/{CANARY}/reports",
    "/api/v1/surveys/\U0001f600/reports", "/api/v1/surveys/" + "a" * 3000 + "/reports",
    "/api/v1/surveys/{name};x=1/reports", "/api/v1/surveys/{name}/reports?" + CANARY,
    "/api/v2/surveys/{name}/reports", f"/api/v1/surveys/{CANARY}/manifest",
    "/api/v1/surveys/{name}/manifest?x=%ff%fe", "/api/v1/surveys/{name}/manifest", "/api/openapi.json", "/healthz",
    "/readyz", "/metrics", "/metrics?token=" + CANARY, "/s/{name}", f"/s/{{name}}?lang={CANARY}",
    "/s/{name}?lang=%00", "/s/{name}/privacy", "/s/{name}/embed", f"/s/{{name}}/embed?{CANARY}", f"/s/{CANARY}",
    "/surveys", "/surveys/{name}", f"/surveys/{CANARY}", f"/sign-in/{CANARY}", "/sign-in", "/sign-out", "/robots.txt",
    "/favicon.ico",
)  # fmt: skip
QUERIES = (
    "level=0", "level=1", "level=nan", "level=1e400", "level=-0", "level=0.95&level=0.9", "level=0,95", "level=%00",
    "level=0.9999999999999999", "level=1e-320", "level=5e-324&method=wilson", "level=1e-17", "method=exact",
    "method=wald", f"method={CANARY}", "method=", "beta=0", "beta=1", "beta=nan", "beta=0.05",
    "coverage=simultaneous", "coverage=anytime", f"coverage={CANARY}", "coverage=anytime&method=wald",
    f"{CANARY}={CANARY}", "level=" + "9" * 2000, "%ff=%ff", "&&==&", "level[]=1", "level=０.９",
)  # fmt: skip
HEADERS = (
    ("Accept", "text/html"), ("Accept", f"{CANARY}/*;q=x"), ("Accept-Encoding", "gzip"),
    ("Accept-Encoding", "gzip;q=nan"), ("Accept-Language", "ar"), ("Accept-Language", f"{CANARY};q=2,*;q=-1"),
    ("Authorization", f"Bearer {CANARY}"), ("Authorization", "Bearer "), ("Authorization", "Basic ===="),
    ("Authorization", "\xff\xfe"), ("Cookie", f"hushpoll={CANARY}"), ("Cookie", "hushpoll=eyJhIjoxfQ.aaaaaa.bbbb"),
    ("Cookie", "=;;=" * 50), ("Cookie", "hushpoll=\xff"), ("Range", "bytes=0-0"), ("Range", "bytes=-1,9-,x"),
    ("If-None-Match", f'W/"{CANARY}"'), ("If-None-Match", "*"), ("If-Modified-Since", CANARY),
    ("If-Modified-Since", "Thu, 99 Foo 99999 99:99:99 GMT"), ("X-Forwarded-For", CANARY),
    ("X-Forwarded-Proto", CANARY), ("X-Forwarded-Host", CANARY), ("Forwarded", f"for={CANARY};host={CANARY}"),
    ("X-HTTP-Method-Override", "DELETE"), ("Content-Language", CANARY), ("Content-MD5", "AAAA"),
    ("Origin", f"https://{CANARY}.example"), ("Origin", "null"), ("Referer", f"https://{CANARY}.example/{CANARY}"),
    ("User-Agent", CANARY), ("User-Agent", ""), ("Date", CANARY), ("X_Underscore", "1"),
    ("Access-Control-Request-Headers", CANARY), ("Access-Control-Request-Method", CANARY), ("X-Long", "x" * 5000),
    ("Expect", "100-continue"), ("Upgrade", "h2c"), ("TE", "trailers"), ("Cache-Control", "no-store"),
)  # fmt: skip
# Without the canary: a form names the host that it was asked from as the one to report to.
HOSTS = (
    "127.0.0.1", "localhost", "other.example", "other.example:99999", "[::1]", "a b", "", "evil\\example", "x" * 300,
)  # fmt: skip

# A body that would be a thousand times as large.
BOMB = gzip.compress(bytes(20_000_000), 9)
PACKED: tuple[Callable[[bytes], bytes], ...] = (
    gzip.compress,
    gzip.compress,
    gzip.compress,
    bytes,
    lambda body: gzip.compress(body, 0),
    lambda body: gzip.compress(body, 1)[:-1],
    lambda body: gzip.compress(body, 1)[:-8],
    lambda body: gzip.compress(body, 1) + b"x",
    lambda body: 2 * gzip.compress(body, 1),
    lambda body: gzip.compress(gzip.compress(body, 1), 1),
    lambda body: gzip.compress(body, 1)[:10] + body,
    lambda _: BOMB,
)


@dataclass(frozen=True)
class Request:
    """A request as it is sent."""

    kind: str
    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    chunk: int | None = None

    def __bytes__(self) -> bytes:
        """Add the length of the body, or send it in chunks."""
        framing = f"Content-Length: {len(self.body)}" if self.chunk is None else "Transfer-Encoding: chunked"
        start = f"{self.method} {self.target} HTTP/1.1"
        lines = [start, *(f"{name}: {value}" for name, value in self.headers), framing, "", ""]
        return "\r\n".join(lines).encode("latin-1") + (self.body if self.chunk is None else self._chunks(self.chunk))

    def _chunks(self, size: int) -> bytes:
        parts = [self.body[start : start + size] for start in range(0, len(self.body), size)]
        return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


class Requests:
    """An endless choice of hostile requests to a server with this survey."""

    def __init__(
        self, random: Random, manifest: Manifest, *, estimated: str, token: str, paths: Sequence[str] = ()
    ) -> None:
        """Draw by this `random`; the token opens estimates and may send batches; `paths` are more places to try."""
        self.random, self.manifest, self.estimated, self.token = random, manifest, estimated, token
        self.paths = (*PATHS, *paths)

    def __call__(self) -> Request:
        """Return the next one."""
        kinds = (self.one, self.one, self.one, self.one, self.many, self.packed, self.typed, self.addressed, self.asked)
        return self.random.choice(kinds)()

    def one(self) -> Request:
        """Send one report."""
        return self._report("one report", JSON, fuzz_bodies.body(self.random, self.manifest))

    def many(self) -> Request:
        """Send many reports, good and bad, between lines of all kinds."""
        lines = [
            fuzz_bodies.body(self.random, self.manifest) for _ in range(self.random.choice((0, 1, 1, 2, 2, 5, 5, 30)))
        ]
        between = self.random.choice((b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b"\r", b"\x0b", b"\n \n"))
        return self._report("many reports", NDJSON, between.join(lines), *self._bearer())

    def packed(self) -> Request:
        """Send a body that is packed, or says so."""
        spoiled = self.random.choice(PACKED)(fuzz_bodies.body(self.random, self.manifest))
        encoding = self.random.choice(("gzip", "gzip", "gzip", *ENCODINGS))
        kind = self.random.choice((JSON, JSON, NDJSON))
        return self._report("packed body", kind, spoiled, ("Content-Encoding", encoding), *self._bearer())

    def typed(self) -> Request:
        """Send a report as something that it is not."""
        return self._report("other type", self.random.choice(TYPES), fuzz_bodies.body(self.random, self.manifest))

    def addressed(self) -> Request:
        """Ask for any page in any way."""
        method = self.random.choice(("GET", "GET", "POST", *METHODS))
        target = self._named(self.random.choice(self.paths))
        body = fuzz_bodies.body(self.random, self.manifest) if self.random.random() < 0.3 else b""
        return self._request("any address", method, target, body, ("Content-Type", self.random.choice((JSON, *TYPES))))

    def asked(self) -> Request:
        """Ask for the estimates with all kinds of options."""
        query = "&".join(self.random.choice(QUERIES) for _ in range(self.random.choice((0, 1, 1, 2))))
        target = quote(f"/api/v1/surveys/{self.estimated}/estimates?{query}", safe="/?&=%[]")
        return self._request("estimates", "GET", target, b"", *(self._bearer() if self.random.random() < 0.3 else []))

    def _bearer(self) -> list[tuple[str, str]]:
        """Show the token, mostly."""
        return [("Authorization", f"Bearer {self.token}")] if self.random.random() < 0.9 else []

    def _report(self, kind: str, media_type: str, body: bytes, *headers: tuple[str, str]) -> Request:
        target = f"/api/v1/surveys/{self.manifest.survey}/reports"
        return self._request(kind, "POST", target, body, ("Content-Type", media_type), *headers)

    def _request(self, kind: str, method: str, target: str, body: bytes, *headers: tuple[str, str]) -> Request:
        host = "127.0.0.1" if self.random.random() < 0.8 else self.random.choice(HOSTS)
        more = [self.random.choice(HEADERS) for _ in range(self.random.choice((0, 0, 0, 1, 2, 5)))]
        sizes = (64, 100, 400, 4096) if len(body) > 100 else (1, 2, 3, 50)
        chunk = self.random.choice((*(None,) * 30, *sizes))
        return Request(kind, method, target, (("Host", host), *headers, *more), body, chunk)

    def _named(self, path: str) -> str:
        name = self.manifest.survey
        return quote(path.replace("{name}", name).replace("{upper}", name.upper()), safe="/%?&=;+.~:@!$'()*,[]")
