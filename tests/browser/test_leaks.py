"""The form cannot leak: every type and every branch look the same from outside, and no answer outlives the page.

Two answers are markers that stand nowhere in the survey: a typed number and a typed search. Whatever holds one of them
outside the page is a leak; a report's number, which must be there, shows that the search would find it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, Route, expect
from playwright.sync_api import Error as PlaywrightError
from tests.browser import time_machine
from tests.browser.chromium import ChromiumProcess
from tests.browser.form import AT_REST, Site, answer, expect_heading, give, send
from tests.browser.walk import Walk, Which
from tests.running.server_process import ServerProcess
from tests.running.tools import Tools
from tests.samples.designs import warner
from tests.samples.every_type import every_type, joined, numbers, plain_and_choices
from tests.samples.presented import branches, presented
from tests.samples.surveys import KEY, two_questions

from hushpoll_client.cli import main as hushpoll
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.presentation import When
from hushpoll_shared.question_types import DOES_NOT_APPLY, YesNo
from hushpoll_shared.questions import Question

REPORTS = "**/reports"
NUMBER, SEARCH = "31.41592653", "zqkvwx"
VIOLATIONS = """addEventListener("securitypolicyviolation",
  ({ violatedDirective, blockedURI }) => console.error("refused:", violatedDirective, blockedURI))"""
WHERE_AM_I = "[location.href, document.title, document.cookie]"
# Draws the true answer but for 2 draws in 10^8: what was answered can be read in the report.
TELLING = "18"


@pytest.fixture
def browser_of_a_person(chromium: Browser, tools: Tools, tmp_path: Path) -> Iterator[ChromiumProcess]:
    """Yield a browser with a profile on disk, which is removed afterwards."""
    (tmp_path / "profile").mkdir()
    person = ChromiumProcess(tools, chromium.browser_type, tmp_path / "profile")
    yield person
    person.kill()


# --- From outside ----------------------------------------------------------------------------------------------------


def walk_and_watch(page: Page, site: Site, form: str, which: Which) -> tuple[list[str], list[object]]:
    """Answer a survey; return the screens that were shown and everything that could be observed from outside."""
    seen: list[Request] = []
    page.on("request", lambda request: seen.append(request))
    time_machine.install(page)
    page.goto(form)
    walk = Walk(page, which=which)
    walk.ready()
    page.wait_for_load_state("networkidle")
    loaded = len(seen)
    screens, entries = [], 0
    here = page.evaluate(WHERE_AM_I)
    for screen in walk.screens():
        screens.append(screen)
        assert page.evaluate(WHERE_AM_I) == here, screen
        entries = page.evaluate("history.length")
        assert len(seen) == loaded or walk.heading().startswith("Sen"), screen
    page.wait_for_load_state("networkidle")
    shapes = [shape_of(request) for request in seen]
    # A page that is visited later in the same tab can count the entries of the history.
    return screens, [*sorted(shapes[:loaded]), *shapes[loaded:], entries]


def shape_of(request: Request) -> tuple[str, str, list[tuple[str, str]], int]:
    """Return all of a request but the words of its body."""
    return request.method, request.url, sorted(request.all_headers().items()), len(request.post_data_buffer or b"")


def test_every_answer_and_every_branch_gives_the_same_requests(
    new_context: Callable[..., BrowserContext], site: Site
) -> None:
    form = site.publish(presented())
    (some, first), (others, last) = (
        walk_and_watch(new_context().new_page(), site, form, which) for which in ("first", "last")
    )
    assert first == last
    # The walks went different ways: one saw all the branches, one saw none.
    shown = {question.text for question in branches()}
    assert shown <= {*some}
    assert not shown & {*others}
    one, other = site.sent
    assert one.shape == other.shape
    assert one.body != other.body
    assert site.stored("presented") == 2


def test_a_question_that_is_hidden_again_is_reported_as_not_applying(page: Page, site: Site) -> None:
    parent = Question("cheated", "Have you cheated?", YesNo(), warner(epsilon=TELLING))
    child = Question(
        "caught",
        "Were you caught?",
        YesNo((DOES_NOT_APPLY,)),
        SubsetMechanism.of(Bound.of_epsilon(TELLING), 3),
        When("cheated", (True,)),
    )
    time_machine.install(page)
    page.goto(site.publish(two_questions(questions=(parent, child))))
    answer(page, "Yes", "Yes")
    page.get_by_role("button", name="Change").first.click()
    give(page, "No")
    page.locator(".way button").last.click()
    expect_heading(page, "Check your answers")
    expect(page.locator("main")).not_to_contain_text(child.text)
    Walk(page).send()
    answers = json.loads(site.sent[0].body)["answers"]
    assert list(answers) == ["cheated", "caught"]
    # A plain No is 0; of yes, no and does not apply, the last is 2.
    assert answers == {"cheated": "0", "caught": "2"}


def test_a_whole_walk_works_with_every_other_host_blocked_and_breaks_no_rule_of_the_page(
    page: Page, site: Site, complaints: list[str]
) -> None:
    strangers: list[str] = []

    def only_this_server(route: Route) -> None:
        if route.request.url.startswith(site.address):
            return route.continue_()
        strangers.append(route.request.url)
        return route.abort()

    page.route("**/*", only_this_server)
    page.add_init_script(VIOLATIONS)
    time_machine.install(page)
    page.goto(site.publish(presented()))
    screens = []
    for screen in Walk(page).screens():
        screens.append(screen)
        # Nothing to fill in is a form that could be submitted, or a field that the browser would remember.
        assert page.locator("form, :is(input, select):not([autocomplete=off])").count() == 0, screen
    assert len(screens) > 2 * len(presented().questions)
    assert strangers == complaints == []
    assert site.stored("presented") == 1
    left = page.evaluate(AT_REST)
    assert (left["local"], left["session"], left["caches"], left["cookies"]) == ({}, {}, [], "")


# --- After the page --------------------------------------------------------------------------------------------------


def with_markers(**changes: object) -> Manifest:
    """Make a survey with a search and a number."""
    town = next(question for question in plain_and_choices() if question.id == "town")
    hours = next(question for question in numbers() if question.id == "hours")
    return every_type(survey="markers", questions=(town, hours), panel=None, **changes)


def type_markers(page: Page) -> None:
    """Answer with the two markers, up to the review."""
    page.get_by_role("button", name="begin").click()
    page.get_by_role("textbox").fill(SEARCH)
    give(page, ("Kingston 7", "Kingston 7"))
    page.locator(".way button").last.click()
    page.get_by_role("textbox").fill(NUMBER)
    page.locator(".way button").last.click()
    expect(page.locator(".review strong").last).to_have_text(NUMBER)


def files_with(needles: tuple[bytes, ...], folder: Path) -> list[Path]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return [path for path in files if any(needle in path.read_bytes() for needle in needles)]


def expect_no_marker(folder: Path) -> None:
    # A browser writes texts in either of two encodings.
    needles = tuple(marker.encode(code) for marker in (NUMBER, SEARCH) for code in ("utf-8", "utf-16-le"))
    assert files_with(needles, folder) == []


def test_a_browser_that_dies_before_send_has_kept_nothing_and_sends_nothing(
    browser_of_a_person: ChromiumProcess, site: Site, tmp_path: Path
) -> None:
    form = site.publish(with_markers())
    page = browser_of_a_person.open()
    page.goto(form)
    type_markers(page)
    browser_of_a_person.kill()
    expect_no_marker(tmp_path)
    page = browser_of_a_person.open()
    page.goto(form)
    page.get_by_role("button", name="begin").click()
    expect(page.get_by_role("textbox")).to_have_value("")
    expect(page.get_by_role("radio", checked=True)).to_have_count(0)
    assert site.sent == []


def test_what_was_typed_is_nowhere_on_the_device_nor_at_the_server_nor_in_an_export(
    browser_of_a_person: ChromiumProcess, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    server = ServerProcess(home, f"sqlite:///{home / 'hushpoll.sqlite'}")
    services = Services(Settings(home=home, db=server.database_url))
    services.surveys.publish(with_markers(), KEY)
    server.start()
    try:
        page = browser_of_a_person.open()
        page.goto(f"{server.address}/s/markers")
        type_markers(page)
        send(page)
        expect_heading(page, "Sent. Thank you.")
        number = str(json.loads(page.locator("pre").text_content() or "")["id"])
        # The log, the database and its write-ahead file, while the server runs.
        expect_no_marker(home)
        browser_of_a_person.close()
        for kind in ("csv", "json", "ndjson"):
            export(home, server.database_url, kind, tmp_path / f"export.{kind}")
    finally:
        server.stop()
        services.close()
    expect_no_marker(tmp_path)
    # The search finds what is there: the report's number, which the database holds as bytes. The browser's own log may
    # still have it from before the report was sent.
    found = files_with((number.encode(), bytes.fromhex(number)), tmp_path)
    places = {path.relative_to(tmp_path).parts[0] for path in found}
    assert places - {"profile"} == {"home", "export.ndjson"}


def export(home: Path, database: str, kind: str, file: Path) -> None:
    environment = {"HUSHPOLL_HOME": str(home), "HUSHPOLL_DB": database}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        hushpoll(["export", "markers", "--format", kind, "--out", str(file)], standalone_mode=False)


# --- Drawn once ------------------------------------------------------------------------------------------------------


def test_a_browser_killed_between_keeping_and_sending_sends_the_same_bytes_once(
    browser_of_a_person: ChromiumProcess, site: Site
) -> None:
    form = site.publish(presented())
    page = browser_of_a_person.open()
    on_its_way: list[Route] = []
    page.route(REPORTS, lambda route: on_its_way.append(route))
    time_machine.install(page)
    page.goto(form)
    walk = Walk(page)
    walk.ready()
    walk.button("begin").click()
    walk.answer_all()
    walk.button("send").click()
    assert walk.is_held()
    with page.expect_request(REPORTS) as leaving:
        time_machine.turn_to_last(page)
    kept = leaving.value.post_data_buffer
    expect_heading(page, "Sending …")
    browser_of_a_person.kill()
    with suppress(PlaywrightError):
        on_its_way[0].abort()
    assert site.sent == []
    page = browser_of_a_person.open()
    time_machine.install(page)
    page.goto(form)
    Walk(page).wait_for_receipt()
    [request] = site.sent
    assert request.body == kept
    assert site.stored("presented") == 1


def test_a_report_made_offline_waits_while_the_browser_is_closed_and_is_sent_once(
    browser_of_a_person: ChromiumProcess, site: Site
) -> None:
    form = site.publish(two_questions())
    page = browser_of_a_person.open()
    page.goto(form)
    answer(page, "Yes", "No")
    page.context.set_offline(True)
    send(page)
    expect_heading(page, "Not sent yet")
    waiting = page.locator("pre").text_content()
    browser_of_a_person.close()
    assert site.sent == []
    for heading in (
        "Sent. Thank you.",
        "This survey was answered on this device",
        "This survey was answered on this device",
    ):
        page = browser_of_a_person.open()
        page.goto(form)
        expect_heading(page, heading)
        browser_of_a_person.close()
    [request] = site.sent
    assert request.body.decode() == waiting
    assert site.stored("campus") == 1


def test_a_random_source_that_is_gone_at_send_stops_everything(page: Page, site: Site, form: str) -> None:
    page.goto(form)
    answer(page, "Yes", "No")
    page.evaluate("crypto.getRandomValues = undefined")
    send(page)
    expect_heading(page, "Something went wrong in this page")
    assert site.sent == []
    assert page.evaluate(AT_REST)["databases"] == [[]]


def test_what_a_survey_in_waves_leaves_on_the_device_is_the_same_for_every_answer(
    new_context: Callable[..., BrowserContext], site: Site
) -> None:
    """The secret gives the tag of every answer; a tag that is kept beside it would say which one was given."""
    form = site.publish(every_type(survey="waves", questions=joined()[1:]))
    kept = []
    for choice in ("never", "weekly"):
        page = new_context().new_page()
        page.goto(form)
        answer(page, choice)
        send(page)
        expect_heading(page, "Sent. Thank you.")
        [[secret, entry]] = page.evaluate(AT_REST)["databases"]
        assert len(secret["secret"]) == 64
        plain = {"key", "survey", "manifest", "epsilon", "id", "status", "problem", "notBefore", "body"}
        assert {*entry} == {*plain, "panel", "first", "most", "rows"}
        assert entry["body"] is None
        assert entry["id"] == "-"
        kept.append(entry)
    assert kept[0] == kept[1]
