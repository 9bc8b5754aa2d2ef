"""A survey is shared in a real browser: a link made, opened elsewhere, withdrawn; and results for everybody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.browser import axe
from tests.browser.form import Site, serve_form
from tests.browser.test_tables import measure
from tests.running.web import Response, serve
from tests.samples.surveys import KEY, two_questions
from tests.server.dashboard.grouped_surveys import publish_campus, publish_everything
from tests.server.researchers.sign_in import sign_in_page

from hushpoll_server.services import Services
from hushpoll_shared.about import About

NewContext = Callable[..., BrowserContext]
SIZES = ((1280, 800), (360, 740))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve two surveys."""
    with serve_form(tmp_path_factory.mktemp("shared")) as site:
        services: Services = site.app.extensions["hushpoll"]
        publish_campus(services)
        publish_everything(services, 100)
        services.surveys.publish(replace(two_questions(survey="other"), about=About(organisation="A university")), KEY)
        yield site


def wrong(page: Page) -> list[str]:
    """Return what is wrong with the page on a desktop and on a phone."""
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        found += [*measure(page), *axe.violations(page)]
    return found


def make_link(page: Page, site: Site, survey: str, name: str) -> str:
    """Make a link by the form and return its address."""
    page.goto(f"{site.address}/surveys/{survey}")
    page.get_by_role("link", name="Share").click()
    page.get_by_label("For whom").fill(name)
    page.get_by_label("Days").fill("7")
    page.get_by_role("button", name="Make a link").click()
    address = page.locator("pre").inner_text()
    assert address.startswith(f"{site.address}/shared/")
    return address


def status(page: Page, address: str) -> int:
    """Return the status of an address that is opened."""
    answer = page.goto(address)
    assert answer is not None
    return answer.status


def test_a_link_is_made_opened_from_a_mail_looked_around_with_and_withdrawn(
    page: Page, site: Site, new_context: NewContext, complaints: list[str]
) -> None:
    sign_in_page(page, site)
    link = make_link(page, site, "campus", "Committee")
    assert wrong(page) == []
    guest = new_context().new_page()
    guest.on("console", lambda message: complaints.append(message.text))
    with serve({"/": Response(f'<a href="{link}">A survey</a>')}, {}) as mail:
        guest.goto(mail.replace("127.0.0.1", "localhost"))
        guest.get_by_role("link").click()
        expect(guest.get_by_role("heading", name="Campus integrity")).to_be_visible()
        assert guest.context.cookies() == []
        assert wrong(guest) == []
        guest.get_by_role("button", name="Open the survey").click()
        expect(guest.get_by_text("read only")).to_be_visible()
    assert wrong(guest) == []
    [cookie] = guest.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/surveys/campus")
    secret = link.rsplit("/", 1)[1]
    assert {request.path for request in site.requests if secret in request.path} == {f"/shared/{secret}"}
    for name in ("Compare", "Cross", "Regression", "Results"):
        guest.get_by_role("link", name=name, exact=True).click()
        expect(guest.get_by_text("read only")).to_be_visible()
    assert complaints == []
    for path in ("/surveys", "/surveys/everything", "/surveys/campus/share"):
        assert status(guest, site.address + path) == 401
    page.get_by_role("button", name="Withdraw Committee").click()
    expect(page.get_by_text("No link works now.")).to_be_visible()
    assert status(guest, f"{site.address}/surveys/campus") == 410
    assert wrong(guest) == []
    assert guest.context.cookies() == []
    assert status(guest, link) == 410


def test_a_form_that_is_filled_in_wrongly_says_so_and_keeps_what_was_written(page: Page, site: Site) -> None:
    sign_in_page(page, site)
    make_link(page, site, "everything", "Board")
    page.get_by_label("For whom").fill("Board")
    page.get_by_role("button", name="Make a link").click()
    expect(page.get_by_role("alert")).to_have_text(
        "There is a link with this name: choose another, or withdraw that one first."
    )
    assert page.get_by_label("For whom").input_value() == "Board"
    assert wrong(page) == []


def test_results_are_made_public_read_without_an_account_and_taken_back(
    page: Page, site: Site, new_context: NewContext, complaints: list[str]
) -> None:
    guest = new_context().new_page()
    guest.on("console", lambda message: complaints.append(message.text))
    sign_in_page(page, site)
    for survey in ("everything", "campus", "other"):
        page.goto(f"{site.address}/surveys/{survey}/share")
        page.get_by_role("button", name="Make the results public").click()
        expect(page.get_by_text("Everybody can read the figures")).to_be_visible()
        assert wrong(page) == []
        guest.goto(f"{site.address}/s/{survey}/privacy")
        guest.get_by_role("link", name="The results of this survey").click()
        expect(guest.get_by_text("Public results")).to_be_visible()
        # Everything has two questions with the same text.
        assert [each for each in wrong(guest) if not each.startswith("landmark-unique")] == []
        assert guest.context.cookies() == []
    assert complaints == []
    page.get_by_role("button", name="Take the results back").click()
    expect(page.get_by_text("Only researchers")).to_be_visible()
    assert status(guest, f"{site.address}/s/other/results") == 404
