"""axe-core finds nothing on any screen: every type, answered, refused and empty, light and dark, phone and desktop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, Page, Route, ViewportSize
from tests.browser import axe, time_machine
from tests.browser.form import Site, answer, expect_heading, send
from tests.browser.screenshots import read, simulate
from tests.browser.walk import Walk
from tests.conftest import DESKTOP
from tests.samples.presented import presented
from tests.samples.surveys import two_questions
from tests.server.researchers.sign_in import make_link

from hushpoll_server.commands.demo import DEFINITION
from hushpoll_server.words import ENGLISH
from hushpoll_shared.words import interface

Scheme = Literal["light", "dark"]
PHONE: ViewportSize = {"width": 360, "height": 640}
# From one to the next one thing changes; two of them show everything that a language can change.
LOOKS: list[tuple[Scheme, ViewportSize]] = [("light", PHONE), ("dark", PHONE), ("dark", DESKTOP), ("light", DESKTOP)]
SOME_LOOKS = LOOKS[0::2]
REPORTS = "**/reports"
BUSY = {"type": "urn:hushpoll:problem:try-later"}
# Each makes the form say why it asks for nothing: what is missing, and the words about it.
MISSING = {
    "insecure": "Object.defineProperty(window, 'isSecureContext', { value: false })",
    "unsupported": "crypto.getRandomValues = undefined",
    "not_kept": "Object.defineProperty(window, 'indexedDB', { value: undefined })",
}


@dataclass
class Inspector:
    """Runs axe on screens in every look and notes what it finds."""

    looks: list[tuple[Scheme, ViewportSize]] = field(default_factory=lambda: LOOKS)
    tried: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)

    def look(self, page: Page, name: str) -> None:
        """Inspect the screen as it stands, in both schemes and both sizes."""
        for scheme, size in self.looks:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size(size)
            look = f"{name}, {scheme}, {size['width']} px"
            self.tried.append(look)
            self.found += [f"{look}: {sentence}" for sentence in axe.violations(page)]
        # The next screen begins as this one ended: a change of size takes longer than axe.
        self.looks = self.looks[::-1]


@pytest.fixture
def inspector() -> Iterator[Inspector]:
    """Yield an inspector; nothing may have been found at the end, and something must have been tried."""
    inspector = Inspector()
    yield inspector
    print(f"axe: {len(inspector.found)} violations on {len(inspector.tried)} screens")
    assert inspector.tried
    assert inspector.found == []


@pytest.fixture
def still_page(new_context: Callable[..., BrowserContext]) -> Page:
    """Open a page without motion: a colour that is still changing has no contrast to speak of."""
    return new_context(reduced_motion="reduce").new_page()


def test_axe_would_find_what_is_wrong(still_page: Page, form: str) -> None:
    still_page.goto(form)
    Walk(still_page).ready()
    assert axe.violations(still_page) == []
    still_page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    still_page.evaluate("document.documentElement.lang = ''")
    found = axe.violations(still_page)
    assert [sentence.split(" at ")[0] for sentence in found] == ["button-name (critical)", "html-has-lang (serious)"]


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_nothing_is_wrong_from_the_first_screen_to_the_receipt(
    new_context: Callable[..., BrowserContext], site: Site, inspector: Inspector, language: str
) -> None:
    page = new_context(reduced_motion="reduce", locale=language).new_page()
    inspector.looks = LOOKS if language == "en" else SOME_LOOKS
    time_machine.install(page)
    page.goto(site.publish(presented()))
    for screen in Walk(page, interface(language)).screens():
        inspector.look(page, f"{language}: {screen}")
    # Almost every question is seen empty, refused and answered.
    assert len(inspector.tried) > 2.5 * len(presented().questions) * len(inspector.looks)


def test_nothing_is_wrong_with_what_became_of_a_report(
    still_page: Page, site: Site, form: str, inspector: Inspector
) -> None:
    on_its_way: list[Route] = []
    still_page.route(REPORTS, lambda route: on_its_way.append(route))
    still_page.goto(form)
    answer(still_page, "Yes", "No")
    send(still_page)
    expect_heading(still_page, "Sending …")
    inspector.look(still_page, "sending")
    on_its_way[0].abort()
    expect_heading(still_page, "Not sent yet")
    inspector.look(still_page, "waiting")
    still_page.unroute(REPORTS)
    still_page.get_by_role("button", name="Try again now").click()
    expect_heading(still_page, "Sent. Thank you.")
    still_page.reload()
    expect_heading(still_page, "This survey was answered on this device")
    inspector.look(still_page, "already answered")


def test_nothing_is_wrong_while_the_server_is_busy(still_page: Page, form: str, inspector: Inspector) -> None:
    still_page.route(REPORTS, lambda route: route.fulfill(status=503, headers={"Retry-After": "60"}, json=BUSY))
    still_page.goto(form)
    answer(still_page, "Yes", "No")
    send(still_page)
    still_page.get_by_text("The server is busy.").wait_for()
    inspector.look(still_page, "busy")


def test_nothing_is_wrong_with_a_refused_report(still_page: Page, site: Site, form: str, inspector: Inspector) -> None:
    still_page.goto(form)
    answer(still_page, "Yes", "No")
    site.app.extensions["hushpoll"].surveys.close("campus")
    send(still_page)
    expect_heading(still_page, "The server did not take the report")
    inspector.look(still_page, "refused")


@pytest.mark.parametrize("why", MISSING)
def test_nothing_is_wrong_where_nothing_is_asked(still_page: Page, form: str, inspector: Inspector, why: str) -> None:
    still_page.add_init_script(MISSING[why])
    still_page.goto(form)
    expect_heading(still_page, ENGLISH[why][0])
    inspector.look(still_page, why)


def test_nothing_is_wrong_without_javascript(
    new_context: Callable[..., BrowserContext], form: str, inspector: Inspector
) -> None:
    # axe itself is a script: it is given the page that a browser without scripts would show.
    page = new_context(reduced_motion="reduce").new_page()
    page.route(form, show_without_script)
    page.goto(form)
    expect_heading(page, "This survey needs JavaScript")
    inspector.look(page, "without JavaScript")


def show_without_script(route: Route) -> None:
    """Answer with the page as it is shown where no script runs."""
    response = route.fetch()
    start, rest = response.text().split('<div id="screen"', 1)
    _, rest = rest.split("<noscript>", 1)
    inside, end = rest.split("</noscript>", 1)
    route.fulfill(response=response, body=f"{start}{inside}{end}".replace('<script type="module"', "<script type=none"))


def test_nothing_is_wrong_with_the_file_to_keep(
    still_page: Page, site: Site, inspector: Inspector, tmp_path: Path
) -> None:
    form = site.publish(two_questions(), from_disk=True)
    file = tmp_path / "survey.html"
    file.write_bytes(still_page.request.get(f"{form}/page.html").body())
    still_page.goto(file.as_uri())
    Walk(still_page).ready()
    inspector.look(still_page, "from disk")


@pytest.mark.parametrize("language", ["en", "ar"])
def test_nothing_is_wrong_with_the_pages_around_the_form(
    still_page: Page, site: Site, inspector: Inspector, language: str
) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    form = site.publish(presented())
    pages = {
        "label": f"{form}/privacy?lang={language}",
        "embedded": f"{site.publish(two_questions(hosts=('https://example.org',)))}/embed#lang={language}",
        "not open": site.publish(two_questions(survey="soon", opens=now + timedelta(days=1))),
        "closed": site.publish(two_questions(survey="over", closes=now - timedelta(days=1))),
        "none": f"{site.address}/s/none",
    }
    for name, address in pages.items():
        still_page.goto(address)
        still_page.get_by_role("heading", level=1).wait_for()
        for details in still_page.locator("summary").all():
            details.click()
        inspector.look(still_page, name)


def test_nothing_is_wrong_with_the_pages_of_a_researcher(still_page: Page, site: Site, inspector: Inspector) -> None:
    # Questions are crossed only if a device reports on both.
    manifest = replace(read(DEFINITION), ask=None)
    site.publish(manifest, [("cheated", "frequency"), ("frequency", "stress")])
    simulate(site, manifest, 200)
    link = site.address + make_link(site.app.extensions["hushpoll"])
    still_page.goto(f"{site.address}/surveys")
    inspector.look(still_page, "not signed in")
    still_page.goto(link)
    inspector.look(still_page, "sign in")
    still_page.get_by_role("button", name="Sign in").click()
    inspector.look(still_page, "surveys")
    still_page.goto(link)
    inspector.look(still_page, "link spent")
    still_page.goto(f"{site.address}/surveys/{manifest.survey}")
    inspector.look(still_page, "dashboard")
    still_page.get_by_role("button", name="Sign out everywhere").click()
    inspector.look(still_page, "signed out everywhere")
