"""The least that a web request can cost: a Flask app that does nothing, served in two ways.

The cost of a report is compared with this cost in the same run. `hushpoll serve` runs Flask inside an ASGI
application, because stalled clients would block it otherwise (ADR 30): as `asgi`, the empty app runs on that same
server. Without that protection Flask is fastest on granian's WSGI interface with threads: as `alone`, it runs there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from flask import Flask
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import Server

from bench.processes import HOST, served
from hushpoll_server.commands.serve import run
from hushpoll_server.settings import load_settings
from hushpoll_server.web.asgi import AsgiApp, try_later
from hushpoll_server.worker import limits_of

# Not a path of the researchers' pages, which get few threads.
PATH = "/healthz"
THREADS = 64


def create_app() -> Flask:
    """Make an app with one empty response."""
    app = Flask("floor")
    app.add_url_rule(PATH, view_func=lambda: ("", 204))
    return app


def create_asgi_app() -> AsgiApp:
    """Make the same app inside the ASGI application of `hushpoll serve`."""
    return AsgiApp(create_app(), limits_of(load_settings()), refusal=try_later({}, seconds=1))


@dataclass(frozen=True)
class Floors:
    """The ports of the empty app, alone and inside the ASGI application."""

    alone: int
    asgi: int


@contextmanager
def served_empty() -> Iterator[Floors]:
    """Run both in processes of their own; yield their ports."""
    command = [sys.executable, "-m", "bench.floor"]
    with served([*command, "alone"], PATH) as (alone, _), served([*command, "asgi"], PATH) as (asgi, _):
        yield Floors(alone, asgi)


def serve(factory: str) -> None:
    """Serve a WSGI application, in one process, on the port given on the command line."""
    Server(
        factory,
        factory=True,
        address=HOST,
        port=int(sys.argv[-1]),
        interface=Interfaces.WSGI,
        workers=1,
        blocking_threads=THREADS,
        http=HTTPModes.http1,
        websockets=False,
        log_access=False,
        log_level=LogLevels.error,
    ).serve()


if __name__ == "__main__":
    if sys.argv[1] == "asgi":
        run(HOST, int(sys.argv[-1]), 1, target="bench.floor:create_asgi_app")
    else:
        serve("bench.floor:create_app")
