"""A survey that cannot be shown inside another page: what the visitor reads, and what that page is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.browser.form import Site, answer, expect_heading, send
from tests.browser.host_page import LISTEN, Host, frame_of
from tests.samples.surveys import two_questions

# What Chromium does where the storage of other sites is blocked. Debian's blocks it by default; the small one that the
# set-up fetches has no such setting.
BLOCK_STORAGE = """if (parent !== window) {
  IDBFactory.prototype.open = () => {
    const error = new DOMException("The user denied permission to access the database.", "UnknownError");
    const request = Object.assign(new EventTarget(), { error });
    setTimeout(() => request.onerror?.(new Event("error")));
    return request;
  };
}"""
CAN_STORE = """() => new Promise((resolve) => {
  const opening = indexedDB.open("probe");
  Object.assign(opening, { onsuccess: () => resolve(true), onerror: () => resolve(false) });
})"""
FALLBACK = '<a href="/plain">Another way to answer</a>'
IN_A_TAB = "Open the survey in a new tab"


@pytest.fixture
def page(page: Page) -> Page:
    """Listen from the beginning."""
    page.add_init_script(LISTEN)
    return page


def show(host: Host, site: Site, src: str, attributes: str = "", policy: str = "") -> str:
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">' if policy else ""
    script = f'<script type="module" src="{site.address}/js/hushpoll-survey.js"></script>'
    element = f'<hushpoll-survey src="{src}" {attributes}>{FALLBACK}</hushpoll-survey>'
    return host.show(f"<!doctype html><title>Host</title>{meta}{script}{element}")


def expect_reason(page: Page, reason: str, words: str, survey: str | None = "campus") -> None:
    """Find the words and the page's own content in place of the form, and one event with the reason."""
    expect(page.get_by_role("status")).to_contain_text(f"This survey cannot be shown here: {words}")
    expect(page.get_by_role("link", name="Another way to answer")).to_be_visible()
    expect(page.locator("iframe:visible")).to_have_count(0)
    detail = {"survey": survey, "reason": reason}
    assert page.evaluate("heard") == [["hushpoll-unavailable", detail, "hushpoll-survey"]]
    assert page.evaluate("document.querySelector('hushpoll-survey').unavailable") == reason


def can_store_inside(page: Page) -> bool:
    """Return whether the browser lets the frame of another site keep anything."""
    page.locator("iframe").wait_for(state="attached")
    [inside] = [frame for frame in page.frames if frame.parent_frame]
    inside.wait_for_load_state()
    return bool(inside.evaluate(CAN_STORE))


def test_where_storage_is_blocked_the_survey_is_offered_in_a_new_tab_and_answered_there(
    new_context: Callable[..., BrowserContext], site: Site, host: Host
) -> None:
    context = new_context()
    page = context.new_page()
    page.add_init_script(LISTEN)
    page.goto(show(host, site, site.publish(two_questions(hosts=(host.address,)))))
    if can_store_inside(page):
        page.add_init_script(BLOCK_STORAGE)
        page.reload()
    expect_reason(page, "storage", "your browser does not let it store anything inside another site.")
    assert (can_store_inside(page), page.evaluate(CAN_STORE)) == (False, True)
    with context.expect_page() as opened:
        page.get_by_role("link", name=IN_A_TAB).click()
    tab = opened.value
    assert tab.evaluate("[location.href, opener, document.referrer]") == [f"{site.address}/s/campus", None, ""]
    answer(tab, "Yes", "No")
    send(tab)
    expect_heading(tab, "Sent. Thank you.")
    assert site.stored("campus") == 1
    # The page around learned that storage is blocked before anything was asked, and nothing afterwards.
    assert [each["hushpoll"] for each in page.evaluate("messages")] == ["ready", "StateFailed"]


def test_an_unknown_survey_is_named_as_such_and_there_is_no_link_to_it(page: Page, site: Site, host: Host) -> None:
    page.goto(show(host, site, f"{site.address}/s/campus"))
    expect_reason(page, "unknown-survey", "its server has no survey of this name.")
    assert page.get_by_role("link", name=IN_A_TAB).count() == 0


@pytest.mark.parametrize("hosts", [(), ("https://example.org",)])
def test_a_page_that_the_survey_does_not_name_says_so(
    page: Page, site: Site, host: Host, hosts: tuple[str, ...]
) -> None:
    page.goto(show(host, site, site.publish(two_questions(hosts=hosts))))
    expect_reason(page, "foreign-origin", "it does not name this site among those that may show it (embed).")
    expect(page.get_by_role("link", name=IN_A_TAB)).to_have_attribute("href", f"{site.address}/s/campus")


def test_a_survey_that_is_closed_says_so(page: Page, site: Site, host: Host) -> None:
    form = site.publish(two_questions(hosts=(host.address,)))
    site.app.extensions["hushpoll"].surveys.close("campus")
    page.goto(show(host, site, form))
    expect_reason(page, "not-open", "it is not open now.")


def test_a_server_that_is_away_is_called_so_and_a_form_that_comes_late_is_shown_after_all(
    page: Page, site: Site, host: Host
) -> None:
    form = site.publish(two_questions(hosts=(host.address,)))
    page.goto(show(host, site, "https://polls.example.org/s/none"))
    page.route("**/s/campus/embed", lambda route: route.abort())
    page.route("**/api/**", lambda route: route.abort())
    page.route("**/js/hushpoll-survey.js", lambda route: route.abort())
    page.evaluate("(form) => document.querySelector('hushpoll-survey').setAttribute('src', form)", form)
    expect_reason(page, "server-away", "its server does not answer. Try again later.")
    page.unroute_all()
    # As a browser does whose network comes back.
    page.evaluate("document.querySelector('hushpoll-survey').shadowRoot.querySelector('iframe').src += '?'")
    expect_heading(frame_of(page), "Campus integrity")
    expect(page.get_by_role("status")).to_have_text("")
    expect(page.get_by_role("link", name="Another way to answer")).to_have_count(0)
    assert page.evaluate("document.querySelector('hushpoll-survey').unavailable") is None


@pytest.mark.parametrize("directive", ["frame-src 'none'", "frame-src *; connect-src 'none'"])
def test_a_page_whose_own_policy_is_in_the_way_says_so(page: Page, site: Site, host: Host, directive: str) -> None:
    # With frames allowed, something else is wrong, but the page may not ask what.
    hosts = (host.address,) if directive.startswith("frame-src 'none'") else ()
    page.goto(show(host, site, site.publish(two_questions(hosts=hosts)), policy=directive))
    expect_reason(page, "policy", "this page’s own policy (Content-Security-Policy) forbids to show it")


def test_an_address_that_cannot_be_used_is_told_to_the_page_too(page: Page, site: Site, host: Host) -> None:
    page.goto(show(host, site, "/s/campus"))
    expect_reason(page, "address", "src must be the whole address", survey=None)


@pytest.mark.parametrize(
    ("language", "words", "direction"),
    [
        ("de", "Diese Umfrage kann hier nicht gezeigt werden: Auf dem Server gibt es keine", "ltr"),
        ("fr-CH", "Cette enquête ne peut pas être affichée ici : le serveur n’a pas", "ltr"),
        ("ar", "لا يمكن عرض هذا الاستطلاع هنا", "rtl"),
        ("constructor", "This survey cannot be shown here: its server has no", "ltr"),
    ],
)
def test_the_words_are_in_the_language_of_the_page(
    page: Page, site: Site, host: Host, language: str, words: str, direction: str
) -> None:
    page.goto(show(host, site, f"{site.address}/s/campus", f'lang="{language}"'))
    expect(page.get_by_role("status")).to_contain_text(words)
    expect(page.get_by_role("status")).to_have_attribute("dir", direction)


def test_the_server_is_asked_why_only_after_a_failure_and_without_a_word_about_who_asks(
    page: Page, site: Site, host: Host
) -> None:
    page.goto(show(host, site, f"{site.address}/s/campus"))
    expect_reason(page, "unknown-survey", "its server has no survey of this name.")
    asked = [request for request in site.requests if request.path.startswith("/api/")]
    assert [(request.method, request.path) for request in asked] == [("HEAD", "/api/v1/surveys/campus/manifest")]
    assert not {"HTTP_COOKIE", "HTTP_REFERER", "HTTP_AUTHORIZATION"} & set(asked[0].headers)


def test_an_earlier_report_changes_nothing_in_what_the_page_around_is_told(
    page: Page, site: Site, host: Host, complaints: list[str]
) -> None:
    address = show(host, site, site.publish(two_questions(hosts=(host.address,))))
    # Above the survey, so that a page that is scrolled to it can notice.
    host.pages[address.removeprefix(host.address)] += "<style>body { padding: 1500px 0 }</style>"
    told: list[Any] = []
    for heading in ("Campus integrity", "This survey was answered on this device"):
        page.goto(address)
        frame = frame_of(page)
        expect_heading(frame, heading)
        told.append(page.evaluate("[messages, heard, scrollY, document.activeElement.localName]"))
        if heading == "Campus integrity":
            page.locator("hushpoll-survey").scroll_into_view_if_needed()
            answer(frame, "Yes", "No")
            send(frame)
            expect_heading(frame, "Sent. Thank you.")
            page.goto("about:blank")
    assert told == [[[{"hushpoll": "ready", "survey": "campus"}], [], 0, "body"]] * 2
    assert "/api/v1/surveys/campus/manifest" not in {request.path for request in site.requests}
    assert complaints == []
