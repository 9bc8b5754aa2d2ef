"""The browser's own buttons: Back is the previous screen, leaving asks first, and a shared device can forget."""

from __future__ import annotations

import json

from playwright.sync_api import Dialog, Page, expect
from tests.browser.form import AT_REST, Site, answer, expect_heading, give, send
from tests.samples.every_type import every_type, joined

REVIEW = "Check your answers"


def test_back_is_the_previous_screen_as_the_pages_own_button_is(page: Page, form: str) -> None:
    page.goto("about:blank")
    page.goto(form)
    answer(page, "Yes", "No")
    for place in ("2", "1"):
        page.evaluate("history.back()")
        expect(page.get_by_role("progressbar")).to_have_attribute("value", place)
    page.evaluate("history.back()")
    expect_heading(page, "Campus integrity")
    page.get_by_role("button", name="begin").click()
    expect(page.get_by_role("radio", name="Yes")).to_be_checked()
    page.get_by_role("button", name="Back").click()
    expect_heading(page, "Campus integrity")
    assert page.url == form


def test_the_link_that_skips_to_the_content_stays_on_the_screen(page: Page, form: str) -> None:
    page.goto(form)
    page.get_by_role("button", name="begin").click()
    give(page, "Yes")
    page.locator(".way button").last.click()
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "2")
    page.locator(".skip-link").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "2")
    assert page.url == form
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "1")
    expect(page.get_by_role("radio", name="Yes")).to_be_checked()


def test_the_same_link_leads_nowhere_else_on_a_screen_without_a_survey(page: Page, form: str) -> None:
    page.goto("about:blank")
    page.route(
        "**/s/campus", lambda route: route.fulfill(response=(page_of := route.fetch()), body=spoiled(page_of.text()))
    )
    page.goto(form)
    expect_heading(page, "This survey did not pass its checks")
    page.locator(".skip-link").focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    expect_heading(page, "This survey did not pass its checks")


def spoiled(text: str) -> str:
    """Return a page whose envelope was changed after signing."""
    return text.replace('"signature":"', '"signature":"A')


def test_forward_after_a_way_back_does_nothing(page: Page, form: str) -> None:
    page.goto(form)
    answer(page, "Yes", "No")
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "2")
    page.evaluate("history.forward()")
    page.wait_for_function("() => history.state === 2")
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "2")


def test_a_changed_answer_goes_back_to_its_own_place_and_on_to_the_review(page: Page, form: str) -> None:
    page.goto(form)
    answer(page, "Yes", "No")
    entries = page.evaluate("history.length")
    page.get_by_role("button", name="Change the answer to question 1").click()
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "1")
    give(page, "No")
    page.locator(".way button").last.click()
    expect_heading(page, REVIEW)
    assert page.locator(".review strong").all_inner_texts() == ["No", "No"]
    # From the review, Back is the question that was on the screen before it.
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "1")
    assert page.evaluate("history.length") == entries


def test_after_send_there_is_no_way_back_to_the_questions(page: Page, site: Site, form: str) -> None:
    page.goto("about:blank")
    page.goto(form)
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    page.wait_for_function("() => history.state === 0")
    page.evaluate("history.forward()")
    page.wait_for_function("() => history.state === 0")
    expect_heading(page, "Sent. Thank you.")
    assert len(site.sent) == 1
    page.go_back()
    assert page.url == "about:blank"


def test_leaving_with_answers_asks_first_and_leaving_without_does_not(page: Page, form: str) -> None:
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.goto(form)
    page.get_by_role("button", name="begin").click()
    page.evaluate("location.href = 'about:blank#1'")
    page.wait_for_url("about:blank#1")
    assert asked == []
    page.goto(form)
    page.get_by_role("button", name="begin").click()
    give(page, "Yes")
    page.evaluate("setTimeout(() => location.reload())")
    page.wait_for_timeout(300)
    assert asked == ["beforeunload"]
    expect(page.get_by_role("radio", name="Yes")).to_be_checked()
    assert page.evaluate(AT_REST)["databases"] == [[]]


def test_after_a_reload_the_survey_begins_anew_and_back_still_works(page: Page, form: str) -> None:
    page.goto(form)
    page.on("dialog", lambda dialog: dialog.accept())
    answer(page, "Yes", "No")
    page.reload()
    expect_heading(page, "Campus integrity")
    page.get_by_role("button", name="begin").click()
    assert page.locator("input:checked").count() == 0
    page.get_by_role("button", name="Back").click()
    expect_heading(page, "Campus integrity")


def test_somebody_else_can_answer_after_the_device_has_forgotten(page: Page, site: Site, form: str) -> None:
    page.goto(form)
    for times in (1, 2):
        answer(page, "Yes", "No")
        send(page)
        expect_heading(page, "Sent. Thank you.")
        page.reload()
        expect_heading(page, "This survey was answered on this device")
        assert len(site.sent) == times
        page.get_by_text("Does somebody else want to answer here?").click()
        expect(page.get_by_text("two reports together protect less than one")).to_be_visible()
        page.get_by_role("button", name="Forget this on this device").click()
        expect_heading(page, "Campus integrity")
        assert page.evaluate(AT_REST)["databases"] == [[]]
    assert site.stored("campus") == 2


def test_what_lasts_over_the_waves_of_a_panel_is_forgotten_too(page: Page, site: Site) -> None:
    page.goto(site.publish(every_type(survey="waves", questions=joined()[1:])))
    answer(page, "never")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    assert "secret" in json.dumps(page.evaluate(AT_REST)["databases"])
    page.get_by_text("Does somebody else want to answer here?").click()
    page.get_by_role("button", name="Forget this on this device").click()
    expect_heading(page, "Everything at once")
    assert page.evaluate(AT_REST)["databases"] == [[]]
