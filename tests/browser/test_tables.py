"""No number on a page is cut, broken or hidden at its side: "1,17" would read as another number than 1,170."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page
from sqlalchemy import update
from sqlmodel import col
from tests.browser.form import Site, serve_form
from tests.server.researchers.sign_in import sign_in_page
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.collect.models import CounterRow
from hushpoll_shared.question_types import Number
from hushpoll_shared.questions import Question

RESPONDENTS, TIMES = 60, 19_500
SURVEY = "everything"
LARGEST = {"hours": "4000000", "age": "99000000"}
PAGES = {
    "list": "/surveys",
    "dashboard": f"/surveys/{SURVEY}",
    "made up": f"/surveys/{SURVEY}?level=0.99&beta=0.05",
    "label": f"/s/{SURVEY}/privacy",
}
# What is wrong with the numbers that are seen. Exact figures and fingerprints may go on in the next line.
NUMBERS = """() => {
  const found = [], said = (what, node, text) => found.push(`${what}: ${text} in ${node.outerHTML.slice(0, 90)}`);
  const inside = (box, edges) => box.left >= edges.left - 1 && box.right <= edges.right + 1;
  // What only a screen reader says has no place on the screen.
  const isShown = (element) => element.checkVisibility() && !element.closest(".visually-hidden, .skip-link") &&
    getComputedStyle(element.closest("thead") ?? element).clipPath === "none";
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: { parentElement: parent, data } } = walker;
    if (!isShown(parent) || parent.closest("option, title, desc")) continue;
    for (const match of data.matchAll(/\\u2212?\\d(?:[\\d,.]*\\d)?/g)) {
      const range = document.createRange();
      range.setStart(walker.currentNode, match.index);
      range.setEnd(walker.currentNode, match.index + match[0].length);
      const boxes = [...range.getClientRects()].filter((box) => box.width);
      if (!parent.closest(".mono, code, pre") && new Set(boxes.map((box) => Math.round(box.top))).size > 1)
        said("broken", parent, match[0]);
      for (const box of boxes) {
        if (!inside(box, { left: 0, right: innerWidth })) said("outside", parent, match[0]);
        for (let around = parent; around !== document.body; around = around.parentElement)
          if (getComputedStyle(around).overflowX !== "visible" && !inside(box, around.getBoundingClientRect()))
            said("cut", parent, match[0]);
      }
    }
  }
  for (const element of document.querySelectorAll("html, .table-wrap, th, td"))
    if (isShown(element) && element.clientWidth && element.scrollWidth > element.clientWidth + 1)
      said(`${element.scrollWidth} > ${element.clientWidth}`, element, "too wide");
  for (const chart of document.querySelectorAll("svg.chart")) {
    const texts = [...chart.querySelectorAll("text")].map((text) => [text, text.getBoundingClientRect()]);
    for (const [index, [text, box]] of texts.entries())
      for (const [, other] of texts.slice(index + 1))
        if (Math.min(box.right, other.right) - Math.max(box.left, other.left) > 1 &&
            Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top) > 6)
          said("covered", text, text.textContent);
  }
  return found;
}"""


# The figures of so many cells take some seconds once.
MILLISECONDS = 60_000
WIDTHS = (1280, 1100, 768, 360, 320, 180)
TWICE_AS_LARGE = "document.documentElement.style.fontSize = '200%'"
# As if the tables did not know how wide they are.
UNSTACK = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".table-wrap { container-type: normal !important }");
  document.adoptedStyleSheets.push(sheet);
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve a survey of every type with more than a million reports."""
    with serve_form(tmp_path_factory.mktemp("large")) as site:
        publish_large(site)
        yield site


@pytest.fixture
def researcher(page: Page, site: Site) -> Page:
    """Sign a researcher in."""
    page.set_default_timeout(MILLISECONDS)
    sign_in_page(page, site, f"{secrets.token_hex(4)}@example.org")
    return page


def test_every_number_on_every_page_is_whole_at_every_width(researcher: Page, site: Site) -> None:
    found: dict[tuple[str, object], list[str]] = {}
    for name, path in PAGES.items():
        researcher.goto(site.address + path)
        assert "1,170,000" in researcher.inner_text("main") or name == "label"
        for width in WIDTHS:
            researcher.set_viewport_size({"width": width, "height": 740})
            found[name, width] = measure(researcher)
        researcher.set_viewport_size({"width": 360, "height": 740})
        researcher.evaluate(TWICE_AS_LARGE)
        found[name, "twice as large"] = measure(researcher)
    assert {look: numbers for look, numbers in found.items() if numbers} == {}


def test_a_table_that_does_not_fit_would_be_found(researcher: Page, site: Site) -> None:
    researcher.set_viewport_size({"width": 360, "height": 740})
    researcher.goto(site.address + PAGES["dashboard"])
    assert measure(researcher) == []
    researcher.evaluate(UNSTACK)
    assert [each for each in measure(researcher) if each.startswith("cut: 1,170,000")]


def test_a_stacked_table_names_each_of_its_figures_and_is_still_a_table(researcher: Page, site: Site) -> None:
    researcher.set_viewport_size({"width": 360, "height": 740})
    researcher.goto(site.address + PAGES["made up"])
    # A narrow table fits as it is.
    figures = researcher.locator(".estimate :not(.narrow) > table tbody td:not(:empty)")
    labels = figures.evaluate_all("cells => cells.map(cell => getComputedStyle(cell, '::before').content)")
    assert len(labels) > 100
    assert not {"none", "normal", '""'} & set(labels)
    first = researcher.get_by_role("region", name="Figures: Were you?").get_by_role("table")
    assert first.get_by_role("row").count() == 5
    assert first.get_by_role("rowheader", name="prefer not to say").count() == 1


def measure(page: Page) -> list[str]:
    """Return what is wrong with the numbers on a page."""
    found: list[str] = page.evaluate(NUMBERS)
    return found


def publish_large(site: Site) -> None:
    """Publish a survey of every type, with as many reports as a country could send and with large numbers in them."""
    manifest, answers = surveys()[SURVEY]
    manifest = replace(manifest, population=None, questions=tuple(map(in_millions, manifest.questions)))
    site.publish(manifest, [("asked", "way")])
    services = site.app.extensions["hushpoll"]
    reports = [
        Survey(manifest).randomize(answers[number % 2], source=FixedTestStream(f"{number}")).encode()
        for number in range(RESPONDENTS)
    ]
    services.collect.take(SURVEY, reports)
    with services.store.transaction() as session:
        session.execute(update(CounterRow).values(count=col(CounterRow.count) * TIMES))


def in_millions(question: Question) -> Question:
    """Return a question whose range is written with millions, if it has one."""
    if not isinstance(question.type, Number) or question.id not in LARGEST:
        return question
    return replace(question, type=replace(question.type, max=LARGEST[question.id]))
