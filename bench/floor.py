"""The floor of a web request: a Flask app that does nothing, on the server that `hushpoll serve` runs.

What a report costs is compared with what this costs, in the same run, with the same settings of the same server.
"""

from __future__ import annotations

import sys
from typing import Any
from unittest import mock

from flask import Flask
from granian.server import Server

from hushpoll_server.commands import serve
from hushpoll_server.front import Front
from hushpoll_server.settings import load_settings
from hushpoll_server.worker import stand_before

PATH = "/empty"


def create_app() -> Flask:
    """Make an app with one empty answer."""
    app = Flask("floor")
    app.add_url_rule(PATH, view_func=lambda: ("", 204))
    return app


def create_worker() -> Front:
    """Put the front of `hushpoll serve` before it."""
    return stand_before(create_app(), load_settings())


def main() -> None:
    """Serve the empty app on the port that is given."""

    def serve_floor(_: str, **settings: Any) -> Any:
        return Server("bench.floor:create_worker", **settings)

    # All settings are those of `hushpoll serve`, whatever they are today; the app alone is another.
    with mock.patch.object(serve, "Server", serve_floor):
        serve.run("127.0.0.1", int(sys.argv[1]), workers=1)


if __name__ == "__main__":
    main()
