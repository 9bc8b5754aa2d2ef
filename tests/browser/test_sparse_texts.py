"""What a survey leaves out leaves nothing behind: no page says null, None or undefined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page
from tests.browser.form import Site
from tests.browser.walk import Walk
from tests.server.researchers.sign_in import sign_in_page

from hushpoll_server.compile.definition import compile_survey
from hushpoll_shared.words import interface

# Every text that may be missing is: thanks, links, labels of some points, options and labels of a translation.
SURVEY = """survey: sparse
title: Sparse
consent: Taking part is voluntary.
language: en
about: {organisation: Somebody}
questions:
  - {id: done, text: Have you?, type: yes_no, does_not_apply: true, privacy: {odds: "3:1"}}
  - {id: often, text: How often?, type: single_choice, options: [rarely, often], privacy: {epsilon: 1}}
  - {id: ways, text: Which ways?, type: multi_choice, options: [bus, tram, car], privacy: {epsilon: 1}}
  - {id: fair, text: Is it fair?, type: scale, min: 1, max: 3, labels: {3: Fair}, privacy: {epsilon: 1}}
  - {id: plain, text: How much?, type: scale, min: 0, max: 4, report: mean, privacy: {epsilon: 1}}
  - {id: hours, text: How long?, type: number, min: 0, max: 40, privacy: {epsilon: 1}}
translations:
  de:
    title: Spärlich
    consent: Freiwillig.
    questions:
      {done: {text: Haben Sie?}, often: {text: Wie oft?}, ways: {text: Wie?}, fair: {text: Fair?},
       plain: {text: Wie viel?}, hours: {text: Wie lange?}}
"""
# "None of these" is an answer, and "None of it" is in a sentence.
MISSING = re.compile(r"\bnull\b|\bundefined\b|\bNaN\b|\bNone\b(?! of)|\[object|\{\w+\}")


def missing_in(page: Page) -> list[str]:
    return MISSING.findall(f"{page.title()}\n{page.inner_text('main')}")


def screens(page: Page, form: str, language: str) -> Iterator[str]:
    """Go through the form and then to the label."""
    page.goto(form)
    yield from Walk(page, interface(language)).screens()
    page.goto(f"{form}/privacy")
    yield "label"


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_text_that_is_left_out_is_not_shown(
    new_context: Callable[..., BrowserContext], site: Site, language: str
) -> None:
    form = site.publish(compile_survey(SURVEY, "sparse.yaml").manifest)
    page = new_context(locale=language).new_page()
    found = {screen: missing_in(page) for screen in screens(page, form, language)}
    assert len(found) > 15
    assert {screen: words for screen, words in found.items() if words} == {}
    sign_in_page(page, site)
    page.goto(f"{site.address}/surveys/sparse")
    assert missing_in(page) == []


def test_a_word_for_nothing_would_be_found(page: Page, form: str) -> None:
    page.goto(form)
    Walk(page).ready()
    assert missing_in(page) == []
    page.evaluate("document.querySelector('h1').textContent = undefined + ''")
    assert missing_in(page) == ["undefined"]
