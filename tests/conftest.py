"""Fixtures of the whole tree: databases, the browser, and which tests may use the network at all."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, sync_playwright
from postgres_server import PostgresServer
from tests.running.server_process import ServerProcess
from tests.running.tools import CHROMIUM_FLAGS, Tools, load_tools

# pytest-socket forbids all but Unix sockets; in these rooms the loopback interface is the subject.
LOOPBACK_ROOMS = {"browser", "engines", "faults", "integration"}
LOOPBACK = ["127.0.0.1", "::1"]

PHONE: ViewportSize = {"width": 390, "height": 844}
DESKTOP: ViewportSize = {"width": 1280, "height": 800}

BROWSER_MILLISECONDS = 10_000

# How long an example takes is a matter of the machine's load, and no property of the code.
settings.register_profile("hushpoll", deadline=None)
settings.register_profile("quick", deadline=None, max_examples=10)
settings.load_profile("hushpoll")


def pytest_configure() -> None:
    """Accept interrupts, also in every program that a test starts: jobs in the background ignore them."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let the rooms that need it, and tests marked `loopback`, talk to this machine only."""
    tests = config.rootpath / "tests"
    for item in items:
        room = item.path.relative_to(tests).parts[0] if item.path.is_relative_to(tests) else ""
        if room in LOOPBACK_ROOMS or item.get_closest_marker("loopback"):
            item.add_marker(pytest.mark.allow_hosts(LOOPBACK))


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """Return the address of a fresh SQLite file."""
    return f"sqlite:///{tmp_path / 'hushpoll.db'}"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Run one PostgreSQL for this test process."""
    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """Yield the address of a fresh PostgreSQL database, dropped afterwards."""
    with postgres_server.database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """Run the test on each kind of database; only the one at hand is started."""
    return cast(str, request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def server(tmp_path: Path, database_url: str) -> Iterator[ServerProcess]:
    """Yield a server on each kind of database, to be started by the test; it is removed afterwards."""
    server = ServerProcess(tmp_path / "home", database_url)
    yield server
    server.kill()


@pytest.fixture(scope="session")
def tools() -> Tools:
    """Return the programs that the set-up resolved."""
    return load_tools()


@pytest.fixture(scope="session")
def node(tools: Tools) -> Path:
    """Return the executable of Node."""
    return tools.node


@pytest.fixture(scope="session")
def chromium(tools: Tools) -> Iterator[Browser]:
    """Run one headless Chromium for this test process."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=tools.chromium, args=[*CHROMIUM_FLAGS], env=tools.chromium_environment
        )
        yield browser
        browser.close()


@pytest.fixture
def new_context(chromium: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Open browser contexts with the options a test asks for; close them all afterwards."""
    contexts: list[BrowserContext] = []

    def open_context(**options: Any) -> BrowserContext:
        context = chromium.new_context(**options)
        context.set_default_timeout(BROWSER_MILLISECONDS)
        contexts.append(context)
        return context

    yield open_context
    for context in contexts:
        context.close()


@pytest.fixture
def viewport() -> ViewportSize:
    """Return the size of the page: a phone's, unless a test overrides this fixture or parametrises it."""
    return PHONE


@pytest.fixture
def page(new_context: Callable[..., BrowserContext], viewport: ViewportSize) -> Page:
    """Open a page in a fresh context, with nothing remembered from other tests."""
    return new_context(viewport=viewport).new_page()
