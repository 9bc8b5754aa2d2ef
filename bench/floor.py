"""The floor of a web request: a Flask app that does nothing, on granian as fast as it serves Flask.

What a report costs is compared with what this costs, in the same run. `hushpoll serve` runs granian's ASGI interface,
because its front takes reports without a thread for each (ADR 30); Flask alone is fastest on granian's WSGI interface
with threads, so that is what stands here: the floor is not lowered by our own choices.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import Server

from bench.processes import HOST, served

PATH = "/empty"
THREADS = 64


def create_app() -> Flask:
    """Make an app with one empty answer."""
    app = Flask("floor")
    app.add_url_rule(PATH, view_func=lambda: ("", 204))
    return app


@contextmanager
def served_empty() -> Iterator[int]:
    """Run this server in a process of its own; lend its port."""
    with served([sys.executable, "-m", "bench.floor"], PATH) as (port, _):
        yield port


def serve(factory: str) -> None:
    """Serve a WSGI application, in one process, on the port that is given on the command line."""
    Server(
        factory,
        factory=True,
        address=HOST,
        port=int(sys.argv[1]),
        interface=Interfaces.WSGI,
        workers=1,
        blocking_threads=THREADS,
        http=HTTPModes.http1,
        websockets=False,
        log_access=False,
        log_level=LogLevels.error,
    ).serve()


if __name__ == "__main__":
    serve("bench.floor:create_app")
