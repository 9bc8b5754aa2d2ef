"""The whole path, in engines other than Chromium: from the first screen to a receipt of what was counted."""

from __future__ import annotations

import json

from tests.browser.form import Site
from tests.browser.test_respond_about import ABOUT
from tests.engines.page import Page
from tests.samples.surveys import two_questions


def test_the_path_ends_with_a_receipt_of_the_report_that_was_counted(page: Page, site: Site, form: str) -> None:
    page.open(form)
    page.expect_heading("Campus integrity")
    page.answer("Yes", "No")
    assert page.texts("//*[@class = 'review']//strong") == ["Yes", "No"]
    assert site.sent == []
    page.send()
    [request] = site.sent
    assert site.stored("campus") == 1
    page.unfold("See what was sent")
    assert page.text("//pre").encode() == request.body
    draws = json.loads(request.body)["answers"].values()
    assert page.texts("//details//strong") == [{"0": "No", "1": "Yes"}[draw] for draw in draws]
    assert page.driver.complaints() == []


def test_an_answer_can_be_changed_on_the_review(page: Page, form: str) -> None:
    page.open(form)
    page.answer("Yes", "Yes")
    page.press("Change the answer to question 1")
    page.expect_place(1)
    assert page.is_chosen("Yes")
    page.give("No")
    page.press("To the review")
    page.expect_heading("Check your answers")
    assert page.texts("//*[@class = 'review']//strong") == ["No", "Yes"]


def test_going_on_without_an_answer_is_refused_in_words(page: Page, form: str) -> None:
    page.open(form)
    page.press("begin")
    page.press("Next")
    page.expect_text("Choose an answer to go on.")
    page.expect_place(1)


def test_the_first_screen_says_who_asks_and_the_last_one_has_their_thanks(page: Page, site: Site) -> None:
    page.open(site.publish(two_questions(about=ABOUT)))
    page.expect_text("Example University")
    page.expect_text("Questions: 2. About 1 min.")
    assert page.target("Contact") == ABOUT.contact
    assert page.target("Their privacy page") == ABOUT.privacy
    page.answer("Yes", "No")
    page.send()
    page.expect_text("Thank you from all of us.")
    assert page.target("https://example.org/next") == ABOUT.link


def test_whoever_answered_sees_no_form_after_a_reload(page: Page, site: Site, form: str) -> None:
    page.open(form)
    page.answer("Yes", "No")
    page.send()
    assert not page.reload()
    page.expect_heading("This survey was answered on this device")
    number = json.loads(site.sent[0].body)["id"]
    assert number not in json.dumps(page.at_rest())
    assert len(site.sent) == 1
