"""Where answers could not be protected, none are asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from tests.browser.forged import serve_forged
from tests.browser.form import Site, answer, expect_heading, expect_nothing_can_be_sent, send
from tests.running.tools import CHROMIUM_FLAGS, Tools
from tests.samples.designs import warner
from tests.samples.surveys import two_questions

from hushpoll_server.settings import Settings
from hushpoll_server.web.current import install
from hushpoll_shared.question_types import YesNo
from hushpoll_shared.questions import Question

NAMED_HOST = "polls.test"
MISSING = {
    "random source": (
        "Object.defineProperty(window, 'crypto', { value: undefined })",
        "This browser cannot protect your answers",
    ),
    "Ed25519": (
        "SubtleCrypto.prototype.importKey = () => Promise.reject(new DOMException('', 'NotSupportedError'))",
        "This browser cannot protect your answers",
    ),
    "IndexedDB": (
        "Object.defineProperty(window, 'indexedDB', { value: undefined })",
        "This browser does not let the page keep anything",
    ),
    "permission to store": (
        "IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError') }",
        "This browser does not let the page keep anything",
    ),
}

FULL_DISK = """() => {
  IDBObjectStore.prototype.put = function () { this.transaction.abort(); };
}"""
FULL_AFTER_ONE = """() => {
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (entry) {
    IDBObjectStore.prototype.put = function () { this.transaction.abort(); };
    return put.call(this, entry);
  };
}"""


@pytest.fixture
def insecure_page(chromium: Browser, tools: Tools) -> Iterator[Page]:
    """Open a browser that finds this machine under a name that is not its own."""
    browser = chromium.browser_type.launch(
        executable_path=tools.chromium,
        args=[*CHROMIUM_FLAGS, f"--host-resolver-rules=MAP {NAMED_HOST} 127.0.0.1"],
        env=tools.chromium_environment,
    )
    yield browser.new_page()
    browser.close()


def test_an_insecure_connection_gets_a_clear_page(insecure_page: Page, site: Site, form: str) -> None:
    address = site.address.replace("127.0.0.1", NAMED_HOST)
    services = site.app.extensions["hushpoll"]
    settings = services.settings.model_copy(update={"public_url": address})
    install(site.app, {**services.by_class(), Settings: settings})
    insecure_page.goto(form.replace(site.address, address))
    expect_heading(insecure_page, "This connection is not safe to answer on")
    expect_nothing_can_be_sent(insecure_page, site)


@pytest.mark.parametrize("part", MISSING)
def test_a_browser_without_what_privacy_needs_gets_a_clear_page(page: Page, site: Site, form: str, part: str) -> None:
    script, heading = MISSING[part]
    page.add_init_script(script)
    page.goto(form)
    expect_heading(page, heading)
    expect_nothing_can_be_sent(page, site)


def test_without_javascript_the_page_says_so(new_context: Callable[..., BrowserContext], site: Site, form: str) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(form)
    expect_heading(page, "This survey needs JavaScript")
    expect(page.get_by_text("Checking who signed this survey")).to_be_hidden()
    assert page.locator("form, button, input").count() == 0
    assert site.sent == []


@pytest.mark.parametrize("part", ["payload", "signature"])
def test_a_survey_that_was_changed_after_signing_is_not_shown(page: Page, site: Site, form: str, part: str) -> None:
    def tamper(route: Route) -> None:
        response = route.fetch()
        text = response.text()
        start = text.index(f'"{part}"') + len(f'"{part}":"') + 20
        changed = text[:start] + ("A" if text[start] != "A" else "B") + text[start + 1 :]
        route.fulfill(response=response, body=changed)

    page.route("**/s/campus", tamper)
    page.goto(form)
    expect_heading(page, "This survey did not pass its checks")
    expect(page.locator("main")).to_contain_text("it was changed after signing")
    expect_nothing_can_be_sent(page, site)


def test_odds_that_protect_nothing_are_refused(page: Page, site: Site) -> None:
    questions = tuple(Question(name, "Really?", YesNo(), warner(epsilon="30")) for name in ("a", "b"))
    page.goto(site.publish(two_questions(questions=questions)))
    expect_heading(page, "This survey did not pass its checks")
    expect_nothing_can_be_sent(page, site)


def test_a_report_that_cannot_be_kept_is_not_sent(page: Page, site: Site, form: str) -> None:
    page.goto(form)
    answer(page, "Yes", "No")
    page.evaluate(FULL_DISK)
    send(page)
    expect_heading(page, "This browser does not let the page keep anything")
    expect_nothing_can_be_sent(page, site)


def test_a_report_that_was_sent_is_not_called_unsent_when_the_disk_fills_up_after_it(
    page: Page, site: Site, form: str
) -> None:
    page.goto(form)
    answer(page, "Yes", "No")
    page.evaluate(FULL_AFTER_ONE)
    send(page)
    expect_heading(page, "Sent. Thank you.")
    page.reload()
    expect_heading(page, "Sent. Thank you.")
    first, second = site.sent
    assert first.body == second.body
    assert site.stored("campus") == 1


@pytest.mark.parametrize("where", ["title", "consent", "text"])
def test_a_signed_text_that_is_none_changes_nothing_of_the_page(
    page: Page, site: Site, complaints: list[str], where: str
) -> None:
    manifest = two_questions()
    form = site.publish(manifest)
    payload = json.loads(manifest.payload)
    holder = payload["questions"][0] if where == "text" else payload
    holder[where] = {"innerHTML": "<a id=elsewhere href=https://example.org>Yes</a>", "style": "position: fixed"}

    serve_forged(page, payload)
    page.goto(form)
    expect_heading(page, "This survey did not pass its checks")
    expect_nothing_can_be_sent(page, site)
    assert page.locator("#elsewhere, #screen [style]").count() == 0
    assert complaints == []
