"""Pages of somebody else, on another origin than the server: they show a survey in a frame."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

from playwright.sync_api import Page
from tests.running.web import serve_app
from werkzeug.wrappers import Request, Response

# Everything that the page around a survey can hear, in the order in which it comes.
LISTEN = """
  window.heard = [];
  window.messages = [];
  for (const name of ["hushpoll-sent", "hushpoll-closed", "hushpoll-unavailable"]) {
    document.addEventListener(name, (event) => heard.push([name, event.detail, event.target.localName]));
  }
  addEventListener("message", (event) => messages.push(event.data));
"""


def frame_of(page: Page) -> Page:
    """Return the survey's frame; it can be driven as a page."""
    page.locator("iframe").wait_for()
    [frame] = [frame for frame in page.frames if frame.parent_frame]
    return cast(Page, frame)


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
