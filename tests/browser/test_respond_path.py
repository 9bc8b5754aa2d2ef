"""A respondent's way through the form, in real Chromium."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, ViewportSize, expect
from tests.browser.form import AT_REST, Site, answer, expect_heading, send
from tests.samples.designs import warner
from tests.samples.surveys import two_questions

from hushpoll_server.respond import label
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question

FOCUSED = "document.activeElement.textContent"
TINY: ViewportSize = {"width": 360, "height": 640}
HOSTILE = "</script><img src=x onerror=alert(1)> & \u2028 {{ 7 * 7 }}"


def survey_of(*epsilons: str) -> Manifest:
    questions = [Question(f"q{i}", f"{i}?", YesNo(), warner(epsilon=e)) for i, e in enumerate(epsilons)]
    return Manifest("odds", "Odds", "Taking part is voluntary.", tuple(questions))


def test_the_whole_way_needs_no_mouse(page: Page, site: Site, form: str, complaints: list[str]) -> None:
    page.goto(form)
    expect_heading(page, "Campus integrity")
    page.get_by_role("button", name="begin").focus()
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED) == "Have you ever cheated in an exam here?"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED) == "Have you ever helped somebody else to cheat?"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.evaluate(FOCUSED) == "Check your answers"
    expect(page.locator(".review strong")).to_have_text(["Yes", "No"])
    page.get_by_role("button", name="Send").focus()
    page.keyboard.press("Space")
    expect_heading(page, "Sent. Thank you.")
    assert page.evaluate(FOCUSED) == "Sent. Thank you."
    assert site.stored("campus") == 1
    assert complaints == []


def test_going_on_without_an_answer_is_announced_focused_and_linked(page: Page, form: str) -> None:
    page.goto(form)
    page.get_by_role("button", name="begin").click()
    page.get_by_role("button", name="Next").click()
    alert = page.get_by_role("alert")
    expect(alert).to_have_text("Choose an answer to go on.")
    expect(alert).to_be_focused()
    alert.get_by_role("button").click()
    expect(page.get_by_role("radio", name="Yes")).to_be_focused()
    assert page.url == form
    page.keyboard.press("Space")
    expect(alert).to_be_hidden()


def test_an_answer_can_be_changed_until_it_is_sent(page: Page, form: str) -> None:
    page.goto(form)
    answer(page, "Yes", "Yes")
    page.get_by_role("button", name="Change the answer to question 1").click()
    expect(page.get_by_role("radio", name="Yes")).to_be_checked()
    page.get_by_role("radio", name="No", exact=True).check()
    page.get_by_role("button", name="To the review").click()
    expect(page.locator(".review strong")).to_have_text(["No", "Yes"])


def test_back_goes_one_screen_back_and_keeps_the_answer(page: Page, form: str) -> None:
    page.goto(form)
    answer(page, "Yes", "No")
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("radio", name="No", exact=True)).to_be_checked()
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("radio", name="Yes")).to_be_checked()
    page.get_by_role("button", name="Back").click()
    expect_heading(page, "Campus integrity")


def test_the_progress_is_said_and_shown(page: Page, form: str) -> None:
    page.goto(form)
    page.get_by_role("button", name="begin").click()
    expect(page.get_by_role("progressbar", name="Question 1 of 2")).to_have_attribute("max", "2")


@pytest.mark.parametrize(
    "epsilons", [("1",), ("0.5", "0.5"), ("1", "2"), ("2", "4"), ("6",), ("1", "6", "0.1")], ids=" ".join
)
def test_the_form_and_the_privacy_label_say_the_same_in_at_most_120_words(
    page: Page, site: Site, epsilons: tuple[str, ...]
) -> None:
    manifest = survey_of(*epsilons)
    form = site.publish(manifest)
    page.goto(form)
    shown = page.locator("#label")
    expect(shown.get_by_role("row")).to_have_count(6)
    assert len(shown.inner_text().split()) <= 120
    expect(shown.locator(".opening")).to_have_text(label.opening(manifest))
    assert "ε" not in page.locator("body").inner_text()
    shown.get_by_text("How exactly?").click()
    least = max(manifest.questions, key=lambda question: question.design.epsilon)
    expect(shown.locator(".odds")).to_have_text(least.told("en").odds)
    expect(shown.get_by_role("img", name=least.told("en").odds)).to_be_visible()
    rows = shown.get_by_role("row").all_inner_texts()
    page.goto(f"{form}/privacy")
    assert page.locator("table").get_by_role("row").all_inner_texts() == rows


def test_the_picture_groups_a_hundred_dots_by_the_odds(page: Page, site: Site) -> None:
    page.goto(site.publish(survey_of("1")))
    page.get_by_text("How exactly?").click()
    dots = page.locator(".dots > *")
    expect(dots).to_have_count(100)
    kinds = dots.evaluate_all("dots => dots.map((dot) => dot.className)")
    assert kinds == ["mark real"] * 73 + ["mark other"] * 27


def test_the_practice_question_draws_twenty_times_and_leaves_no_trace(page: Page, site: Site, form: str) -> None:
    page.goto(form)
    page.get_by_role("button", name="Try it with a harmless question").click()
    page.wait_for_load_state("networkidle")
    loaded, at_rest = len(site.requests), page.evaluate(AT_REST) | {"inputs": 0}
    page.get_by_role("button", name="Draw twenty times").click()
    expect(page.get_by_role("alert")).to_have_text("Choose an answer to go on.")
    page.get_by_role("radio", name="Yes").check()
    page.get_by_role("button", name="Draw twenty times").click()
    kept, other = page.locator(".draws .real").count(), page.locator(".draws .other").count()
    assert kept + other == 20
    result = f"Of 20 draws, {kept} gave your answer, {other} did not."
    expect(page.get_by_role("status").locator("p").first).to_have_text(result)
    page.get_by_role("button", name="Back to the survey").click()
    expect_heading(page, "Campus integrity")
    assert page.evaluate(AT_REST) == at_rest
    assert site.requests[loaded:] == []
    answer(page, "No", "No")
    send(page)
    expect_heading(page, "Sent. Thank you.")


def test_the_practice_draws_keep_to_the_odds_of_the_survey(page: Page, site: Site) -> None:
    page.goto(site.publish(survey_of("6")))
    page.get_by_role("button", name="Try it with a harmless question").click()
    page.get_by_role("radio", name="No").check()
    for _ in range(10):
        page.get_by_role("button", name="Draw twenty times").click()
        # Shown as "more than 99 times in 100": no draw is another one.
        expect(page.locator(".draws .real")).to_have_count(20)


def test_a_researchers_words_stay_words(page: Page, site: Site, complaints: list[str]) -> None:
    question = Question("hostile", HOSTILE, YesNo(), warner(odds="3:1"))
    form = site.publish(two_questions(title=HOSTILE, consent=HOSTILE, questions=(question,)))
    page.goto(form)
    expect(page.get_by_role("heading", level=1)).to_contain_text("<img src=x onerror=alert(1)>")
    page.get_by_role("button", name="begin").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("</script>")
    page.goto(f"{form}/privacy")
    expect(page.get_by_role("heading", level=1)).to_contain_text("{{ 7 * 7 }}")
    assert page.locator("img").count() == 0
    assert complaints == []


@pytest.mark.parametrize("viewport", [TINY])
def test_nothing_scrolls_sideways_and_every_target_is_large_on_a_small_phone(page: Page, form: str) -> None:
    page.goto(form)
    expect_heading(page, "Campus integrity")
    check_size(page)
    page.get_by_role("button", name="begin").click()
    check_size(page)
    page.get_by_role("button", name="Back").click()
    answer(page, "Yes", "No")
    check_size(page)
    send(page)
    expect_heading(page, "Sent. Thank you.")
    page.get_by_text("See what was sent").click()
    check_size(page)
    page.goto(f"{form}/privacy")
    check_size(page)


def check_size(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= TINY["width"]
    targets = page.locator("button:visible, summary:visible, label.choice").all()
    assert all((target.bounding_box() or {"height": 0})["height"] >= 44 for target in targets)
