"""Pages of somebody else, on another origin than the server: they show a survey in a frame."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.running.web import serve_app
from werkzeug.wrappers import Request, Response


@dataclass
class Host:
    """A site that is not the server's; `pages` holds what it shows, by path."""

    address: str
    pages: dict[str, str] = field(default_factory=dict)

    def show(self, html: str) -> str:
        """Put a page on the site and return its address."""
        path = f"/{len(self.pages)}"
        self.pages[path] = html
        return f"{self.address}{path}"


@contextmanager
def serve_host() -> Iterator[Host]:
    """Serve pages under the name localhost: another site than 127.0.0.1."""
    pages: dict[str, str] = {}

    @Request.application
    def answer(request: Request) -> Response:
        found = pages.get(request.path)
        return Response(found or "", mimetype="text/html", status=200 if found else 404)

    with serve_app(answer) as port:
        yield Host(f"http://localhost:{port}", pages)
