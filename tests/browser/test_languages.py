"""A survey in several languages: chosen in the page, named in its own words, and never told to anybody."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.browser import time_machine
from tests.browser.form import AT_REST, Site, give
from tests.browser.walk import Walk
from tests.samples.presented import NAMES, presented

from hushpoll_shared.words import interface

MEASURE = 'text => document.createElement("canvas").getContext("2d").measureText(text).width'


@pytest.fixture
def form(site: Site) -> str:
    """Publish a survey in English, German and Arabic."""
    return site.publish(presented())


def title_of(page: Page) -> str:
    return page.get_by_role("heading", level=1).inner_text()


def expect_language(page: Page, tag: str) -> None:
    words = interface(tag)
    page.get_by_role("button", name=words["begin"]).wait_for()
    html = page.locator("html")
    expect(html).to_have_attribute("lang", tag)
    expect(html).to_have_attribute("dir", words["direction"])
    assert page.title() == title_of(page) == (NAMES[tag][0] if tag in NAMES else presented().title)


@pytest.mark.parametrize(
    ("preferred", "shown"), [("de", "de"), ("de-AT", "de"), ("ar-EG", "ar"), ("en-GB", "en"), ("fr", "en")]
)
def test_the_browser_s_language_is_shown_where_the_survey_has_it(
    new_context: Callable[..., BrowserContext], form: str, preferred: str, shown: str
) -> None:
    page = new_context(locale=preferred).new_page()
    page.goto(form)
    expect_language(page, shown)


def test_every_language_is_offered_in_its_own_words_and_can_be_chosen(page: Page, form: str) -> None:
    page.goto(form)
    picker = page.get_by_role("combobox")
    expect(picker.get_by_role("option")).to_have_text(["English", "العربية", "Deutsch"])
    picker.focus()
    for key, tag in (("ArrowDown", "ar"), ("ArrowDown", "de"), ("Home", "en")):
        page.keyboard.press(key)
        expect_language(page, tag)
        expect(picker).to_have_accessible_name(interface(tag)["language"])
        expect(picker).to_be_focused()


def test_arabic_is_drawn_with_a_real_font(page: Page) -> None:
    # Of a font without them all letters are the same box.
    wide, narrow = (page.evaluate(MEASURE, text) for text in ("سسسس", "اااا"))
    assert wide > narrow > 0


def test_another_language_keeps_the_screen_and_the_answer(page: Page, form: str) -> None:
    page.goto(form)
    page.get_by_role("button", name="begin").click()
    give(page, "No")
    page.get_by_role("combobox").select_option("ar")
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{NAMES['ar'][2]} 1")
    expect(page.get_by_role("radio", name=interface("ar")["no"], exact=True)).to_be_checked()


def test_which_language_it_was_is_neither_sent_nor_stored(
    new_context: Callable[..., BrowserContext], site: Site, form: str
) -> None:
    seen = []
    for tag in ("en", "ar"):
        site.requests.clear()
        page = new_context().new_page()
        time_machine.install(page)
        page.goto(form)
        page.get_by_role("combobox").select_option(tag)
        walk = Walk(page, interface(tag))
        walk.ready()
        page.wait_for_load_state("networkidle")
        walk.press(walk.button("begin"))
        walk.answer_all()
        walk.send()
        left = page.evaluate(AT_REST)
        assert (left["local"], left["session"], left["cookies"], left["url"]) == ({}, {}, "", form)
        kept = sorted(key for store in left["databases"] for entry in store for key in entry)
        seen.append((sorted(request.shape for request in site.requests), kept))
    assert seen[0] == seen[1]


def test_no_word_of_another_language_is_left_on_any_screen(
    new_context: Callable[..., BrowserContext], form: str
) -> None:
    page = new_context(locale="ar").new_page()
    time_machine.install(page)
    page.goto(form)
    survey = presented()
    english = {survey.title, survey.consent, *(question.text for question in survey.questions)}
    for screen in Walk(page, interface("ar")).screens():
        shown = page.locator("#screen").inner_text()
        assert not [text for text in english if text in shown], screen
        assert page.evaluate("getComputedStyle(document.getElementById('screen')).direction") == "rtl", screen


@pytest.mark.parametrize("tag", ["ar", "de", "en"])
def test_the_privacy_label_can_be_read_in_every_language(page: Page, form: str, tag: str) -> None:
    page.goto(f"{form}/privacy?lang={tag}")
    words = interface(tag)
    expect(page.locator("html")).to_have_attribute("lang", tag)
    expect(page.locator("html")).to_have_attribute("dir", words["direction"])
    expect(page.get_by_role("heading", level=2).first).to_have_text(words["label"])


def test_a_page_around_may_ask_for_a_language(page: Page, site: Site) -> None:
    form = site.publish(presented(hosts=("https://example.org",)))
    page.goto(f"{form}/embed#lang=de")
    expect_language(page, "de")
