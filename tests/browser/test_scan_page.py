"""A table that takes long, in a browser and from the real server: the page is there, says how far it is, and ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.browser import axe
from tests.browser.test_tables import measure
from tests.running.server_process import ServerProcess
from tests.server.dashboard.grouped_surveys import publish_campus
from tests.server.researchers.sign_in import make_link

from hushpoll_server.services import Services
from hushpoll_server.settings import Settings

MILLISECONDS = 20_000
TABLE = "surveys/campus/cross?questions=cheated&questions=helped"
SIZES = ({"width": 1280, "height": 740}, {"width": 360, "height": 740})


class Running:
    """The real server, and a hand on the table of reports."""

    def __init__(self, server: ServerProcess, services: Services, held: psycopg.Connection) -> None:
        self.server, self.services, self._held = server, services, held

    def hold(self) -> None:
        """Let whoever reads the reports wait."""
        self._held.execute("LOCK TABLE report IN ACCESS EXCLUSIVE MODE")

    def let_go(self) -> None:
        """Let them read on."""
        self._held.rollback()

    def sign_in(self, page: Page) -> None:
        """Sign a researcher in."""
        page.set_default_timeout(MILLISECONDS)
        page.goto(self.server.address + make_link(self.services, f"{id(page)}@example.org"))
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name="Surveys").wait_for()

    def open(self, page: Page, path: str = TABLE) -> None:
        """Open a page, and do not wait for its end."""
        page.goto(f"{self.server.address}/{path}", wait_until="commit")


@pytest.fixture
def running(tmp_path: Path, postgres_url: str) -> Iterator[Running]:
    """Serve a survey with reports."""
    server = ServerProcess(tmp_path / "home", postgres_url)
    services = Services(Settings(home=server.home, db=postgres_url))
    publish_campus(services)
    server.start()
    with closing(psycopg.connect(postgres_url.replace("+psycopg", ""))) as held:
        yield Running(server, services, held)
    server.kill()
    services.close()


def test_the_page_is_there_at_once_says_how_far_it_is_and_ends_with_the_table(
    running: Running, page: Page, complaints: list[str]
) -> None:
    running.sign_in(page)
    running.hold()
    running.open(page)
    expect(page.locator(".scan:visible")).to_have_text("Read 0 of 181 reports.")
    expect(page.get_by_role("progressbar", name="Reports read")).to_be_visible()
    found = {}
    for size in SIZES:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        found["during", size["width"]] = [*measure(page), *axe.violations(page)]
    running.let_go()
    expect(page.get_by_role("heading", name="Row percentages")).to_be_visible()
    expect(page.get_by_role("status")).to_have_text(
        "No counter holds these figures: they were computed from 181 reports."
    )
    expect(page.locator(".scan:visible")).to_have_count(0)
    for size in SIZES:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        found["after", size["width"]] = [*measure(page), *axe.violations(page)]
    assert {look: wrong for look, wrong in found.items() if wrong} == {}
    assert complaints == []


def test_it_needs_no_script_and_a_look_at_another_page_does_not_wait_for_it(
    running: Running, new_context: Callable[..., BrowserContext]
) -> None:
    plain = new_context(java_script_enabled=False)
    page, other = plain.new_page(), plain.new_page()
    running.sign_in(page)
    running.hold()
    running.open(page)
    expect(page.locator(".scan")).to_have_text("Read 0 of 181 reports.")
    other.goto(f"{running.server.address}/surveys/campus/cross")
    expect(other.get_by_text("Choose two or three questions.")).to_be_visible()
    running.open(other, "surveys/campus/regression?outcome=cheated&covariates=faculty&model=linear")
    expect(other.locator(".scan")).to_have_text("Another table is being computed from all reports. This one follows.")
    running.let_go()
    expect(page.get_by_role("heading", name="Row percentages")).to_be_visible()
    expect(other.get_by_role("heading", name="Have you ever cheated")).to_be_visible()
