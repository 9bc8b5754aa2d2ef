"""One browser answers once, whatever key a server signs with, and a panel cannot ask without end."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from tests.browser.form import AT_REST, Site, answer, expect_heading, give, send
from tests.samples.every_type import every_type, joined
from tests.samples.surveys import KEY, two_questions
from tests.vectors.read import vectors

from hushpoll_server.words import ENGLISH
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.signing import SigningKey, sign
from hushpoll_shared.words import interface

ANSWERED = "This survey was answered on this device"
CHANGED = "This survey did not pass its checks"
TOO_MUCH = "This panel has asked for too much"
PANEL = every_type(questions=joined()[1:])
[DRINKS] = PANEL.questions
ALIKE = [case["text"] for case in vectors("texts")["normal"] if case["normal"] == "Do you smoke?"]
# Nobody is asked in a test: note that the browser was.
NOTE_PERSIST = """
  window.persisted = 0;
  StorageManager.prototype.persist = () => { window.persisted += 1; return Promise.reject(new Error("no")); };
"""
# As in WebKitGTK.
NO_STORAGE_MANAGER = "delete Navigator.prototype.storage"


def wave(number: int, **changes: Any) -> Manifest:
    return replace(PANEL, survey=f"wave-{number}", questions=(replace(DRINKS, **changes),))


def sign_by(page: Page, manifest: Manifest, key: SigningKey) -> None:
    """Let the server sign a survey with another key, as an attacker would to get a second draw."""

    def serve(route: Route) -> None:
        response = route.fetch()
        text = re.sub(r'(id="envelope">).*?(?=</script>)', rf"\g<1>{sign(manifest, key).decode()}", response.text())
        route.fulfill(response=response, body=text.replace(KEY.public, key.public))

    page.unroute_all()
    page.route(f"**/s/{manifest.survey}", serve)


def take_part(page: Page, form: str) -> None:
    page.goto(form)
    answer(page, "never")
    send(page)
    expect_heading(page, "Sent. Thank you.")


def test_four_visits_to_the_identical_survey_under_four_keys_give_one_report(page: Page, site: Site) -> None:
    manifest = two_questions()
    form = site.publish(manifest)
    for visit in range(4):
        sign_by(page, manifest, SigningKey.generate())
        page.goto(form)
        if visit == 0:
            answer(page, "Yes", "No")
            send(page)
            expect_heading(page, "Sent. Thank you.")
        else:
            expect_heading(page, ANSWERED)
    assert len(site.sent) == site.stored("campus") == 1


def test_a_report_that_waits_is_sent_with_the_same_bytes_under_another_key(page: Page, site: Site) -> None:
    manifest = two_questions()
    form = site.publish(manifest)
    page.goto(form)
    answer(page, "Yes", "No")
    page.route("**/reports", lambda route: route.abort())
    send(page)
    expect_heading(page, "Not sent yet")
    sign_by(page, manifest, SigningKey.generate())
    page.goto(form)
    expect_heading(page, "Sent. Thank you.")
    assert len(site.sent) == site.stored("campus") == 1


def test_a_changed_survey_of_the_same_name_under_another_key_is_refused_after_it_was_answered(
    page: Page, site: Site
) -> None:
    manifest = two_questions()
    form = site.publish(manifest)
    page.goto(form)
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    sign_by(page, replace(manifest, title="Campus life"), SigningKey.generate())
    page.goto(form)
    expect_heading(page, CHANGED)
    assert len(site.sent) == 1


def test_25_waves_that_look_alike_are_one_question_to_the_page(page: Page, site: Site) -> None:
    texts = [ALIKE[number % len(ALIKE)] + "\u200b" * number for number in range(25)]
    for number in (0, 1, 24):
        page.goto(site.publish(wave(number, text=texts[number])))
        expect(page.locator("#label")).to_contain_text(ENGLISH["note_waves"])
        memory, news = page.get_by_text(ENGLISH["note_memory"]), page.get_by_text("New or reworded questions")
        expect(memory).to_be_visible(visible=number == 0)
        expect(news).to_be_hidden()
        answer(page, "never")
        send(page)
        expect_heading(page, "Sent. Thank you.")
    stored = page.evaluate(AT_REST)["databases"][0]
    identities = {row[0] for entry in stored if "rows" in entry for row in entry["rows"] if len(row[0]) == 64}
    assert len(identities) == 1


def test_waves_with_other_texts_are_told_on_the_first_screen_and_refused_at_the_cap(page: Page, site: Site) -> None:
    for number in range(5):
        page.goto(site.publish(wave(number, text=f"Question {number}?")))
        if number == 4:
            break
        news = page.get_by_text("New or reworded questions: 1.")
        expect(news).to_be_visible(visible=number > 0)
        answer(page, "never")
        send(page)
        expect_heading(page, "Sent. Thank you.")
    expect_heading(page, TOO_MUCH)
    expect(page.locator("main")).to_contain_text("Nothing was sent, and nothing can be sent from here.")
    assert len(site.sent) == 4


def test_a_panel_under_another_key_says_that_its_questions_cost_again(page: Page, site: Site) -> None:
    take_part(page, site.publish(wave(0)))
    form = site.publish(wave(1))
    sign_by(page, wave(1), SigningKey.generate())
    page.goto(form)
    expect(page.get_by_text("New or reworded questions: 1.")).to_be_visible()


def test_what_the_page_keeps_of_a_panel_does_not_tell_an_answer(page: Page, site: Site) -> None:
    form = site.publish(wave(0))
    page.goto(form)
    page.get_by_role("button", name="begin").click()
    give(page, "weekly")
    page.locator(".way button").last.click()
    send(page)
    expect_heading(page, "Sent. Thank you.")
    kept = [entry for entry in page.evaluate(AT_REST)["databases"][0] if entry["survey"]]
    assert [sorted(entry) for entry in kept] == [
        [
            "body", "epsilon", "first", "id", "key", "manifest", "most", "notBefore", "panel", "problem", "rows",
            "status", "survey",
        ]
    ]  # fmt: skip
    [entry] = kept
    assert [len(row) for row in entry["rows"]] == [3, 3]
    assert entry["epsilon"] == entry["most"] == str(wave(0).epsilon)


@pytest.mark.parametrize("is_panel", [True, False], ids=["panel", "other survey"])
def test_the_browser_is_asked_to_keep_the_storage_for_panels_alone(page: Page, site: Site, is_panel: bool) -> None:
    page.add_init_script(NOTE_PERSIST)
    page.goto(site.publish(wave(0) if is_panel else two_questions()))
    answer(page, *(["never"] if is_panel else ["Yes", "No"]))
    assert page.evaluate("window.persisted") == 0
    send(page)
    expect_heading(page, "Sent. Thank you.")
    assert page.evaluate("window.persisted") == int(is_panel)


def test_a_panel_can_be_answered_where_the_browser_cannot_promise_to_keep_its_storage(page: Page, site: Site) -> None:
    page.add_init_script(NO_STORAGE_MANAGER)
    page.goto(site.publish(wave(0)))
    answer(page, "never")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    assert site.stored("wave-0") == 1


@pytest.mark.parametrize("tag", ["ar", "de", "fr"])
def test_a_device_without_a_memory_says_so_in_every_language(page: Page, site: Site, tag: str) -> None:
    page.goto(site.publish(replace(wave(0), language=tag)))
    expect(page.get_by_text(interface(tag)["note_memory"])).to_be_visible()


def test_a_survey_whose_text_is_turned_by_an_invisible_character_is_not_shown(page: Page, site: Site) -> None:
    form = site.publish(two_questions())

    def turn(route: Route) -> None:
        # Signed by the publisher: no reader but the page's own stands between this text and the respondent.
        unchecked = replace(two_questions())
        payload = unchecked.payload.replace(b'"text":"', '"text":"\u202e'.encode(), 1)
        unchecked.__dict__["payload"] = payload
        response = route.fetch()
        text = re.sub(r'(id="envelope">).*?(?=</script>)', rf"\g<1>{sign(unchecked, KEY).decode()}", response.text())
        route.fulfill(response=response, body=text)

    page.route("**/s/campus", turn)
    page.goto(form)
    expect_heading(page, CHANGED)
    expect(page.locator("main")).to_contain_text("a text turns the direction of reading")
    assert site.sent == []
