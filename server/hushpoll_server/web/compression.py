"""Compress public pages and styles with gzip: a slow phone waits a second less for the form.

The rule here: a researcher's page is never compressed. Where a secret and something that a stranger chose are in one
page, the compressed length reveals the secret, letter by letter. The pages named here contain no secret. The same page
is compressed once: one with a codebook has megabytes, and anybody may ask for it as often as they like.
"""

from __future__ import annotations

import gzip
import hashlib

from flask import Flask, Response, request

from hushpoll_server.web.cache import Cache

FORMS = frozenset({"respond.form", "respond.embed", "respond.privacy", "respond.standalone"})
LAB = frozenset({"lab_pages.index", "lab_pages.attack", "lab_pages.comparison", "lab_pages.database"})
PUBLIC = FORMS | LAB | {"static", "public_results.page"}
TYPES = frozenset({"text/html", "text/css", "image/svg+xml"})
# Higher levels save a few more bytes and take several times as long.
LEVEL = 6
# The most bytes of compressed pages that are cached in each process.
MOST_BYTES = 16_000_000


def install(app: Flask) -> None:
    """Compress the responses of an app that may be compressed."""
    compressed = Cache(most_bytes=MOST_BYTES)

    @app.after_request
    def compress(response: Response) -> Response:
        if request.endpoint not in PUBLIC or response.mimetype not in TYPES:
            return response
        response.vary.add("Accept-Encoding")
        if response.status_code == 200 and request.accept_encodings["gzip"]:
            _compress(response, compressed)
        return response


def _compress(response: Response, compressed: Cache) -> None:
    # Otherwise a file would be streamed.
    response.direct_passthrough = False
    plain = response.get_data()
    key = hashlib.sha256(plain).digest()
    response.set_data(compressed.recall(key, lambda: gzip.compress(plain, LEVEL, mtime=0), len))
    response.headers["Content-Encoding"] = "gzip"
    tag, _ = response.get_etag()
    if tag:
        # The same file in different bytes: a weak tag still matches when the browser revalidates.
        response.set_etag(tag, weak=True)
