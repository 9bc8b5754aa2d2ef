"""A link that names a group: the form shows the label, sends it as it is, and nothing else depends on it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect
from tests.browser.form import Site, answer, expect_equal, expect_heading, in_order, send
from tests.samples.surveys import two_questions
from tests.vectors.groups import AGE, FACULTY

from hushpoll_shared.groups import Groups
from hushpoll_shared.presentation import TranslatedQuestion, Translation

PHONE: ViewportSize = {"width": 360, "height": 740}


@pytest.fixture
def form(site: Site) -> str:
    texts = {name: TranslatedQuestion("?") for name in ("cheated", "helped")}
    labels = {"arts": "Lettres", "engineering": "Génie", "young": "jeune", "middle": "moyen", "old": "âgé"}
    french = Translation("Campus", "Oui.", texts, None, labels)
    groups = Groups((FACULTY, AGE), 30)
    return site.publish(two_questions(groups=groups, language="en", translations={"fr": french}))


def groups_sent(site: Site) -> list[str]:
    return [json.loads(request.body)["groups"] for request in site.sent]


def test_the_label_is_on_the_first_screen_and_in_what_is_sent(
    page: Page, site: Site, form: str, complaints: list[str]
) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{form}?group=arts,old")
    expect(page.get_by_text("Your group is sent too, as it is: Arts · old.")).to_be_visible()
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    page.get_by_text("See what was sent").click()
    expect(page.get_by_text("Your group is sent too, as it is: Arts · old.")).to_be_visible()
    assert groups_sent(site) == ["0002"]
    assert [report.groups for report in site.app.extensions["hushpoll"].collect.reports("campus")] == ["0002"]
    assert complaints == []


def test_the_label_is_in_the_readers_language(page: Page, form: str) -> None:
    page.goto(f"{form}?group=engineering#lang=fr")
    expect(page.get_by_text("Votre groupe est aussi envoyé, tel quel : Génie.")).to_be_visible()


def test_without_a_group_in_the_link_there_is_none_and_no_word_about_it(page: Page, site: Site, form: str) -> None:
    page.goto(form)
    page.get_by_role("button", name="begin").wait_for()
    expect(page.get_by_text("Your group is sent")).to_have_count(1)
    expect(page.get_by_text("Your group is sent")).to_be_hidden()
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    assert groups_sent(site) == ["-1-1"]


@pytest.mark.parametrize("query", ["group=law", "group=arts,engineering", "group=", "group=arts&group=arts,law"])
def test_a_link_with_a_group_that_the_survey_does_not_have_asks_nothing(
    page: Page, site: Site, form: str, query: str
) -> None:
    page.goto(f"{form}?{query}")
    if query.startswith("group=arts&"):
        # Of two the first is taken.
        expect(page.get_by_text("as it is: Arts.")).to_be_visible()
        return
    expect_heading(page, "This link names a group that the survey does not have")
    assert site.sent == []


def test_opposite_answers_in_a_group_give_equal_requests(
    new_context: Callable[..., BrowserContext], site: Site, form: str
) -> None:
    runs = []
    for choices in (("Yes", "Yes"), ("No", "No")):
        page = new_context().new_page()
        site.requests.clear()
        page.goto(f"{form}?group=arts")
        page.get_by_role("button", name="begin").wait_for()
        page.wait_for_load_state("networkidle")
        loaded = len(site.requests)
        answer(page, *choices)
        send(page)
        expect_heading(page, "Sent. Thank you.")
        page.wait_for_load_state("networkidle")
        assert groups_sent(site) == ["00-1"]
        runs.append(in_order(site.requests, loaded))
    expect_equal(runs)


def test_a_second_visit_with_another_group_does_not_draw_again(page: Page, site: Site, form: str) -> None:
    page.goto(f"{form}?group=arts")
    answer(page, "Yes", "No")
    send(page)
    expect_heading(page, "Sent. Thank you.")
    page.goto(f"{form}?group=engineering")
    expect(page.get_by_role("button", name="begin")).to_have_count(0)
    assert groups_sent(site) == ["00-1"]
