"""Each kind of call has threads of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from flask import Flask
from tests.server.web.asgi_calls import Client, scope_of
from tests.server.web.loops import run

from hushpoll_server.web.asgi import AsgiApp, RequestLimits, try_later
from hushpoll_server.web.pools import LAB_CALLS, PAGES, WAITING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

LIMITS = RequestLimits(
    body_seconds=1,
    largest_body=1000,
    large_body_bytes=1000,
    waiting_threads=2,
    page_threads=2,
    page_calls=20,
    researcher_threads=2,
    researcher_calls=5,
)
HELD = ["/surveys/campus", "/api/v1/surveys/campus/estimates"]
SECONDS = 10


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Nothing here depends on the engine: one is enough."""
    return sqlite_url


@dataclass
class SlowDashboard:
    """An application whose dashboards take until they are released."""

    released: threading.Event = field(default_factory=threading.Event)
    started: list[str] = field(default_factory=list)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        self.started.append(environ["PATH_INFO"])
        if "surveys/campus" in environ["PATH_INFO"] and not environ["PATH_INFO"].endswith(("manifest", "reports")):
            assert self.released.wait(SECONDS)
        start_response("200 OK", [])
        return [b""]


async def ask(asgi_app: AsgiApp, path: str) -> int:
    client = Client()
    await asgi_app(scope_of(path=path.encode(), method="GET"), client.receive, client.send)
    return client.status


@pytest.mark.parametrize("path", ["/s/campus", "/healthz", "/api/v1/surveys/campus/reports", "/js/form.js", "/"])
def test_researchers_who_ask_for_slow_dashboards_keep_no_respondent_waiting(path: str) -> None:
    app = SlowDashboard()
    asgi_app = AsgiApp(app, LIMITS, refusal=try_later({}, seconds=5))

    async def story() -> tuple[int, list[int]]:
        dashboards = [asyncio.create_task(ask(asgi_app, HELD[number % 2])) for number in range(9)]
        await asyncio.sleep(0)
        status = await asyncio.wait_for(ask(asgi_app, path), SECONDS / 2)
        app.released.set()
        return status, await asyncio.gather(*dashboards)

    status, dashboards = run(story())
    assert status == 200
    # Two run and three wait; more are told to try later, and those who waited are served.
    assert sorted(dashboards) == [200] * 5 + [503] * 4


def test_whoever_asks_for_many_pages_keeps_no_batch_waiting() -> None:
    released = threading.Event()

    def app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        assert not environ["PATH_INFO"].startswith("/s/") or released.wait(SECONDS)
        start_response("200 OK", [])
        return [b""]

    asgi_app = AsgiApp(app, LIMITS, refusal=try_later({}, seconds=5))

    async def story() -> int:
        pages = [asyncio.create_task(ask(asgi_app, "/s/campus")) for _ in range(25)]
        await asyncio.sleep(0)
        status = await asyncio.wait_for(ask(asgi_app, "/api/v1/surveys/campus/reports"), SECONDS / 2)
        released.set()
        # They do not take all places either: who comes later is told so.
        assert sorted(await asyncio.gather(*pages)) == [200] * 20 + [503] * 5
        return status

    assert run(story()) == 200


@pytest.mark.parametrize("path", ["/s/campus", "/surveys", "/healthz"])
def test_runs_of_the_lab_keep_neither_respondents_nor_researchers_waiting(path: str) -> None:
    released = threading.Event()

    def app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        assert not environ["PATH_INFO"].startswith("/lab") or released.wait(SECONDS)
        start_response("200 OK", [])
        return [b""]

    asgi_app = AsgiApp(app, LIMITS, refusal=try_later({}, seconds=5))

    async def story() -> int:
        runs = [asyncio.create_task(ask(asgi_app, "/lab/linkage")) for _ in range(LAB_CALLS + 3)]
        await asyncio.sleep(0)
        status = await asyncio.wait_for(ask(asgi_app, path), SECONDS / 2)
        released.set()
        assert sorted(await asyncio.gather(*runs)) == [200] * LAB_CALLS + [503] * 3
        return status

    assert run(story()) == 200


def test_every_route_has_its_threads(app: Flask) -> None:
    """A new route that is not named here is a researcher's: decide whether it is."""
    paths = {rule.endpoint: str(rule).replace("<name>", "campus") for rule in app.url_map.iter_rules()}
    waiting = {endpoint for endpoint, path in paths.items() if WAITING.fullmatch(path)}
    pages = {endpoint for endpoint, path in paths.items() if PAGES.fullmatch(path)}
    assert waiting == {"collect.reports", "health.healthz", "health.readyz", "watch.metrics"}
    assert pages >= {"collect.manifest", "home.home", "api.description", "static"}
    assert {name for name in pages if name.startswith(("dashboard.", "researchers."))} == set()
    assert {name for name in paths if name.startswith("respond.")} <= pages


@pytest.mark.parametrize("path", ["/surveys/x", "/%73/x", "/s", "/sign-in/x", "/api/v1/surveys/a/b/reports", "//s/x"])
def test_what_is_not_a_respondents_waits_with_the_researchers(path: str) -> None:
    assert not WAITING.fullmatch(path)
    assert not PAGES.fullmatch(path)
