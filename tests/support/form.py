"""The respondent's form on the loopback interface, and a record of everything that a browser asks it for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from flask import Flask
from playwright.sync_api import Page, expect
from tests.support.surveys import KEY
from werkzeug.serving import WSGIRequestHandler, make_server

from hushpoll_server.app import create_app
from hushpoll_server.settings import Settings
from hushpoll_shared.manifest import Manifest

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


@dataclass(frozen=True)
class Request:
    """What came over the wire."""

    method: str
    path: str
    headers: tuple[str, ...]
    body: bytes

    @property
    def shape(self) -> tuple[str, str, tuple[str, ...], int]:
        """Give all that a watcher of the encrypted wire, or a log, could tell apart."""
        return self.method, self.path, self.headers, len(self.body)


@dataclass
class Site:
    """A served instance of Hushpoll."""

    address: str
    app: Flask
    requests: list[Request]

    @property
    def sent(self) -> list[Request]:
        """Give the requests that were not for something to show."""
        return [request for request in self.requests if request.method != "GET"]

    def publish(self, manifest: Manifest) -> str:
        """Publish a survey and give the address of its form."""
        self.app.extensions["hushpoll"].surveys.publish(manifest, KEY)
        return f"{self.address}/s/{manifest.survey}"

    def stored(self, survey: str) -> int:
        """Count the reports that were taken."""
        return int(self.app.extensions["hushpoll"].collect.number_of_reports(survey))


@contextmanager
def serve_form(home: Path) -> Iterator[Site]:
    """Serve the real application and lend it."""
    app = create_app(Settings(home=home))
    requests: list[Request] = []
    server = make_server("127.0.0.1", 0, _record(app, requests), threaded=True, request_handler=_Silent)
    site = Site(f"http://127.0.0.1:{server.server_port}", app, requests)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        app.extensions["hushpoll"].close()


class _Silent(WSGIRequestHandler):
    def log(self, *_: Any, **__: Any) -> None:
        pass


def _record(application: WSGIApplication, requests: list[Request]) -> WSGIApplication:
    def recording(environ: WSGIEnvironment, start_response: StartResponse) -> Any:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        headers = tuple(sorted(name for name in environ if name.startswith(("HTTP_", "CONTENT_"))))
        path = f"{environ['PATH_INFO']}?{environ['QUERY_STRING']}".rstrip("?")
        requests.append(Request(environ["REQUEST_METHOD"], path, headers, body))
        return application({**environ, "wsgi.input": BytesIO(body)}, start_response)

    return recording


def answer(page: Page, *choices: str) -> None:
    """Go from the first screen to the review."""
    page.get_by_role("button", name="begin").click()
    for choice in choices:
        page.get_by_role("radio", name=choice, exact=True).check()
        page.get_by_role("button", name="Next").or_(page.get_by_role("button", name="To the review")).click()
    expect(page.get_by_role("heading", name="Check your answers")).to_be_visible()


def send(page: Page) -> None:
    """Press Send."""
    page.get_by_role("button", name="Send").click()


def expect_heading(page: Page, words: str) -> None:
    """Wait for the screen with this heading."""
    expect(page.get_by_role("heading", level=1)).to_have_text(words)
