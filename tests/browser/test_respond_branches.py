"""Questions that only some are asked: the way past them, and what becomes of answers that no longer apply."""

from __future__ import annotations

from playwright.sync_api import Page, expect
from tests.browser import time_machine
from tests.browser.form import Site, answer, expect_heading
from tests.browser.walk import Walk
from tests.samples.designs import warner
from tests.samples.every_type import ONE, options
from tests.samples.surveys import two_questions

from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.presentation import When
from hushpoll_shared.question_types import EXTRAS, MultiChoice, SingleChoice, YesNo
from hushpoll_shared.questions import Question

SKIPPED = EXTRAS[1:]


def with_branches() -> Manifest:
    """Ask all, some, some of these, and all again."""
    how = SingleChoice(options("notes", "phone"), EXTRAS)
    return two_questions(
        questions=(
            Question("cheated", "Have you cheated?", YesNo(), warner(odds="3:1")),
            Question("how", "How?", how, SubsetMechanism.of(ONE, 4), When("cheated", (True,))),
            Question("caught", "Were you caught?", YesNo(SKIPPED), SubsetMechanism.of(ONE, 3), When("how", ("phone",))),
            Question("helped", "Have you helped?", YesNo(), warner(odds="3:1")),
        )
    )


def change(page: Page, number: int, choice: str) -> None:
    page.get_by_role("button", name=f"Change the answer to question {number}", exact=True).click()
    page.get_by_role("radio", name=choice, exact=True).check()
    page.locator(".way button").last.click()


def test_questions_that_do_not_apply_are_passed_over_in_both_directions(page: Page, site: Site) -> None:
    page.goto(site.publish(with_branches()))
    page.get_by_role("button", name="begin").click()
    page.get_by_role("radio", name="No", exact=True).check()
    page.get_by_role("button", name="Next").click()
    expect_heading(page, "Have you helped?")
    expect(page.get_by_role("progressbar", name="Question 4 of 4")).to_be_visible()
    page.get_by_role("button", name="Back").click()
    expect_heading(page, "Have you cheated?")
    page.get_by_role("radio", name="Yes", exact=True).check()
    page.get_by_role("button", name="Next").click()
    expect_heading(page, "How?")
    expect(page.get_by_role("progressbar", name="Question 2 of 4")).to_be_visible()


def test_a_question_that_applies_cannot_be_answered_with_does_not_apply(page: Page, site: Site) -> None:
    page.goto(site.publish(with_branches()))
    page.get_by_role("button", name="begin").click()
    page.get_by_role("radio", name="Yes", exact=True).check()
    page.get_by_role("button", name="Next").click()
    expect(page.locator("label.choice")).to_have_text(["notes", "phone", "Prefer not to say"])


def test_a_branch_that_opens_on_the_review_is_asked_before_send(page: Page, site: Site) -> None:
    time_machine.install(page)
    page.goto(site.publish(with_branches()))
    answer(page, "No", "Yes")
    change(page, 1, "Yes")
    expect_heading(page, "How?")
    page.get_by_role("button", name="Back").click()
    expect_heading(page, "Have you cheated?")
    page.get_by_role("button", name="Next").click()
    page.get_by_role("radio", name="phone").check()
    page.get_by_role("button", name="Next").click()
    expect_heading(page, "Were you caught?")
    page.get_by_role("radio", name="No", exact=True).check()
    page.get_by_role("button", name="To the review").click()
    expect(page.locator(".review strong")).to_have_text(["Yes", "phone", "No", "Yes"])
    Walk(page).send()
    assert site.stored("campus") == 1


def test_an_answer_that_no_longer_applies_is_forgotten_with_all_that_follow_from_it(page: Page, site: Site) -> None:
    page.goto(site.publish(with_branches()))
    answer(page, "Yes", "phone", "Yes", "Yes")
    change(page, 1, "No")
    expect(page.locator(".review strong")).to_have_text(["No", "Yes"])
    change(page, 1, "Yes")
    expect_heading(page, "How?")
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    page.get_by_role("radio", name="notes").check()
    page.get_by_role("button", name="To the review").click()
    expect(page.locator(".review strong")).to_have_text(["Yes", "notes", "Yes"])


def test_one_tick_of_several_opens_a_branch(page: Page, site: Site) -> None:
    ways = Question("ways", "Which ways?", MultiChoice(options("notes", "phone")), BallMechanism.of(ONE, 2))
    caught = Question("caught", "Caught?", YesNo(SKIPPED), SubsetMechanism.of(ONE, 3), When("ways", ("phone",)))
    page.goto(site.publish(two_questions(questions=(ways, caught))))
    page.get_by_role("button", name="begin").click()
    expect(page.get_by_role("button", name="None of these")).to_be_visible()
    page.get_by_role("checkbox", name="notes").check()
    expect(page.get_by_role("button", name="To the review")).to_be_visible()
    page.get_by_role("checkbox", name="phone").check()
    page.get_by_role("button", name="Next").click()
    expect_heading(page, "Caught?")
