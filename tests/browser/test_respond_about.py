"""Who asks, how long it takes and until when; the researchers' own words after Send; and a way to say no."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.browser.form import Site, answer, expect_heading, send
from tests.samples.presented import PICTURE
from tests.samples.surveys import two_questions

from hushpoll_shared.about import About
from hushpoll_shared.appearance import logo_of
from hushpoll_shared.presentation import TranslatedQuestion, Translation

ABOUT = About(
    organisation="Example University",
    contact="mailto:polls@example.org",
    privacy="https://example.org/privacy",
    thanks="Thank you from all of us.",
    link="https://example.org/next",
)
PHONE = {"width": 360, "height": 740}


def test_the_first_screen_says_who_asks_how_long_and_until_when_in_the_readers_time(
    new_context: Callable[..., BrowserContext], site: Site
) -> None:
    closes = datetime(2030, 11, 30, 23, 30, tzinfo=UTC)
    form = site.publish(two_questions(about=ABOUT, closes=closes))
    page = new_context(timezone_id="Asia/Tokyo", locale="en-GB").new_page()
    page.goto(form)
    facts = page.locator(".facts-line")
    expect(facts).to_contain_text("Example University")
    expect(facts).to_contain_text("Questions: 2. About 1 min.")
    # In Tokyo it is the next day.
    expect(facts).to_contain_text("December 1, 2030 at 8:30")
    expect(page.get_by_role("link", name="Contact")).to_have_attribute("href", "mailto:polls@example.org")
    expect(page.get_by_role("link", name="Their privacy page")).to_have_attribute("href", "https://example.org/privacy")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_survey_has_a_logo_and_a_colour_of_its_own_and_asks_nobody_else_for_them(
    new_context: Callable[..., BrowserContext], site: Site, scheme: str, complaints: list[str]
) -> None:
    about = replace(ABOUT, logo=logo_of(PICTURE), accent="#7a1f5c")
    form = site.publish(two_questions(about=about))
    page = new_context(color_scheme=scheme, viewport=PHONE).new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(form)
    logo = page.locator("img.logo")
    expect(logo).to_be_visible()
    assert logo.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [24, 12]
    colour = page.get_by_role("button", name="begin").evaluate("button => getComputedStyle(button).backgroundColor")
    light, dark = "rgb(122, 31, 92)", "color(srgb 0.765294 0.604706 0.712353)"
    assert colour == (light if scheme == "light" else dark)
    expected = {"/s/campus", "/s/worker.js", "/js/form.js", "/static/hushpoll.css", "/static/icon.svg"}
    assert {request.path for request in site.requests} <= expected
    assert complaints == []


def test_a_survey_without_a_logo_shows_none_and_keeps_the_colour_of_hushpoll(page: Page, form: str) -> None:
    page.goto(form)
    button = page.get_by_role("button", name="begin")
    assert button.evaluate("button => getComputedStyle(button).backgroundColor") == "rgb(15, 92, 102)"
    expect(page.locator("img.logo")).to_be_hidden()


def test_after_send_the_researchers_say_thank_you_in_the_readers_language(
    new_context: Callable[..., BrowserContext], site: Site
) -> None:
    texts = {name: TranslatedQuestion("?") for name in ("cheated", "helped")}
    manifest = two_questions(
        about=ABOUT, language="en", translations={"de": Translation("T", "C", texts, "Danke von uns allen.")}
    )
    form = site.publish(manifest)
    page = new_context(locale="en").new_page()
    page.goto(form)
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    expect(page.get_by_text("Thank you from all of us.")).to_be_visible()
    link = page.get_by_role("link", name="https://example.org/next")
    assert link.get_attribute("rel") == "noopener noreferrer"
    page.get_by_role("combobox").select_option("de")
    expect(page.get_by_text("Danke von uns allen.")).to_be_visible()


def test_a_survey_that_says_nothing_about_itself_shows_no_empty_links(page: Page, site: Site, form: str) -> None:
    page.goto(form)
    expect(page.locator(".facts-line")).to_have_text("Questions: 2. About 1 min.", use_inner_text=True)
    assert page.locator(".facts-line a:visible").count() == 0
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    assert page.get_by_role("link").filter(visible=True).count() <= 1
    assert len(site.sent) == 1


def test_whoever_says_no_sends_nothing(page: Page, site: Site, form: str) -> None:
    page.goto(form)
    page.get_by_role("button", name="No, thanks").click()
    expect_heading(page, "Nothing was sent")
    assert site.sent == []


def test_the_button_to_begin_is_within_a_phone_screen_and_a_half(
    new_context: Callable[..., BrowserContext], site: Site
) -> None:
    page = new_context(viewport=PHONE).new_page()
    page.goto(site.publish(two_questions(about=ABOUT)))
    box = page.get_by_role("button", name="begin").bounding_box()
    assert box
    assert box["y"] + box["height"] <= 1.5 * PHONE["height"]
