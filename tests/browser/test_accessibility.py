"""The form for everybody: by keyboard alone, by ear, enlarged, without motion, in forced colours and on paper.

What axe can find is in test_axe.py; this is the rest that a machine can see. docs/accessibility.md tells the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, FloatRect, Locator, Page, ViewportSize, expect
from tests.browser import axe, time_machine
from tests.browser.form import Site, answer, expect_heading, give, send
from tests.browser.walk import KeyboardWalk, Walk
from tests.conftest import DESKTOP
from tests.samples.every_type import ONE, STRESS
from tests.samples.presented import presented
from tests.samples.surveys import two_questions

from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_shared.questions import Question
from hushpoll_shared.words import interface

PAGE = Path(__file__).parents[2] / "docs" / "accessibility.md"
NARROW: ViewportSize = {"width": 320, "height": 640}
PHONE: ViewportSize = {"width": 360, "height": 640}
ENLARGED: ViewportSize = {"width": 180, "height": 320}

NOTE_POINTERS = """globalThis.pointers = [];
for (const kind of ["pointerdown", "mousedown", "touchstart"])
  addEventListener(kind, () => pointers.push(kind), { capture: true });"""
# A label is part of the target of its field. A link inside a sentence may be as small as its line (WCAG 2.5.8, inline).
SMALL_TARGETS = """(least) => [...document.querySelectorAll("a[href], button, input, select, summary")]
  .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".skip-link"))
  .filter((element) => !(element.matches("p a, li a, td a") && getComputedStyle(element).display === "inline"))
  .map((element) => ({ element, box: (element.closest("label.choice") ?? element).getBoundingClientRect() }))
  .filter(({ box }) => box.width < least || box.height < least)
  .map(({ element, box }) => `${element.outerHTML.slice(0, 80)}: ${box.width} x ${box.height}`)"""
# What is cut at the left does not even scroll.
TOO_WIDE = """() => [...document.querySelectorAll("body *")]
  .map((element) => ({ element, box: element.getBoundingClientRect() }))
  .filter(({ element, box }) => (box.left < -1 || box.right > innerWidth + 1) && element.checkVisibility())
  .map(({ element }) => element)
  .filter((element) => !element.closest(".skip-link, .visually-hidden, .point"))
  .map((element) => element.outerHTML.slice(0, 80))"""
MOVING = "document.getAnimations().length"
TWICE_AS_LARGE = "document.documentElement.style.fontSize = '200%'"


def expect_focus_on_heading(page: Page, screen: str) -> None:
    assert page.evaluate("document.activeElement.tagName") == "H1", screen


def test_the_whole_way_with_every_type_needs_only_a_keyboard(page: Page, site: Site) -> None:
    page.add_init_script(NOTE_POINTERS)
    time_machine.install(page)
    page.goto(site.publish(presented()))
    for screen in KeyboardWalk(page).screens():
        # A screen begins at its heading; what happens on it leaves the focus where the person is.
        if screen != "first screen" and "," not in screen:
            expect_focus_on_heading(page, screen)
    assert page.evaluate("pointers") == []
    assert site.stored("presented") == 1


def test_coming_back_begins_at_the_heading_too(page: Page, form: str) -> None:
    page.goto(form)
    answer(page, "Yes", "No")
    for name in ("Back", "Change", "Back"):
        if name == "Change":
            page.get_by_role("button", name="To the review").click()
            expect_focus_on_heading(page, name)
        page.get_by_role("button", name=name).first.click()
        expect_focus_on_heading(page, name)


def test_a_mistake_is_announced_focused_named_and_leads_to_its_field(page: Page, site: Site) -> None:
    page.goto(site.publish(presented()))
    walk = KeyboardWalk(page)
    walk.ready()
    walk.press(walk.button("begin"))
    for screen in walk.questions():
        if not screen.endswith(", refused"):
            continue
        alert = page.get_by_role("alert")
        expect(alert).to_be_focused()
        assert alert.inner_text().strip(), screen
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("fieldset input:focus")).to_have_count(1)
        expect(page.locator("[aria-invalid=true]")).to_have_count(1)
        expect(page.locator("fieldset")).to_have_accessible_description(re.compile(re.escape(alert.inner_text())))


@pytest.mark.parametrize("language", ["en", "ar"])
def test_no_target_is_small_and_nothing_is_cut_off_on_a_small_phone(
    new_context: Callable[..., BrowserContext], site: Site, language: str
) -> None:
    page = new_context(viewport=PHONE, locale=language).new_page()
    time_machine.install(page)
    page.goto(site.publish(presented()))
    for screen in Walk(page, interface(language)).screens():
        assert page.evaluate(SMALL_TARGETS, 24) == [], screen
        expect_no_sideways_scroll(page, screen)
        page.set_viewport_size(NARROW)
        expect_no_sideways_scroll(page, screen)
        page.set_viewport_size(PHONE)


def expect_no_sideways_scroll(page: Page, screen: str) -> None:
    assert page.evaluate(TOO_WIDE) == [], screen
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), screen


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_text_twice_as_large_still_fits(page: Page, site: Site, viewport: ViewportSize) -> None:
    page.set_viewport_size(viewport)
    time_machine.install(page)
    page.goto(site.publish(presented()))
    page.evaluate(TWICE_AS_LARGE)
    for screen in Walk(page).screens():
        expect_no_sideways_scroll(page, screen)


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_a_phone_enlarged_to_twice_the_size_cuts_nothing(
    new_context: Callable[..., BrowserContext], site: Site, language: str
) -> None:
    page = new_context(viewport=ENLARGED, locale=language).new_page()
    time_machine.install(page)
    page.goto(site.publish(presented()))
    for screen in Walk(page, interface(language)).screens():
        expect_no_sideways_scroll(page, screen)


def test_a_scale_from_0_to_10_has_two_rows_on_a_phone_and_is_a_list_where_text_is_enlarged(
    page: Page, site: Site
) -> None:
    page.goto(site.publish(two_questions(questions=(Question("stress", "How?", STRESS, LaplaceMechanism.of(ONE)),))))
    page.get_by_role("button", name="begin").click()
    points, ends = page.locator(".scale .choice"), page.locator(".scale-words")
    for size, rows in ((DESKTOP, 1), (PHONE, 2), (NARROW, 2), (ENLARGED, 11)):
        page.set_viewport_size(size)
        boxes = [box for point in points.all() if (box := point.bounding_box())]
        assert len({round(box["y"]) for box in boxes}) == rows
        assert min(box["height"] for box in boxes) >= 44
        assert min(box["width"] for box in boxes) >= 36
        expect(ends).to_be_visible(visible=rows < 11)
    # The words are beside the point that they are about.
    expect(points.first.get_by_text("not at all")).to_be_in_viewport()


def test_nothing_moves_where_motion_is_not_wanted(new_context: Callable[..., BrowserContext], site: Site) -> None:
    page = new_context(viewport=PHONE, reduced_motion="reduce").new_page()
    time_machine.install(page)
    page.goto(site.publish(presented()))
    for screen in Walk(page).screens():
        assert page.evaluate(MOVING) == 0, screen


def test_the_practice_draws_come_one_after_the_other_where_motion_is_welcome(page: Page, form: str) -> None:
    page.goto(form)
    screens = Walk(page).practice()
    next(screens)
    next(screens)
    assert page.evaluate(MOVING) > 0


def test_forced_colours_show_what_is_chosen_and_what_has_the_focus(
    new_context: Callable[..., BrowserContext], form: str
) -> None:
    page = new_context(viewport=PHONE, forced_colors="active").new_page()
    page.goto(form)
    page.get_by_role("button", name="begin").click()
    yes, no = page.locator("label.choice").all()
    assert look_of(yes) == look_of(no)
    give(page, "Yes")
    assert look_of(yes) != look_of(no)
    assert page.locator("label.choice input").first.screenshot() != page.locator("label.choice input").last.screenshot()
    page.keyboard.press("ArrowDown")
    assert no.evaluate("label => getComputedStyle(label).outlineStyle") == "solid"
    # Half of the progress is done, and the dots differ in shape, not in colour alone.
    assert strip_of(page.get_by_role("progressbar"), 0.2) != strip_of(page.get_by_role("progressbar"), 0.6)
    page.get_by_role("button", name="Back").click()
    page.get_by_text("How exactly?").click()
    real, other = (page.locator(f".dots .{kind}").first for kind in ("real", "other"))
    assert real.screenshot() != other.screenshot()


def strip_of(bar: Locator, start: float) -> bytes:
    """Take a picture of a fifth of a bar."""
    box = bar.bounding_box()
    assert box
    width = round(box["width"] * 0.2)
    area: FloatRect = {**box, "x": round(box["x"] + box["width"] * start), "width": width}
    return bar.page.screenshot(clip=area)


def look_of(label: Locator) -> str:
    return str(label.evaluate("label => getComputedStyle(label).borderColor"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_paper_shows_all_that_the_screen_says(page: Page, form: str, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(form)
    Walk(page).ready()
    page.get_by_text("How exactly?").click()
    expect_on_paper(page, "h1", "table.label", ".odds", ".dots", ".researchers-text")
    answer(page, "Yes", "No")
    expect_on_paper(page, ".review li:nth-child(1) strong", ".review li:nth-child(2) strong")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    page.locator("summary").first.click()
    expect_on_paper(page, "pre")


def expect_on_paper(page: Page, *parts: str) -> None:
    page.emulate_media(media="print")
    for part in parts:
        expect(page.locator(part)).to_be_visible()
    assert axe.violations(page) == []
    page.emulate_media(media="screen")


@pytest.mark.parametrize("screen", ["first screen", "first question", "first question, refused"])
def test_what_is_read_aloud_is_what_the_document_says(page: Page, site: Site, screen: str) -> None:
    page.goto(site.publish(two_questions()))
    walk = Walk(page)
    walk.ready()
    if screen != "first screen":
        walk.press(walk.button("begin"))
    if screen.endswith("refused"):
        walk.answer_wrongly()
    assert page.locator("main").aria_snapshot() in PAGE.read_text(encoding="utf-8")
