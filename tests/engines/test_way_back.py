"""The browser's own buttons, and a device that forgets, in engines other than Chromium."""

from __future__ import annotations

import json

from tests.browser.form import Site
from tests.engines.driver import wait_for
from tests.engines.page import Page


def test_back_is_the_previous_question_and_keeps_its_answer(page: Page, form: str) -> None:
    page.open(form)
    page.answer("Yes", "No")
    page.back()
    page.expect_place(2)
    assert page.is_chosen("No")
    page.back()
    page.expect_place(1)
    assert page.is_chosen("Yes")
    page.back()
    page.expect_heading("Campus integrity")
    page.press("begin")
    page.expect_place(1)
    assert page.is_chosen("Yes")
    page.press("Back")
    page.expect_heading("Campus integrity")


def test_forward_after_a_way_back_does_nothing(page: Page, form: str) -> None:
    page.open(form)
    page.answer("Yes", "No")
    page.back()
    page.expect_place(2)
    page.forward()
    wait_for(lambda: page.driver.evaluate("return history.state === 2"), "the place of the screen")
    page.expect_place(2)
    assert page.is_chosen("No")


def test_after_send_there_is_no_way_back_to_the_questions(page: Page, site: Site, form: str) -> None:
    page.open(f"{form}/privacy")
    page.open(form)
    page.answer("Yes", "No")
    page.send()
    page.forward()
    wait_for(lambda: page.driver.evaluate("return history.state === 0"), "the first place")
    page.expect_heading("Sent. Thank you.")
    page.back()
    page.expect_text("Privacy label")
    assert len(site.sent) == 1


def test_leaving_with_answers_asks_first_and_then_the_survey_begins_anew(page: Page, form: str) -> None:
    page.open(form)
    page.press("begin")
    assert not page.reload()
    page.press("begin")
    page.give("Yes")
    assert page.reload()
    page.expect_heading("Campus integrity")
    page.press("begin")
    page.expect_place(1)
    assert not page.is_chosen("Yes")
    page.press("Back")
    page.expect_heading("Campus integrity")


def test_a_page_that_was_left_has_forgotten_the_answers(page: Page, form: str) -> None:
    page.open(form)
    page.press("begin")
    page.give("Yes")
    page.leave(f"{form}/privacy")
    page.back()
    page.expect_heading("Campus integrity")
    page.press("begin")
    page.expect_place(1)
    assert not page.is_chosen("Yes")


def test_somebody_else_can_answer_after_the_device_has_forgotten(page: Page, site: Site, form: str) -> None:
    page.open(form)
    for times in (1, 2):
        page.answer("Yes", "No")
        page.send()
        assert site.stored("campus") == times
        page.reload()
        page.expect_heading("This survey was answered on this device")
        page.unfold("Does somebody else want to answer here?")
        page.expect_text("two reports together protect less than one")
        page.press("Forget this on this device")
        page.expect_heading("Campus integrity")
        assert "campus" not in json.dumps(page.at_rest()["databases"])
