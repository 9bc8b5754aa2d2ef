"""A report that cannot be sent at once: drawn once, kept, the same bytes later, counted once."""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, Route, expect
from tests.browser.form import AT_REST, Site, answer, expect_heading, send

REPORTS = "**/reports"


def cut_line(page: Page) -> list[bytes]:
    """Let every report vanish on the way, and note its bytes."""
    lost: list[bytes] = []

    def lose(route: Route) -> None:
        lost.append(route.request.post_data_buffer or b"")
        route.abort()

    page.route(REPORTS, lose)
    return lost


def test_after_a_reload_the_same_bytes_are_sent_exactly_once(page: Page, site: Site, form: str) -> None:
    lost = cut_line(page)
    page.goto(form)
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Not sent yet")
    expect(page.locator("main")).to_contain_text("Your report waits on this device. It will be sent")
    page.reload()
    expect_heading(page, "Not sent yet")
    with page.expect_request(REPORTS):
        page.get_by_role("button", name="Try again now").click()
    expect_heading(page, "Not sent yet")
    page.unroute(REPORTS)
    page.reload()
    expect_heading(page, "Sent. Thank you.")
    page.reload()
    expect_heading(page, "This survey was answered on this device")
    [request] = site.sent
    assert len(lost) == 3
    assert {*lost, request.body} == {request.body}
    assert site.stored("campus") == 1


def test_the_report_goes_out_by_itself_when_the_device_is_online_again(page: Page, site: Site, form: str) -> None:
    page.goto(form)
    answer(page, "Yes", "No")
    page.context.set_offline(True)
    send(page)
    expect_heading(page, "Not sent yet")
    page.context.set_offline(False)
    expect_heading(page, "Sent. Thank you.")
    assert len(site.sent) == site.stored("campus") == 1


def test_a_lost_answer_of_the_server_does_not_count_twice(page: Page, site: Site, form: str) -> None:
    def lose_the_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route(REPORTS, lose_the_answer)
    page.goto(form)
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Not sent yet")
    page.unroute(REPORTS)
    page.get_by_role("button", name="Try again now").click()
    expect_heading(page, "Sent. Thank you.")
    first, second = site.sent
    assert first.body == second.body
    assert site.stored("campus") == 1


def test_a_busy_server_is_left_alone_for_as_long_as_it_asks(page: Page, site: Site, form: str) -> None:
    busy = {"type": "urn:hushpoll:problem:try-later"}
    page.route(REPORTS, lambda route: route.fulfill(status=503, headers={"Retry-After": "1"}, json=busy))
    page.goto(form)
    answer(page, "Yes", "No")
    send(page)
    expect(page.locator("main")).to_contain_text("The server is busy. This page tries again in")
    page.unroute(REPORTS)
    expect_heading(page, "Sent. Thank you.")
    assert len(site.sent) == site.stored("campus") == 1


def test_who_answered_sees_no_form_and_nothing_about_the_report(page: Page, site: Site, form: str) -> None:
    page.goto(form)
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    number = json.loads(site.sent[0].body)["id"]
    page.reload()
    expect_heading(page, "This survey was answered on this device")
    assert page.get_by_role("button").count() == 0
    assert number not in page.content() + json.dumps(page.evaluate(AT_REST))
    assert len(site.sent) == 1


def test_a_second_tab_cannot_draw_again(new_context: Callable[..., BrowserContext], site: Site, form: str) -> None:
    context = new_context()
    first, second = context.new_page(), context.new_page()
    for tab in (first, second):
        tab.goto(form)
        answer(tab, "Yes", "Yes")
    send(first)
    expect_heading(first, "Sent. Thank you.")
    send(second)
    expect_heading(second, "This survey was answered on this device")
    assert len(site.sent) == 1


def test_a_survey_that_closes_before_send_is_named_and_nothing_is_stored(page: Page, site: Site, form: str) -> None:
    page.goto(form)
    answer(page, "Yes", "No")
    site.app.extensions["hushpoll"].surveys.close("campus")
    send(page)
    expect_heading(page, "The server did not take the report")
    expect(page.locator("main")).to_contain_text("The survey was closed before the report arrived.")
    assert site.stored("campus") == 0
