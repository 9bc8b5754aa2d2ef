"""The real application, served to the browser, and its survey with canary odds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page
from tests.browser.form import Site, serve_form
from tests.browser.host_page import Host, serve_host
from tests.samples.canary import canary_survey
from tests.samples.surveys import two_questions


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Serve an instance of its own to a test."""
    with serve_form(tmp_path) as site:
        yield site


@pytest.fixture
def host() -> Iterator[Host]:
    """Serve somebody else's pages."""
    with serve_host() as host:
        yield host


@pytest.fixture
def form(site: Site) -> str:
    """Publish a survey with two questions and return the address of its form."""
    return site.publish(two_questions())


@pytest.fixture
def canary_form(site: Site) -> str:
    """Publish a survey whose reports hold the opposite of each answer."""
    return site.publish(canary_survey())


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """Collect whatever the browser complains about: policy violations, errors, warnings."""
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    return heard
