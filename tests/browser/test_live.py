"""The page of an open survey updates by itself, and whoever reads it keeps the place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect
from tests.browser import axe, time_machine
from tests.browser.form import Site
from tests.browser.test_tables import MILLISECONDS, measure
from tests.samples.surveys import make_report, two_questions
from tests.server.researchers.sign_in import sign_in_page

from hushpoll_server.watch.metrics import STEP

EVERY_SECONDS = 15
SURVEY = "/surveys/campus"
# Two trees of elements that a test writes down, made equal by the page's own module, and what is left.
RENEW = """async ([before, after]) => {
  const { renew } = await import("/js/dashboard/renewing.js");
  const make = ([name, attributes, ...children]) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children.map((child) => (typeof child === "string" ? child : make(child))));
    return element;
  };
  const [shown, fresh] = [make(before), make(after)];
  const old = new Set(shown.querySelectorAll("*"));
  document.body.append(shown);
  renew(shown, fresh);
  shown.remove();
  const kept = [...shown.querySelectorAll("*")].filter((element) => old.has(element)).length;
  return { isEqual: shown.isEqualNode(make(after)), kept, html: shown.outerHTML };
}"""


@pytest.fixture
def researcher(page: Page, site: Site) -> Page:
    """Sign a researcher in who opens the page of a survey with 60 reports."""
    time_machine.install(page)
    page.set_default_timeout(MILLISECONDS)
    page.emulate_media(reduced_motion="reduce")
    site.publish(two_questions())
    arrive(site, 60)
    sign_in_page(page, site)
    page.goto(site.address + SURVEY)
    expect(page.get_by_text("Updates by itself.")).to_be_visible()
    return page


def arrive(site: Site, number: int) -> None:
    """Take reports, half of which say yes to the first question."""
    manifest = two_questions()
    bodies = [make_report(manifest, place % 2, 0).encode() for place in range(number)]
    site.app.extensions["hushpoll"].collect.take("campus", bodies)


def expect_reports(page: Page, number: int) -> None:
    """Wait until the page has this number of reports at its head."""
    expect(page.locator(".survey-head strong").first).to_have_text(f"{number} reports.")


def wait_for_an_answer(page: Page, seconds: float = EVERY_SECONDS) -> int:
    """Let time pass until the page asks, and return the status of the answer."""
    with page.expect_response(lambda response: SURVEY in response.url) as waiting:
        time_machine.turn_forward(page, seconds)
    return waiting.value.status


def test_arrivals_appear_without_a_reload_and_the_place_is_kept(
    researcher: Page, site: Site, complaints: list[str]
) -> None:
    researcher.set_viewport_size({"width": 360, "height": 600})
    researcher.evaluate("globalThis.sameDocument = true")
    table = researcher.get_by_role("region", name="Figures").last
    table.focus()
    table.scroll_into_view_if_needed()
    # A selection in words that stay.
    researcher.evaluate("""() => {
      const [, heading] = document.querySelectorAll(".estimate h2");
      getSelection().selectAllChildren(heading);
    }""")
    place, selected = researcher.evaluate("[scrollY, String(getSelection())]")
    assert place > 0
    arrive(site, STEP)
    assert wait_for_an_answer(researcher) == 200
    expect_reports(researcher, 80)
    expect(table).to_be_focused()
    assert researcher.evaluate("[sameDocument, scrollY, String(getSelection())]") == [True, place, selected]
    assert "n = 80" in researcher.locator(".estimate").first.inner_text()
    assert complaints == []


def test_fewer_than_twenty_arrivals_are_not_shown_until_the_page_is_loaded_again(researcher: Page, site: Site) -> None:
    arrive(site, STEP - 1)
    before = researcher.locator("main").inner_html()
    for _ in range(3):
        assert wait_for_an_answer(researcher) == 304
    assert researcher.locator("main").inner_html() == before
    researcher.reload()
    expect_reports(researcher, 79)


def test_the_end_of_the_survey_shows_its_last_figures_with_ordinary_limits(
    researcher: Page, site: Site, complaints: list[str]
) -> None:
    expect(researcher.locator(".estimate-facts", has_text="for continuous monitoring")).to_have_count(2)
    arrive(site, 1)
    site.app.extensions["hushpoll"].surveys.close("campus")
    assert wait_for_an_answer(researcher) == 200
    expect_reports(researcher, 61)
    expect(researcher.locator(".estimate-facts", has_text="for one interval at a fixed time")).to_have_count(2)
    expect(researcher.get_by_label("one interval at a fixed time")).to_be_checked()
    expect(researcher.get_by_role("button", name="Pause")).to_have_count(0)
    asked = len(site.requests)
    time_machine.turn_forward(researcher, 3600)
    # What was said last is said when the minute is over.
    expect(researcher.get_by_role("status")).to_have_text(
        "The survey is no longer open, and the page does not change any more."
    )
    assert len(site.requests) == asked
    assert complaints == []


def test_after_the_end_of_the_session_the_page_says_so_and_stops(researcher: Page, site: Site) -> None:
    researcher.context.clear_cookies()
    assert wait_for_an_answer(researcher) == 401
    expect(researcher.locator("#live-state")).to_have_text(
        "Your session has ended: these are the last figures. Load the page again to sign in."
    )
    asked = len(site.requests)
    time_machine.turn_forward(researcher, 3600)
    assert len(site.requests) == asked
    assert "n = 60" in researcher.locator(".estimate").first.inner_text()


def test_a_server_that_does_not_answer_is_asked_later_and_the_figures_stay(researcher: Page, site: Site) -> None:
    def refuse(route: Route) -> None:
        route.fulfill(status=503, headers={"Retry-After": "120"}, body="")

    researcher.route(f"**{SURVEY}", refuse)
    assert wait_for_an_answer(researcher) == 503
    expect(researcher.get_by_text("The server is not reachable: these are its last figures.").first).to_be_visible()
    researcher.unroute(f"**{SURVEY}")
    asked = len(site.requests)
    time_machine.turn_forward(researcher, 119)
    assert len(site.requests) == asked
    assert wait_for_an_answer(researcher, 2) == 304
    expect(researcher.get_by_text("Updates by itself.").first).to_be_visible()


def test_a_page_that_is_paused_or_hidden_stands_still(researcher: Page, site: Site) -> None:
    button = researcher.get_by_role("button", name="Pause updates")
    button.focus()
    researcher.keyboard.press("Enter")
    asked = len(site.requests)
    arrive(site, 100)
    time_machine.turn_forward(researcher, 3600)
    assert len(site.requests) == asked
    expect(researcher.locator("#live-state")).to_have_text("Paused.")
    researcher.get_by_role("button", name="Go on updating").click()
    time_machine.turn_forward(researcher, 1)
    expect_reports(researcher, 160)
    hide(researcher, "hidden")
    asked = len(site.requests)
    time_machine.turn_forward(researcher, 3600)
    assert len(site.requests) == asked
    arrive(site, 100)
    hide(researcher, "visible")
    time_machine.turn_forward(researcher, 1)
    expect_reports(researcher, 260)


def hide(page: Page, state: str) -> None:
    """Let the page believe that its tab was left, or is looked at again."""
    page.evaluate(
        """(state) => {
          Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )


def test_the_slider_and_the_switch_show_at_once_what_is_chosen(
    researcher: Page, site: Site, complaints: list[str]
) -> None:
    slider, field = researcher.get_by_role("slider"), researcher.get_by_label("Made-up reports, in percent", exact=True)
    slider.focus()
    for _ in range(4):
        researcher.keyboard.press("ArrowRight")
    expect(field).to_have_value("2")
    time_machine.turn_forward(researcher, 1)
    expect(researcher.get_by_role("columnheader", name="2 % made up").first).to_be_visible()
    expect(slider).to_be_focused()
    assert researcher.url.endswith(f"{SURVEY}?made_up=2")
    field.fill("33.3")
    expect(slider).to_have_value("20")
    time_machine.turn_forward(researcher, 1)
    expect(researcher.get_by_role("columnheader", name="33.3 % made up").first).to_be_visible()
    asked = len(site.requests)
    field.fill("333")
    time_machine.turn_forward(researcher, 1)
    assert len(site.requests) == asked
    field.fill("")
    researcher.get_by_label("all answers of a question jointly").check()
    time_machine.turn_forward(researcher, 1)
    expect(researcher.get_by_text("for all answers of a question jointly").first).to_be_visible()
    expect(researcher.get_by_text("made up")).to_have_count(0)
    assert researcher.url.endswith(f"{SURVEY}?coverage=simultaneous")
    # The page goes on with what was chosen.
    arrive(site, STEP)
    assert wait_for_an_answer(researcher) == 200
    expect_reports(researcher, 80)
    expect(researcher.get_by_text("for all answers of a question jointly").first).to_be_visible()
    assert complaints == []


def test_nothing_is_wrong_with_the_page_and_no_number_is_cut(
    researcher: Page, site: Site, complaints: list[str]
) -> None:
    arrive(site, STEP)
    wait_for_an_answer(researcher)
    expect_reports(researcher, 80)
    for width in (1100, 360):
        researcher.set_viewport_size({"width": width, "height": 740})
        assert [*measure(researcher), *axe.violations(researcher)] == []
    assert complaints == []


def test_the_first_reports_bring_the_form_and_its_slider(page: Page, site: Site, complaints: list[str]) -> None:
    time_machine.install(page)
    site.publish(two_questions())
    sign_in_page(page, site)
    page.goto(site.address + SURVEY)
    expect(page.get_by_role("heading", name="No reports yet")).to_be_visible()
    arrive(site, 40)
    assert wait_for_an_answer(page) == 200
    expect(page.get_by_role("heading", name="No reports yet")).to_have_count(0)
    page.get_by_role("slider").fill("5")
    time_machine.turn_forward(page, 1)
    expect(page.get_by_role("columnheader", name="5 % made up").first).to_be_visible()
    assert complaints == []


def test_without_a_script_the_button_shows_what_is_chosen(
    new_context: Callable[..., BrowserContext], site: Site
) -> None:
    site.publish(two_questions())
    arrive(site, 60)
    page = new_context(java_script_enabled=False).new_page()
    sign_in_page(page, site)
    page.goto(site.address + SURVEY)
    expect(page.get_by_text("Load the page again for new figures.")).to_be_visible()
    expect(page.get_by_role("button", name="Pause")).to_have_count(0)
    expect(page.get_by_role("slider")).to_have_count(0)
    page.get_by_role("spinbutton", name="Made-up reports").fill("2.5")
    page.get_by_label("all answers of a question jointly").check()
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("columnheader", name="2.5 % made up").first).to_be_visible()
    expect(page.get_by_text("for all answers of a question jointly").first).to_be_visible()


# An element is written as its name, its attributes, and what is in it.
Tree = list[Any]


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        (["p", {}, "1"], ["p", {}, "2"], 0),
        (["div", {}, ["p", {}, "a"], ["b", {}, "x"]], ["div", {}, ["i", {}], ["p", {"class": "z"}], ["b", {}, "y"]], 1),
        # Cards come, go and change their order.
        (["div", {}, ["p", {"id": "a"}], ["p", {"id": "b"}]], ["div", {}, ["p", {"id": "b"}], ["p", {"id": "c"}]], 1),
        (["div", {}, ["p", {"id": "a"}], ["p", {"id": "b"}]], ["div", {}, ["p", {"id": "b"}], ["p", {"id": "a"}]], 1),
        (["div", {}, ["p", {}, "x"], "y"], ["div", {}], 0),
        (["div", {"class": "a", "title": "b"}], ["div", {"class": "c", "lang": "d"}, "x", ["p", {}, ["b", {}]]], 0),
    ],
)
def test_what_is_renewed_is_equal_to_the_fresh_page(researcher: Page, before: Tree, after: Tree, kept: int) -> None:
    found = researcher.evaluate(RENEW, [before, after])
    assert found["isEqual"], found["html"]
    assert found["kept"] == kept


def test_open_details_stay_open_and_what_is_used_stays_until_the_phase_changes(researcher: Page) -> None:
    more = ["details", {}, ["summary", {}, "2 more"]]
    opened = ["details", {"open": ""}, ["summary", {}, "3 more"]]
    found = researcher.evaluate(RENEW, [["div", {}, opened], ["div", {}, more]])
    assert found["html"] == '<div><details open=""><summary>2 more</summary></details></div>'
    for phase, expected in (("open", "1"), ("closed", "2")):
        form, fresh = ["form", {"data-keep": "open"}, "1"], ["form", {"data-keep": phase}, "2"]
        assert f">{expected}<" in researcher.evaluate(RENEW, [["div", {}, form], ["div", {}, fresh]])["html"]
