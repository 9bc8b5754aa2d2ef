"""What leaves the device and what stays on it, in engines other than Chromium: never an answer."""

from __future__ import annotations

import time

from tests.browser.form import Given, Request, Site, expect_equal, in_order
from tests.engines.driver import wait_for
from tests.engines.page import Page, Start
from tests.samples.every_type import FIRST, SECOND, every_type

QUIET_SECONDS = 1.0
ICON = "return new URL(document.querySelector('link[rel=icon]').href).pathname"


def wait_until_loaded(page: Page, site: Site) -> int:
    """Wait for all parts of a page; return the number of requests."""
    icon = page.driver.evaluate(ICON)
    # Engines load it when they have nothing else to do, on a busy machine seconds later.
    wait_for(lambda: icon in [request.path for request in site.requests], "the icon of the page")
    return wait_until_quiet(site)


def wait_until_quiet(site: Site) -> int:
    """Wait until the browser asks for nothing more; return the number of requests."""
    wait_for(lambda: site.requests and time.monotonic() - site.requests[-1].at > QUIET_SECONDS, "quiet")
    return len(site.requests)


def visit(page: Page, site: Site, form: str, choices: tuple[Given, ...]) -> list[Request]:
    """Answer a survey in a fresh browser; return all that it asked for."""
    site.requests.clear()
    page.open(form)
    loaded = wait_until_loaded(page, site)
    page.answer(*choices)
    assert site.requests[loaded:] == []
    page.send()
    wait_until_quiet(site)
    return in_order(site.requests, loaded)


def test_opposite_answers_give_equal_requests(start: Start, site: Site, form: str) -> None:
    ways = (("Yes", "Yes"), ("No", "No"), ("Yes", "No"))
    expect_equal([visit(start(), site, form, choices) for choices in ways])
    assert site.stored("campus") == len(ways)


def test_opposite_answers_to_every_type_of_question_give_equal_requests(start: Start, site: Site) -> None:
    form = site.publish(every_type())
    expect_equal([visit(start(), site, form, choices) for choices in (FIRST, SECOND)])
    assert site.stored("all") == 2


def test_an_answer_changes_nothing_on_the_device(page: Page, form: str) -> None:
    page.open(form)
    page.expect_heading("Campus integrity")
    before = page.at_rest()
    page.answer("Yes", "No")
    assert page.at_rest() == before


def test_the_page_can_connect_to_nothing_but_the_report_address(page: Page, site: Site, form: str) -> None:
    page.open(form)
    page.expect_heading("Campus integrity")
    assert page.driver.complaints() == []
    assert page.driver.evaluate("return fetch('/healthz').then(() => 'reached', () => 'refused')") == "refused"
    assert "/healthz" not in [request.path for request in site.requests]
    wait_for(lambda: "connect-src" in " ".join(page.driver.complaints()), "a complaint")
