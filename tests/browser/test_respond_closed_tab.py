"""A report that waits is sent after its tab was closed, the page opens offline until then, and then nothing remains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.browser.form import Site, answer, expect_heading, send
from tests.samples.surveys import two_questions

LEFT = """async () => ({
  workers: (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope), copies: await caches.keys(),
})"""
LABEL = "/s/campus/privacy"


@pytest.fixture
def context(new_context: Callable[..., BrowserContext]) -> BrowserContext:
    return new_context()


def open_form(context: BrowserContext, form: str) -> Page:
    page = context.new_page()
    page.goto(form)
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    return page


def leave_offline(context: BrowserContext, form: str) -> bytes:
    """Answer without a line, close the tab, and return the bytes that wait."""
    page = open_form(context, form)
    answer(page, "Yes", "No")
    context.set_offline(True)
    send(page)
    expect_heading(page, "Not sent yet")
    page.get_by_text("See what will be sent").click()
    waiting = page.locator("details pre").inner_text().encode()
    wait_until(page, "async () => (await (await caches.open(location.href)).keys()).length === 3")
    page.close()
    return waiting


def wait_until(page: Page, condition: str) -> None:
    """Poll a condition: the policy of the page forbids what Playwright would do by itself."""
    for _ in range(100):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(condition)


def expect_nothing_left(page: Page) -> None:
    wait_until(page, f"async () => Object.values(await ({LEFT})()).flat().length === 0")


def let_the_browser_sync(page: Page, origin: str) -> None:
    """Do what the browser does when the device is online again."""
    found: list[dict[str, Any]] = []
    session = page.context.new_cdp_session(page)
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    for _ in range(100):
        if found:
            break
        page.wait_for_timeout(50)
    [registration] = found
    event = {"origin": origin, "registrationId": registration["registrationId"], "tag": "report", "lastChance": False}
    session.send("ServiceWorker.dispatchSyncEvent", event)


def test_a_report_is_sent_after_its_tab_was_closed_once_and_nothing_remains(
    context: BrowserContext, site: Site, form: str
) -> None:
    waiting = leave_offline(context, form)
    context.set_offline(False)
    page = context.new_page()
    page.goto(site.address + LABEL)
    let_the_browser_sync(page, site.address)
    expect_nothing_left(page)
    [request] = site.sent
    assert request.body == waiting
    assert site.stored("campus") == 1
    page.goto(form)
    expect_heading(page, "This survey was answered on this device")
    assert len(site.sent) == 1


def test_the_page_opens_offline_while_a_report_waits_with_all_its_rules(
    context: BrowserContext, site: Site, form: str
) -> None:
    leave_offline(context, form)
    page = context.new_page()
    page.goto(f"{form}?anything")
    expect_heading(page, "Not sent yet")
    # The copy has the policy of the page: no connection to anybody else, and no script but its own.
    blocked = page.evaluate(
        """(other) => new Promise((resolve) => {
          addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective));
          fetch(other).catch(() => {});
        })""",
        "https://example.org/",
    )
    assert blocked == "connect-src"
    context.set_offline(False)
    expect_heading(page, "Sent. Thank you.")
    expect_nothing_left(page)
    assert site.stored("campus") == 1


def test_a_server_that_asked_for_time_is_not_called_before_also_by_the_worker(
    context: BrowserContext, site: Site, form: str
) -> None:
    page = open_form(context, form)
    busy = {"type": "urn:hushpoll:problem:try-later"}
    page.route("**/reports", lambda route: route.fulfill(status=503, headers={"Retry-After": "60"}, json=busy))
    answer(page, "Yes", "No")
    send(page)
    expect(page.locator("main")).to_contain_text("The server is busy.")
    let_the_browser_sync(page, site.address)
    page.wait_for_timeout(500)
    assert site.sent == []
    assert page.evaluate(LEFT)["workers"] == [form]


@pytest.mark.parametrize("is_sent", [True, False], ids=["after Send", "after leaving"])
def test_nothing_remains_of_a_visit_without_a_report_that_waits(
    context: BrowserContext, site: Site, form: str, is_sent: bool
) -> None:
    page = open_form(context, form)
    assert page.evaluate(LEFT) == {"workers": [form], "copies": []}
    if is_sent:
        answer(page, "Yes", "No")
        send(page)
        expect_heading(page, "Sent. Thank you.")
    else:
        page.goto(site.address + LABEL)
    expect_nothing_left(page)


def test_the_worker_of_a_survey_leaves_the_reports_of_another_alone(
    context: BrowserContext, site: Site, form: str
) -> None:
    # Browsers choose a worker by how an address begins.
    other = site.publish(two_questions(survey="campus-2"))
    leave_offline(context, other)
    context.set_offline(False)
    page = open_form(context, form)
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    assert [site.stored("campus"), site.stored("campus-2")] == [1, 0]
    page.goto(other)
    expect_heading(page, "Sent. Thank you.")
    assert site.stored("campus-2") == 1
