"""The floor of a web request: a Flask app that does nothing, on the server that `hushpoll serve` runs.

What a report costs is compared with what this costs, in the same run, with the same settings of the same server.
"""

from __future__ import annotations

import sys
from typing import Any

from flask import Flask

from hushpoll_server.commands import serve

PATH = "/empty"


def create_app() -> Flask:
    """Make an app with one empty answer."""
    app = Flask("floor")
    app.add_url_rule(PATH, view_func=lambda: ("", 204))
    return app


class FloorServer(serve.Server):  # type: ignore[misc]  # granian's types do not follow its alias
    """The server of `hushpoll serve` with all its settings, except for the app."""

    def __init__(self, _: str, **settings: Any) -> None:
        """Take the settings, leave the app."""
        super().__init__("bench.floor:create_app", **settings)


if __name__ == "__main__":
    serve.Server = FloorServer  # type: ignore[misc]
    serve.run("127.0.0.1", int(sys.argv[1]), workers=1)
