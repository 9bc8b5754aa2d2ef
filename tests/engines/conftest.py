"""The real application, and one engine after the other to open it with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest
from tests.browser.form import Site, serve_form
from tests.engines.installed import ENGINES, Engine
from tests.engines.page import Page, Start
from tests.running.server_process import free_port
from tests.samples.surveys import two_questions


@pytest.fixture(params=[pytest.param(engine, id=engine.name, marks=pytest.mark.engines) for engine in ENGINES])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Run the test in each engine that is installed."""
    engine: Engine = request.param
    if missing := engine.missing():
        pytest.skip(missing)
    return engine


@pytest.fixture
def start(engine: Engine, tmp_path: Path) -> Iterator[Start]:
    """Start browsers that know nothing of each other; end them all afterwards."""
    numbers = count()
    with ExitStack() as browsers:
        yield lambda: Page(browsers.enter_context(engine.start(tmp_path / f"browser-{next(numbers)}")))


@pytest.fixture
def page(start: Start) -> Page:
    """Start a browser and return its page."""
    return start()


@pytest.fixture
def port() -> int:
    """Return the port of the server, which can be left and taken again."""
    return free_port()


@pytest.fixture
def site(tmp_path: Path, port: int) -> Iterator[Site]:
    """Serve an instance of its own to a test."""
    with serve_form(tmp_path, port) as site:
        yield site


@pytest.fixture
def form(site: Site) -> str:
    """Publish a survey with two questions and return the address of its form."""
    return site.publish(two_questions())
