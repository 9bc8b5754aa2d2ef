"""A survey inside another page: what that page learns, and what it does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Frame, Page, expect
from tests.browser import time_machine
from tests.browser.form import Site, answer, expect_heading, send
from tests.browser.host_page import LISTEN, Host, frame_of
from tests.browser.readers import with_follow_ups
from tests.browser.walk import Walk
from tests.samples.presented import presented
from tests.samples.surveys import two_questions

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "embed.html"

FIRST_QUESTION = two_questions().questions[0].text
HEIGHT = "() => document.querySelector('hushpoll-survey').shadowRoot.querySelector('iframe').clientHeight"
READY, SENT, CLOSED = ({"hushpoll": word, "survey": "campus"} for word in ("ready", "sent", "closed"))
# A hostile page: browsers scroll what they can to show the focus, and the slit would be scrolled to it.
SLIT = """() => {
  const survey = document.querySelector("hushpoll-survey");
  const slit = document.createElement("div");
  Object.assign(slit.style, { height: "20px", overflow: "hidden" });
  survey.replaceWith(slit);
  slit.append(survey);
  window.positions = [];
  slit.addEventListener("scroll", () => positions.push(slit.scrollTop));
}"""
NEXT_PICTURES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
READ_FRAME = """() => {
  const { shadowRoot } = document.querySelector("hushpoll-survey");
  const { contentDocument, contentWindow } = shadowRoot.querySelector("iframe");
  try {
    return [contentDocument, contentWindow.document.title];
  } catch (error) {
    return [contentDocument, error.name];
  }
}"""


@pytest.fixture
def page(page: Page) -> Page:
    """Listen from the beginning."""
    page.add_init_script(LISTEN)
    return page


@pytest.fixture
def around(site: Site, host: Host) -> Callable[..., str]:
    """Put a survey into a page of the host and return the page's address."""

    def show(attributes: str = "", **changes: Any) -> str:
        address = site.publish(two_questions(**{"hosts": (host.address,), **changes}))
        return host.show(
            f'<!doctype html><title>Host</title><script type="module" src="{site.address}/js/hushpoll-survey.js">'
            f'</script><hushpoll-survey src="{address}" {attributes}></hushpoll-survey>'
        )

    return show


def take_part(page: Page, *choices: str) -> None:
    """Answer in the frame, send and close."""
    frame = frame_of(page)
    answer(frame, *choices)
    send(frame)
    expect_heading(frame, "Sent. Thank you.")
    frame.get_by_role("button", name="Close").click()


def test_the_example_shows_a_survey_and_hears_that_it_was_sent(
    page: Page, site: Site, host: Host, complaints: list[str]
) -> None:
    site.publish(two_questions(hosts=(host.address,)))
    page.goto(host.show(EXAMPLE.read_text(encoding="utf-8").replace("https://polls.example.org", site.address)))
    take_part(page, "Yes", "No")
    expect(page.locator("#thanks")).to_have_text("Thank you for taking part in campus.")
    expect(page.locator("hushpoll-survey")).to_have_count(0)
    assert page.evaluate("heard") == [["hushpoll-sent", {"survey": "campus"}, "hushpoll-survey"],
                                      ["hushpoll-closed", {"survey": "campus"}, "hushpoll-survey"]]  # fmt: skip
    assert site.stored("campus") == 1
    assert complaints == []


def test_the_page_around_hears_of_a_report_with_branches_only_when_its_time_has_come(
    page: Page, site: Site, around: Callable[..., str]
) -> None:
    time_machine.install(page)
    page.goto(around(questions=with_follow_ups().questions))
    frame = frame_of(page)
    answer(frame, "No")
    send(frame)
    assert Walk(frame).is_held()
    assert frame.get_by_role("button").count() == 0
    assert page.evaluate("messages") == [READY]
    assert site.sent == []
    Walk(frame).wait_for_receipt()
    page.wait_for_function("messages.length > 1")
    assert page.evaluate("messages") == [READY, SENT]


def test_the_page_around_cannot_read_the_frame(page: Page, around: Callable[..., str]) -> None:
    page.goto(around())
    expect_heading(frame_of(page), "Campus integrity")
    assert page.evaluate(READ_FRAME) == [None, "SecurityError"]
    frame = page.locator("iframe")
    expect(frame).to_have_attribute("referrerpolicy", "no-referrer")
    expect(frame).to_have_attribute("allow", "")
    expect(frame).to_have_attribute("title", "Survey")
    assert "allow-top-navigation" not in (frame.get_attribute("sandbox") or "allow-top-navigation")


def test_different_answers_give_the_page_around_equal_messages_and_an_equal_height(
    new_context: Callable[..., BrowserContext], around: Callable[..., str]
) -> None:
    address = around('height="500"')
    told = []
    for choices in (("Yes", "Yes"), ("No", "No"), ("Yes", "No")):
        page = new_context().new_page()
        page.add_init_script(LISTEN)
        page.goto(address)
        frame = frame_of(page)
        expect_heading(frame, "Campus integrity")
        heights = [page.evaluate(HEIGHT)]
        answer(frame, *choices)
        heights.append(page.evaluate(HEIGHT))
        send(frame)
        expect_heading(frame, "Sent. Thank you.")
        heights.append(page.evaluate(HEIGHT))
        frame.get_by_role("button", name="Close").click()
        page.wait_for_function("messages.length > 2")
        assert heights == [500, 500, 500]
        told.append(page.evaluate("[messages, heard]"))
    assert told[0][0] == [READY, SENT, CLOSED]
    assert told[0] == told[1] == told[2]


def test_a_page_that_shows_a_slit_of_the_frame_cannot_read_where_the_focus_goes(
    page: Page, around: Callable[..., str]
) -> None:
    page.goto(around())
    page.evaluate(SLIT)
    frame = frame_of(page)
    expect_heading(frame, "Campus integrity")
    # A slit is too small to press in; a press would also move the focus.
    frame.get_by_role("button", name="begin").focus()
    frame.get_by_role("button", name="begin").dispatch_event("click")
    expect_heading(frame, FIRST_QUESTION)
    page.evaluate("window.positions.length = 0")
    for key in ("Tab", "ArrowDown", "ArrowUp", "Tab", "Tab", "Shift+Tab"):
        page.keyboard.press(key)
        # A scroll is told with the next picture.
        page.evaluate(NEXT_PICTURES)
    expect(frame.get_by_role("radio", name="Yes")).to_be_checked()
    assert page.evaluate("[positions, scrollY]") == [[], 0]


def test_a_page_that_the_survey_does_not_name_cannot_show_it(
    page: Page, site: Site, around: Callable[..., str], complaints: list[str]
) -> None:
    page.goto(around(hosts=("https://example.org",)))
    page.wait_for_load_state("networkidle")
    assert any("frame-ancestors" in complaint for complaint in complaints)
    assert "/js/form.js" not in {request.path for request in site.requests}
    assert frame_of(page).locator("#screen").count() == 0


def test_what_other_windows_say_is_no_event(page: Page, around: Callable[..., str]) -> None:
    page.goto(around())
    expect_heading(frame_of(page), "Campus integrity")
    page.evaluate("postMessage({ hushpoll: 'sent', survey: 'campus' }, '*')")
    # From the frame's own window, but about something else.
    inside: Frame = page.frames[-1]
    for data in ({"hushpoll": "answered", "survey": "campus"}, {"hushpoll": "sent", "survey": "other"}, "sent", None):
        inside.evaluate("(data) => parent.postMessage(data, '*')", data)
    inside.evaluate("parent.postMessage({ hushpoll: 'closed', survey: 'campus', answer: true }, '*')")
    page.wait_for_function("messages.length === 7")
    assert page.evaluate("heard") == [["hushpoll-closed", {"survey": "campus"}, "hushpoll-survey"]]


@pytest.mark.parametrize(
    ("src", "words"),
    [
        ("http://polls.example.org/s/campus", "its address must begin with https://"),
        ("javascript:alert(1)//s/campus", "its address must begin with https://"),
        ("/s/campus", "src must be the whole address"),
        ("HOST/s/campus", "it must come from another origin"),
        ("https://polls.example.org/campus", "src must be the address of its form"),
        ("", "src must be the whole address"),
    ],
)
def test_an_address_that_is_not_safe_is_refused_in_words(
    page: Page, site: Site, host: Host, src: str, words: str
) -> None:
    address = src.replace("HOST", host.address)
    html = f'<script type="module" src="{site.address}/js/hushpoll-survey.js"></script>'
    page.goto(host.show(f'{html}<hushpoll-survey src="{address}"></hushpoll-survey>'))
    expect(page.locator("hushpoll-survey")).to_contain_text(f"This survey cannot be shown here: {words}")
    assert page.locator("iframe").count() == 0


def test_nothing_that_tells_respondents_apart_is_passed_on(page: Page, site: Site, host: Host) -> None:
    form = site.publish(two_questions(hosts=(host.address,)))
    script = f'<script type="module" src="{site.address}/js/hushpoll-survey.js"></script>'
    page.goto(host.show(f'{script}<hushpoll-survey src="{form}/?person=17#x" lang="fr"></hushpoll-survey>'))
    expect_heading(frame_of(page), "Campus integrity")
    assert page.locator("iframe").get_attribute("src") == f"{form}/embed#lang=fr"
    [request] = [request for request in site.requests if request.path.startswith("/s/")]
    assert request.path == "/s/campus/embed"
    assert not [name for name in request.headers if re.search("COOKIE|REFERER", name)]


def test_the_language_is_the_one_that_the_page_around_asks_for(page: Page, site: Site, host: Host) -> None:
    form = site.publish(presented(hosts=(host.address,)))
    script = f'<script type="module" src="{site.address}/js/hushpoll-survey.js"></script>'
    page.goto(host.show(f'{script}<hushpoll-survey src="{form}" lang="de"></hushpoll-survey>'))
    expect(frame_of(page).get_by_role("heading", level=1)).to_contain_text("Umfrage")


def test_an_element_made_by_a_script_can_be_moved_changed_and_removed(page: Page, site: Site, host: Host) -> None:
    form = site.publish(two_questions(hosts=(host.address,)))
    other = site.publish(two_questions(survey="other", title="Another one", hosts=(host.address,)))
    script = f'<script type="module" src="{site.address}/js/hushpoll-survey.js"></script>'
    page.goto(host.show(f"{script}<main></main><aside></aside>"))
    page.evaluate(
        """(form) => {
          window.survey = document.createElement("hushpoll-survey");
          survey.setAttribute("src", form);
          document.querySelector("main").append(survey);
        }""",
        form,
    )
    expect_heading(frame_of(page), "Campus integrity")
    page.evaluate("document.querySelector('aside').append(survey)")
    expect(page.locator("aside iframe")).to_have_count(1)
    expect_heading(frame_of(page), "Campus integrity")
    assert page.evaluate(HEIGHT) == 640
    frame_of(page).get_by_role("button", name="begin").click()
    expect_heading(frame_of(page), FIRST_QUESTION)
    page.evaluate("document.querySelector('main').moveBefore(survey, null)")
    expect(page.locator("main iframe")).to_have_count(1)
    page.evaluate("survey.setAttribute('height', '300')")
    assert page.evaluate(HEIGHT) == 300
    # Neither has loaded the frame anew.
    expect_heading(frame_of(page), FIRST_QUESTION)
    page.evaluate("(other) => survey.setAttribute('src', other)", other)
    expect_heading(frame_of(page), "Another one")
    take_part(page, "No", "No")
    page.wait_for_function("heard.length === 2")
    assert [event[1] for event in page.evaluate("heard")] == [{"survey": "other"}] * 2
    page.evaluate("survey.remove()")
    expect(page.locator("iframe")).to_have_count(0)


def test_the_privacy_label_opens_in_a_page_of_its_own(page: Page, site: Site, around: Callable[..., str]) -> None:
    page.goto(around())
    with page.context.expect_page() as opened:
        frame_of(page).get_by_role("link", name="privacy label").click()
    expect_heading(opened.value, "Campus integrity")
    assert opened.value.url == f"{site.address}/s/campus/privacy"
    assert opened.value.evaluate("opener") is None
