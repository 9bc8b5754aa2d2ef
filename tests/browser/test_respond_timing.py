"""When a report leaves: where some are asked more than others, the time must not tell who was.

Without the grid, a guesser who sees the time from opening the form to the report names the branch of five follow-up
questions 76 times in 100; the contrast stays in the tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.browser import time_machine
from tests.browser.form import Site, answer, expect_heading, give, send
from tests.browser.readers import (
    FOLLOW_UPS,
    Times,
    gain_on_grid,
    grid_seconds,
    knows_the_press,
    reading_times,
    with_follow_ups,
)
from tests.browser.walk import Walk
from tests.samples.surveys import two_questions

HELD = "Your report waits for its time"
READERS = 8
# What the machine itself takes; the page's clock runs on while it does.
MACHINE_SECONDS = 5.0
# Lets the page see no byte that would make it skip a point.
NO_LOT = """const draw = crypto.getRandomValues.bind(crypto);
crypto.getRandomValues = (bytes) => (bytes.length === 1 ? bytes.fill(255) : draw(bytes));"""


@pytest.fixture
def branched(page: Page, site: Site) -> str:
    """Publish a survey with follow-up questions, and give the page a clock that can be set and no randomness."""
    time_machine.install(page.context)
    page.add_init_script(NO_LOT)
    return site.publish(with_follow_ups(), from_disk=True)


def answer_and_send(page: Page, form: str) -> None:
    page.goto(form)
    answer(page, "No")
    send(page)
    expect_heading(page, HELD)


def read_at_pace(page: Page, form: str, seconds: Times) -> tuple[float, float]:
    """Answer as somebody who takes that long for each screen; return when Send was pressed and when the report left."""
    page.goto(form)
    Walk(page).ready()
    first, *questions, review = seconds
    time_machine.turn_forward(page, first)
    page.get_by_role("button", name="begin").click()
    for thinking in questions:
        time_machine.turn_forward(page, thinking)
        give(page, "Yes" if len(questions) > 1 else "No")
        page.locator(".way button").last.click()
    time_machine.turn_forward(page, review)
    pressed = time_machine.elapsed(page)
    Walk(page).send()
    [left] = time_machine.posted(page)
    return pressed, left


def test_the_time_from_opening_the_form_to_the_report_does_not_tell_the_branch(
    new_context: Callable[..., BrowserContext], site: Site
) -> None:
    random, step = np.random.default_rng(20), grid_seconds()
    form, guesser = site.publish(with_follow_ups()), knows_the_press(random)
    pressed: list[Times] = []
    for questions in (1, 1 + FOLLOW_UPS):
        seen = []
        for seconds in reading_times(random, questions, READERS):
            with new_context() as context:
                time_machine.install(context)
                seen.append(read_at_pace(context.new_page(), form, seconds))
        times, left = np.array(seen).T
        pressed.append(times)
        # Every report left at a point of the grid: the next one after Send, or one or two later by lot.
        assert np.all(left % step < MACHINE_SECONDS), left
        assert {*(left // step - times // step)} <= {1, 2, 3}
    # These same people, seen when they pressed Send.
    assert guesser.right(*pressed) > 0.75
    assert site.stored("campus") == 2 * READERS


def test_a_guesser_of_the_branch_gains_less_than_two_points_at_the_assumed_reading_times() -> None:
    random = np.random.default_rng(21)
    for number in (1, 2, 3, 5, 10, 20):
        short, long = (reading_times(random, questions, 200_000).sum(axis=1) for questions in (1, 1 + number))
        assert gain_on_grid(short, long, grid_seconds(number)) < 1.5, number
    assert knows_the_press(random).gain > 25


def test_a_survey_without_branches_is_sent_at_once(page: Page, site: Site) -> None:
    time_machine.install(page)
    page.goto(site.publish(two_questions()))
    answer(page, "Yes", "No")
    expect(page.get_by_text("leaves your device about")).to_be_hidden()
    send(page)
    expect_heading(page, "Sent. Thank you.")


def test_the_page_says_before_and_after_send_what_waits_why_and_until_when(
    page: Page, site: Site, branched: str
) -> None:
    page.goto(branched)
    answer(page, "No")
    expect(page.get_by_text("leaves your device about 3 minutes after you opened this page")).to_be_visible()
    send(page)
    expect_heading(page, HELD)
    expect(page.locator("main")).to_contain_text("If you close it, your device keeps the report")
    expect(page.locator("main")).to_contain_text(re.compile(r"It will be sent at \d?\d:\d\d"))
    assert page.get_by_role("button").count() == 0
    Walk(page).wait_for_receipt()
    assert len(site.sent) == site.stored("campus") == 1


def test_neither_the_network_nor_another_tab_nor_a_turned_clock_sends_a_report_before_its_time(
    page: Page, site: Site, branched: str
) -> None:
    answer_and_send(page, branched)
    page.evaluate("Date.now = () => 9e15")
    page.context.set_offline(True)
    page.context.set_offline(False)
    page.evaluate("dispatchEvent(new Event('online'))")
    second = page.context.new_page()
    second.goto(branched)
    expect_heading(second, HELD)
    second.reload()
    expect_heading(second, HELD)
    time_machine.turn_forward(page, grid_seconds() - time_machine.elapsed(page) - 1)
    expect_heading(page, HELD)
    assert site.sent == []
    time_machine.turn_forward(page, 1)
    expect_heading(page, "Sent. Thank you.")
    assert len(site.sent) == 1


def test_a_report_whose_page_was_closed_is_kept_and_sent_on_a_later_visit_not_before_its_time(
    page: Page, site: Site, branched: str
) -> None:
    answer_and_send(page, branched)
    kept = page.locator("pre").text_content()
    context = page.context
    page.close()
    early = context.new_page()
    early.goto(branched)
    expect_heading(early, HELD)
    assert early.locator("pre").text_content() == kept
    early.close()
    assert site.sent == []
    late = context.new_page()
    time_machine.install(late, ahead=grid_seconds())
    late.goto(branched)
    expect_heading(late, "Sent. Thank you.")
    assert [request.body.decode() for request in site.sent] == [kept]


def test_going_back_to_a_page_that_waits_sends_nothing_before_its_time(page: Page, site: Site, branched: str) -> None:
    answer_and_send(page, branched)
    page.goto(f"{branched}/privacy")
    page.go_back()
    expect_heading(page, HELD)
    assert site.sent == []
    Walk(page).wait_for_receipt()
    assert len(site.sent) == site.stored("campus") == 1


def test_what_waits_on_the_device_does_not_say_when_send_was_pressed(page: Page, branched: str) -> None:
    answer_and_send(page, branched)
    moment = page.evaluate(
        """() => new Promise((resolve) => {
          indexedDB.open("hushpoll").onsuccess = ({ target }) => {
            const reading = target.result.transaction("entries").objectStore("entries").getAll();
            reading.onsuccess = () => resolve(reading.result[0].notBefore - performance.timeOrigin);
          };
        })"""
    )
    assert moment == pytest.approx(1000 * grid_seconds(), abs=0.01)


def test_a_form_from_disk_waits_too(page: Page, site: Site, branched: str, tmp_path: Path) -> None:
    file = tmp_path / "survey.html"
    file.write_bytes(page.request.get(f"{branched}/page.html").body())
    answer_and_send(page, file.as_uri())
    assert site.sent == []
    Walk(page).wait_for_receipt()
    assert site.stored("campus") == 1
