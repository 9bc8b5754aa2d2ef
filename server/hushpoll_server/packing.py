"""Pack public pages and styles with gzip on their way: a slow phone waits a second less for the form.

The law here: a researcher's page is never packed. Where a secret and something that a stranger chose stand together,
the packed length tells the secret, letter by letter. What is named here holds no secret. The same page is packed once:
one with a codebook has megabytes, and everybody may ask for it as often as they like.
"""

from __future__ import annotations

import gzip
import hashlib

from flask import Flask, Response, request

from hushpoll_server.memory import Memory

PUBLIC = frozenset({"static", "respond.form", "respond.embed", "respond.privacy", "respond.standalone"})
TYPES = frozenset({"text/html", "text/css", "image/svg+xml"})
# Higher levels save a few bytes more and cost each visit several times as much.
LEVEL = 6
# Of packed pages that are remembered, in each process.
MOST_BYTES = 16_000_000


def install(app: Flask) -> None:
    """Pack the answers of an app that may be packed."""
    packed = Memory(most_bytes=MOST_BYTES)

    @app.after_request
    def pack(response: Response) -> Response:
        if request.endpoint not in PUBLIC or response.mimetype not in TYPES:
            return response
        response.vary.add("Accept-Encoding")
        if response.status_code == 200 and request.accept_encodings["gzip"]:
            _pack(response, packed)
        return response


def _pack(response: Response, packed: Memory) -> None:
    # A file is streamed otherwise.
    response.direct_passthrough = False
    plain = response.get_data()
    key = hashlib.sha256(plain).digest()
    response.set_data(packed.recall(key, lambda: gzip.compress(plain, LEVEL, mtime=0), len))
    response.headers["Content-Encoding"] = "gzip"
    tag, _ = response.get_etag()
    if tag:
        # The same file in other bytes: a weak tag is still known when the browser asks again.
        response.set_etag(tag, weak=True)
