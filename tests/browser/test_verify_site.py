"""hushpoll verify-site beside the real Chromium: the same headers, and what Chromium itself has saved of a visit."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server

import pytest
from click.testing import CliRunner, Result
from playwright.sync_api import BrowserContext
from tests.running.web import serve_app
from tests.samples.surveys import KEY, two_questions

from hushpoll_client.cli import main
from hushpoll_server.app import create_app
from hushpoll_server.commands.verify_site import fetch
from hushpoll_server.settings import Settings

NewContext = Callable[..., BrowserContext]
Requests = dict[str, list[tuple[str, str]]]

PAGE = b"<!doctype html><link rel=stylesheet href=/a.css><script type=module src=/a.js></script>"
WORKING = b"<!doctype html><script>navigator.serviceWorker.register('/s/worker.js', {scope: '/s/campus'})</script>"
EMBEDDING = b'<!doctype html><iframe referrerpolicy=no-referrer src="%s/s/campus/embed"></iframe>'


@contextmanager
def listening(page: bytes) -> Iterator[tuple[str, Requests]]:
    """Serve a page and note the headers of every request as they came over the wire."""
    requests: Requests = {}
    server = create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as lines:
                # A browser opens connections ahead of need.
                if not (first := lines.readline().split()):
                    continue
                path = first[1].decode()
                headers = iter(lambda: lines.readline().decode().strip(), "")
                requests[path] = [(name, value) for name, _, value in (line.partition(": ") for line in headers)]
                kind = {"css": "text/css", "js": "text/javascript"}.get(path.rpartition(".")[2], "text/html")
                head = (
                    f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n"
                )
                body = page if path in ("/", "/s/campus") else b""
                connection.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}", requests
    server.close()


def shape(headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Leave out what differs between browsers of this kind, and the language, which Chromium has none of here."""
    plain = []
    for name, value in headers:
        value = re.sub(r"HeadlessChrome(?=\")", "Google Chrome", value).replace("HeadlessChrome", "Chrome")
        value = re.sub(r"\(.*?; .*?\) Apple", "(machine) Apple", value)
        value = re.sub(r"\d+(\.\d+)+|(?<=v=\")\d+|:\d+$", "N", value)
        plain.append((name, "any" if name == "sec-ch-ua-platform" else value))
    # Where it is sent, it is the last.
    return plain[:-1] if plain[-1][0] == "Accept-Language" else plain


def test_a_server_cannot_tell_the_comparison_from_chromium_by_its_headers(new_context: NewContext) -> None:
    paths = ["/s/campus", "/a.css", "/a.js"]
    with listening(PAGE) as (address, requests):
        new_context().new_page().goto(f"{address}/s/campus", wait_until="networkidle")
        real = {path: requests.pop(path) for path in paths}
        for path in paths:
            fetch(address, path)
    for path in paths:
        assert shape(requests[path]) == shape(real[path]), path


def test_a_server_cannot_tell_the_comparison_from_a_worker_by_its_headers(new_context: NewContext) -> None:
    with listening(WORKING) as (address, requests):
        page = new_context().new_page()
        page.goto(f"{address}/s/campus")
        # What is sent is no script, which the browser tells after it has asked for it.
        page.evaluate("navigator.serviceWorker.register('/s/worker.js', {scope: '/s/campus'}).catch(() => {})")
        real = requests.pop("/s/worker.js")
        fetch(address, "/s/worker.js")
    assert shape(requests["/s/worker.js"]) == shape(real)


def test_a_server_cannot_tell_the_comparison_from_a_frame_in_another_page_by_its_headers(
    new_context: NewContext,
) -> None:
    with listening(b"") as (address, requests):
        with listening(EMBEDDING % address.encode()) as (host, _):
            # Another site: a name, not the address.
            new_context().new_page().goto(host.replace("127.0.0.1", "localhost"), wait_until="networkidle")
        real = requests.pop("/s/campus/embed")
        fetch(address, "/s/campus/embed")
    assert shape(requests["/s/campus/embed"]) == shape(real)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    app = create_app(Settings(home=tmp_path / "site"))
    app.extensions["hushpoll"].surveys.publish(two_questions(), KEY)
    with serve_app(app) as port:
        yield f"http://127.0.0.1:{port}"
    app.extensions["hushpoll"].close()


def verify_saved(site: str, saved: Path) -> Result:
    return CliRunner().invoke(main, ["verify-site", site, "--saved", str(saved)], catch_exceptions=False)


def test_what_chromium_saved_of_a_visit_is_compared_without_asking_the_server(
    site: str, new_context: NewContext, tmp_path: Path
) -> None:
    page, har = tmp_path / "page.html", tmp_path / "visit.har"
    context = new_context(record_har_path=har)
    answer = context.new_page().goto(f"{site}/s/campus", wait_until="networkidle")
    assert answer
    page.write_bytes(answer.body())
    context.close()
    result = verify_saved(site, page)
    assert (result.exit_code, [line.split()[0] for line in result.stdout.splitlines()]) == (0, ["same", "same"])
    result = verify_saved(site, har)
    assert result.exit_code == 0, result.output
    for what in (
        "/js/form.js",
        "/s/worker.js",
        "/static/hushpoll.css",
        "/s/campus",
        "/s/campus, content-security-policy",
    ):
        assert f"same       {what}" in result.stdout
    assert f"signed by {KEY.public}" in result.stdout


@pytest.mark.parametrize(
    ("old", "new"),
    [("Checking who signed", "Checking that signed"), ("</head>", "<script src=//evil.test></script></head>")],
)
def test_a_page_that_only_a_browser_was_given_is_found_in_what_it_saved(
    site: str, new_context: NewContext, tmp_path: Path, old: str, new: str
) -> None:
    page, har = tmp_path / "page.html", tmp_path / "visit.har"
    context = new_context(record_har_path=har)
    answer = context.new_page().goto(f"{site}/s/campus", wait_until="networkidle")
    assert answer
    text = answer.body().decode()
    context.close()
    assert old in text
    page.write_text(text.replace(old, new), "utf-8", newline="")
    result = verify_saved(site, page)
    assert (result.exit_code, "DIFFERENT  /s/campus\n" in result.stdout) == (1, True)
    saved = har.read_text("utf-8")
    assert json_text(old) in saved
    har.write_text(saved.replace(json_text(old), json_text(new)), "utf-8")
    result = verify_saved(site, har)
    assert (result.exit_code, "DIFFERENT  /s/campus\n" in result.stdout) == (1, True)


def json_text(part: str) -> str:
    """Return a text as it stands inside a JSON file."""
    return json.dumps(part, ensure_ascii=False)[1:-1]
