"""One browser, two names of one server: one report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.browser.form import answer, expect_heading, send
from tests.faults.exactly_once import publish, services_of
from tests.running.server_process import ServerProcess


@pytest.fixture
def running(tmp_path: Path, sqlite_url: str) -> Iterator[ServerProcess]:
    """Yield a server that knows its address: what it listens on."""
    server = ServerProcess(tmp_path / "home", sqlite_url)
    publish(server)
    server.start()
    yield server
    server.kill()


def test_a_browser_that_comes_by_another_name_of_the_server_is_not_asked_again(
    page: Page, running: ServerProcess
) -> None:
    other = running.address.replace("127.0.0.1", "localhost")
    page.goto(f"{other}/s/campus")
    expect(page).to_have_url(f"{running.address}/s/campus")
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    for address in (running.address, other):
        page.goto(f"{address}/s/campus")
        expect(page).to_have_url(f"{running.address}/s/campus")
        expect(page.get_by_role("button", name="begin")).to_have_count(0)
    with services_of(running) as services:
        assert services.collect.number_of_reports("campus") == 1
