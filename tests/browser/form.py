"""The respondent's form on the loopback interface, and a record of everything that a browser asks it for."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Flask
from playwright.sync_api import Page, expect
from tests.running.web import serve_app
from tests.samples.surveys import KEY

from hushpoll_server.app import create_app
from hushpoll_server.counting.crossed import Crossed
from hushpoll_server.settings import Settings
from hushpoll_shared.manifest import Manifest

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# Everything that a page can leave on a device, as far as a script can see it.
AT_REST = """async () => {
  const databases = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await new Promise((resolve) => {
      indexedDB.open(name).onsuccess = (event) => resolve(event.target.result);
    });
    for (const store of database.objectStoreNames) {
      databases.push(await new Promise((resolve) => {
        database.transaction(store).objectStore(store).getAll().onsuccess = (event) => resolve(event.target.result);
      }));
    }
    database.close();
  }
  return {
    databases, local: { ...localStorage }, session: { ...sessionStorage }, caches: await caches.keys(),
    cookies: document.cookie, url: location.href, title: document.title,
    inputs: document.querySelectorAll("input").length,
  };
}"""


@dataclass(frozen=True)
class Request:
    """What came over the wire."""

    method: str
    path: str
    headers: tuple[str, ...]
    body: bytes
    agent: str
    at: float

    @property
    def shape(self) -> tuple[str, str, tuple[str, ...], int]:
        """Return all that a watcher of the encrypted wire, or a log, could tell apart."""
        return self.method, self.path, self.headers, len(self.body)


@dataclass
class Site:
    """A served instance of Hushpoll."""

    address: str
    app: Flask
    requests: list[Request]

    @property
    def sent(self) -> list[Request]:
        """Return the requests that were not for something to show."""
        return [request for request in self.requests if request.method != "GET"]

    def publish(self, manifest: Manifest, crossed: Sequence[Crossed] = (), *, from_disk: bool = False) -> str:
        """Publish a survey and return the address of its form."""
        self.app.extensions["hushpoll"].surveys.publish(manifest, KEY, crossed, from_disk=from_disk)
        return f"{self.address}/s/{manifest.survey}"

    def stored(self, survey: str) -> int:
        """Count the reports that were taken."""
        return int(self.app.extensions["hushpoll"].collect.number_of_reports(survey))


@contextmanager
def serve_form(home: Path, port: int = 0) -> Iterator[Site]:
    """Serve the real application and yield it; with the same home and port it comes back after an outage."""
    app = create_app(Settings(home=home))
    requests: list[Request] = []
    try:
        with serve_app(_record(app, requests), port) as served:
            yield Site(f"http://127.0.0.1:{served}", app, requests)
    finally:
        app.extensions["hushpoll"].close()


def _record(application: WSGIApplication, requests: list[Request]) -> WSGIApplication:
    def recording(environ: WSGIEnvironment, start_response: StartResponse) -> Any:
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        headers = tuple(sorted(name for name in environ if name.startswith(("HTTP_", "CONTENT_"))))
        path = f"{environ['PATH_INFO']}?{environ['QUERY_STRING']}".rstrip("?")
        told = environ["REQUEST_METHOD"], path, headers, body, environ.get("HTTP_USER_AGENT", "")
        requests.append(Request(*told, at=time.monotonic()))
        return application({**environ, "wsgi.input": BytesIO(body)}, start_response)

    return recording


def in_order(requests: list[Request], loaded: int) -> list[Request]:
    """Return the requests of a visit; the parts of a page are loaded at the same time, so they are sorted."""
    return [*sorted(requests[:loaded], key=lambda request: request.path), *requests[loaded:]]


def expect_equal(runs: list[list[Request]]) -> None:
    """Find the same requests in every visit, and a report of its own at the end of each."""
    first, *others = [[request.shape for request in run] for run in runs]
    assert all(other == first for other in others)
    assert len({run[-1].body for run in runs}) == len(runs)


# A word is chosen, a list is ticked, a number is written, a pair is searched for and chosen.
Given = str | list[str] | float | tuple[str, str]


def answer(page: Page, *choices: Given) -> None:
    """Go from the first screen to the review."""
    page.get_by_role("button", name="begin").click()
    for choice in choices:
        give(page, choice)
        page.locator(".way button").last.click()
    expect(page.get_by_role("heading", name="Check your answers")).to_be_visible()


def give(page: Page, choice: Given) -> None:
    """Answer the question on the screen."""
    if isinstance(choice, list):
        for box in choice:
            page.get_by_role("checkbox", name=box, exact=True).check()
    elif isinstance(choice, tuple):
        page.get_by_role("textbox").fill(choice[0])
        page.get_by_role("radio", name=choice[1], exact=True).check()
    elif isinstance(choice, str):
        page.get_by_role("radio", name=choice, exact=True).check()
    else:
        page.get_by_role("textbox").fill(f"{choice:n}")


def send(page: Page) -> None:
    """Press Send."""
    page.get_by_role("button", name="Send").click()


def expect_heading(page: Page, words: str) -> None:
    """Wait for the screen with this heading."""
    expect(page.get_by_role("heading", level=1)).to_have_text(words)


def expect_nothing_can_be_sent(page: Page, site: Site) -> None:
    """Find a page that says so, without a button, and a server that got nothing."""
    expect(page.locator("main")).to_contain_text("Nothing was sent, and nothing can be sent from here.")
    assert page.get_by_role("button").count() == 0
    assert site.sent == []
