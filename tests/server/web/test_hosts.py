"""One name for the server: what a browser or a program gets that comes by another one."""

from __future__ import annotations

import json
from itertools import product

import pytest
from flask import Flask
from tests.samples.surveys import make_report
from tests.server.web.asgi_calls import Client, scope_of
from tests.server.web.loops import run

from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_server.web.asgi import AsgiApp
from hushpoll_server.web.hosts import OwnHost
from hushpoll_server.worker import asgi_app_of

URL = "https://polls.example.org"
FOREIGN = ["www.polls.example.org", "localhost:8000", "127.0.0.1", "polls.example.org:8443", "polls.example.org.", "",
           "evil.test; script-src *", "polls.example.org\x00", "x" * 300, "polls.example.org,evil.test"]  # fmt: skip
PAGES = [
    "/s/campus",
    "/s/campus/embed",
    "/s/campus/page.html",
    "/js/form.js",
    "/surveys",
    "/sign-in/abc",
    "/%73/campus",
]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing here depends on the engine: one is enough."""
    return sqlite_url


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"public_url": URL})


@pytest.fixture
def asgi_app(app: Flask, services: Services, survey: PublishedSurvey) -> AsgiApp:
    return asgi_app_of(app, services)


def ask(
    asgi_app: AsgiApp, method: str, path: str, host: str, body: bytes = b"", media_type: str = "application/json"
) -> Client:
    headers = [(b"host", host.encode("latin-1")), (b"content-type", media_type.encode())]
    headers += [(b"content-length", str(len(body)).encode())] if body else []
    client = Client(body)
    run(asgi_app(scope_of(*headers, path=path.encode(), method=method), client.receive, client.send))
    return client


def test_a_browser_that_comes_by_another_name_is_sent_to_the_public_address(asgi_app: AsgiApp) -> None:
    for path, host in product(PAGES, FOREIGN):
        status, headers, body = ask(asgi_app, "GET", path, host).response
        assert (status, headers["location"], body) == (308, f"{URL}{path}?a=b", b"")
        # An operator's slip must not stay in the memory of browsers.
        assert headers["cache-control"] == "no-store"
        assert headers["content-security-policy"].startswith("default-src 'none'; form-action 'none'")


@pytest.mark.parametrize("media_type", ["application/json", "application/json; charset=utf-8"])
def test_a_second_report_under_another_name_of_the_server_is_refused_on_both_ways(
    asgi_app: AsgiApp, services: Services, survey: PublishedSurvey, media_type: str
) -> None:
    path, body = "/api/v1/surveys/campus/reports", make_report(survey.manifest).encode()
    for host in FOREIGN:
        client = ask(asgi_app, "POST", path, host, body, media_type)
        assert client.status == 421
        assert json.loads(client.response[2])["type"] == "urn:hushpoll:problem:wrong-host"
        assert client.was_closed
    assert services.collect.number_of_reports("campus") == 0
    assert ask(asgi_app, "POST", path, "polls.example.org", body, media_type).status == 201


def test_a_program_that_comes_by_another_name_gets_a_problem(asgi_app: AsgiApp) -> None:
    for path in ("/api/v1/surveys/campus/manifest", "/api/openapi.json"):
        assert ask(asgi_app, "GET", path, "localhost").status == 421
        assert ask(asgi_app, "GET", path, "polls.example.org").status == 200


def test_the_public_name_is_known_however_it_is_written(asgi_app: AsgiApp) -> None:
    for host in ("polls.example.org", "Polls.Example.ORG", "polls.example.org:443"):
        assert ask(asgi_app, "GET", "/s/campus", host).status == 200


def test_a_monitor_may_ask_by_any_name(asgi_app: AsgiApp) -> None:
    for path, host in product(("/healthz", "/readyz", "/metrics"), FOREIGN):
        assert ask(asgi_app, "GET", path, host).status == 200


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://127.0.0.1:8000", b"127.0.0.1:8000"),
        ("http://[::1]:8000", b"[::1]:8000"),
        ("https://polls.example.org:443", b"polls.example.org"),
        ("https://example.org/polls", b"example.org"),
        ("http://POLLS.example.org:80", b"polls.example.org"),
    ],
)
def test_the_own_name_is_what_a_browser_sends(url: str, host: bytes) -> None:
    assert OwnHost(url, {}).name == host


def test_below_a_path_a_page_is_found_there() -> None:
    scope = scope_of(path=b"/s/campus", method="GET") | {"query_string": b""}
    response = OwnHost("https://example.org/polls", {}).answer_foreign(scope, b"localhost")
    assert response
    assert (b"location", b"https://example.org/polls/s/campus") in response.headers


@pytest.mark.parametrize("host", [b"localhost:8000", b"127.0.0.1:8000", b"[::1]:8000", b"localhost:9000"])
def test_programs_on_this_machine_may_call_it_by_any_of_its_names_but_pages_have_one(host: bytes) -> None:
    own = OwnHost("http://127.0.0.1:8000", {})
    call = scope_of(path=b"/api/v1/surveys/campus/reports", method="POST")
    assert own.answer_foreign(call, host) is None
    page = own.answer_foreign(scope_of(path=b"/s/campus", method="GET"), host)
    assert (page is None) == (host == own.name)


@pytest.mark.parametrize("host", [b"localhost.example.org:8000", b"10.0.0.1:8000", b"polls.example.org:8000", b""])
def test_a_server_for_this_machine_refuses_calls_by_a_name_that_is_not_its_own(host: bytes) -> None:
    refusal = OwnHost("http://127.0.0.1:8000", {}).answer_foreign(
        scope_of(path=b"/api/v1/surveys/campus/reports", method="POST"), host
    )
    assert refusal is not None
    assert refusal.status == 421
