"""What the form sends, and what it leaves behind: never an answer."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.browser.form import AT_REST, Given, Request, Site, answer, expect_equal, expect_heading, in_order, send
from tests.samples.canary import LOSING_SCRIPT
from tests.samples.every_type import FIRST, SECOND, every_type

SUBMIT_NATIVELY = """() => {
  const form = document.createElement("form");
  form.action = "/api/v1/surveys/canary/reports";
  form.method = "post";
  document.body.append(form);
  form.submit();
}"""


def test_exactly_one_request_is_sent_and_it_is_what_the_page_shows(
    page: Page, site: Site, canary_form: str, complaints: list[str]
) -> None:
    page.add_init_script(LOSING_SCRIPT)
    page.goto(canary_form)
    answer(page, "Yes", "No")
    assert site.sent == []
    send(page)
    expect_heading(page, "Sent. Thank you.")
    [request] = site.sent
    assert (request.method, request.path) == ("POST", "/api/v1/surveys/canary/reports")
    page.get_by_text("See what was sent").click()
    assert page.locator("pre").inner_text().encode() == request.body
    report = json.loads(request.body)
    # The opposite of what was chosen, because every coin is lost.
    assert report["answers"] == {"first": "0", "second": "1"}
    expect(page.locator("details strong")).to_have_text(["No", "Yes"])
    assert complaints == []


def test_between_loading_and_send_the_page_asks_for_nothing(page: Page, site: Site, canary_form: str) -> None:
    page.goto(canary_form)
    page.get_by_role("button", name="begin").wait_for()
    page.wait_for_load_state("networkidle")
    loaded = len(site.requests)
    answer(page, "Yes", "Yes")
    assert site.requests[loaded:] == []
    assert scripts_of(site.requests) == ["/js/form.js"]


def scripts_of(requests: list[Request]) -> list[str]:
    return [request.path for request in requests if request.path.startswith("/js/")]


def expect_equal_requests(
    new_context: Callable[..., BrowserContext], site: Site, form: str, *ways: tuple[Given, ...]
) -> list[Request]:
    runs: list[list[Request]] = []
    for choices in ways:
        page = new_context().new_page()
        site.requests.clear()
        page.goto(form)
        page.get_by_role("button", name="begin").wait_for()
        page.wait_for_load_state("networkidle")
        loaded = len(site.requests)
        answer(page, *choices)
        assert site.requests[loaded:] == []
        send(page)
        expect_heading(page, "Sent. Thank you.")
        page.wait_for_load_state("networkidle")
        runs.append(in_order(site.requests, loaded))
    expect_equal(runs)
    return runs[0]


def test_opposite_answers_give_equal_requests(
    new_context: Callable[..., BrowserContext], site: Site, canary_form: str
) -> None:
    expect_equal_requests(new_context, site, canary_form, ("Yes", "Yes"), ("No", "No"), ("Yes", "No"))


def test_a_survey_of_every_type_loads_the_one_script_and_sends_equal_requests(
    new_context: Callable[..., BrowserContext], site: Site
) -> None:
    manifest = every_type()
    requests = expect_equal_requests(new_context, site, site.publish(manifest), FIRST, SECOND)
    assert scripts_of(requests) == ["/js/form.js"]
    assert site.stored(manifest.survey) == 2


@pytest.mark.parametrize("choice", ["Yes", "No"])
def test_no_answer_is_left_on_the_device(page: Page, canary_form: str, choice: str) -> None:
    page.goto(canary_form)
    expect_heading(page, "Canary")
    before = page.evaluate(AT_REST)
    answer(page, choice, choice)
    between = page.evaluate(AT_REST)
    send(page)
    expect_heading(page, "Sent. Thank you.")
    after = page.evaluate(AT_REST)
    for moment in (before, between, after):
        assert (moment["local"], moment["session"], moment["caches"], moment["cookies"]) == ({}, {}, [], "")
        assert (moment["url"], moment["title"], moment["inputs"]) == (canary_form, "Canary", 0)
    assert before["databases"] == between["databases"] == [[]]
    [[entry]] = after["databases"]
    assert (entry["status"], entry["body"], entry["problem"]) == ("accepted", None, None)
    assert entry.keys() == {
        "key", "survey", "manifest", "epsilon", "id", "body", "status", "problem", "notBefore"
    }  # fmt: skip
    # Neither the page's text nor what it holds says what was chosen.
    expect(page.locator("body")).not_to_contain_text(f"{choice}.")


def test_an_answer_is_gone_when_the_page_was_left(page: Page, canary_form: str) -> None:
    page.goto(canary_form)
    answer(page, "Yes", "Yes")
    page.goto(f"{canary_form}/privacy")
    page.go_back()
    expect_heading(page, "Canary")
    page.get_by_role("button", name="begin").click()
    expect(page.get_by_role("radio", name="Yes")).not_to_be_checked()
    expect(page.get_by_role("radio", name="No", exact=True)).not_to_be_checked()


def test_a_page_that_the_browser_keeps_has_forgotten_the_answers(page: Page, canary_form: str) -> None:
    page.goto(canary_form)
    answer(page, "Yes", "Yes")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    expect_heading(page, "Canary")
    page.get_by_role("button", name="begin").click()
    expect(page.get_by_role("radio", name="Yes")).not_to_be_checked()


def test_a_native_submit_is_impossible(page: Page, site: Site, canary_form: str, complaints: list[str]) -> None:
    page.goto(canary_form)
    page.get_by_role("button", name="begin").click()
    assert page.locator("form").count() == 0
    page.evaluate(SUBMIT_NATIVELY)
    page.wait_for_timeout(300)
    assert site.sent == []
    assert any("form-action 'none'" in complaint for complaint in complaints)


def test_the_page_can_connect_to_nothing_but_the_report_address(
    page: Page, site: Site, canary_form: str, complaints: list[str]
) -> None:
    page.goto(canary_form)
    page.get_by_role("button", name="begin").wait_for()
    reached = page.evaluate("fetch('/healthz').then(() => true, () => false)")
    assert not reached
    assert not [request for request in site.requests if request.path == "/healthz"]
    assert any("connect-src" in complaint for complaint in complaints)
