"""The report on paper: printed by a real browser, on as few pages as it needs, none of them empty."""

from __future__ import annotations

import re
import secrets
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
from playwright.sync_api import BrowserContext, Page
from tests.browser import axe
from tests.browser.form import Site, serve_form
from tests.browser.screenshots import read, simulate
from tests.browser.test_axe import SOME_LOOKS
from tests.browser.test_tables import measure
from tests.server.researchers.sign_in import sign_in_page
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.commands.demo import DEFINITION
from hushpoll_shared.about import About

EVERYTHING = "everything"
# 210 by 297 mm in points of 1/72 inch.
A4 = (595, 842)
# The operators of a page that show text.
SHOWS_TEXT = re.compile(rb"\bT[Jj]\b")
MILLISECONDS = 60_000


@dataclass(frozen=True)
class PrintedPage:
    """One page of a PDF file: its size in points, and how many pieces of text it shows."""

    size: tuple[int, int]
    texts: int


def print_pages(page: Page) -> list[PrintedPage]:
    """Print a page as its own style sheet asks for, and read the pages of the PDF file."""
    return read_pages(page.pdf(format="A4", prefer_css_page_size=True))


def read_pages(pdf: bytes) -> list[PrintedPage]:
    """Read the pages of a file as Chromium writes it: an object for each, whose contents are one compressed stream."""
    objects = {int(number): body for number, body in re.findall(rb"(\d+) 0 obj\s(.*?)endobj", pdf, re.DOTALL)}
    pages = [body for body in objects.values() if re.search(rb"/Type\s*/Page\b(?!s)", body)]
    return [PrintedPage(size_of(body), len(SHOWS_TEXT.findall(contents_of(body, objects)))) for body in pages]


def size_of(page: bytes) -> tuple[int, int]:
    box = re.search(rb"/MediaBox\s*\[([^\]]*)\]", page)
    assert box, "a page has a size"
    left, bottom, right, top = map(float, box[1].split())
    return round(right - left), round(top - bottom)


def contents_of(page: bytes, objects: dict[int, bytes]) -> bytes:
    reference = re.search(rb"/Contents\s+(\d+) 0 R", page)
    assert reference, "a page has contents"
    stream = objects[int(reference[1])].split(b"stream", 1)[1].strip(b"\r\n").rsplit(b"endstream", 1)[0]
    return zlib.decompressobj().decompress(stream)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve the demonstration with 400 reports, the same with five and with none, and a survey of every type."""
    with serve_form(tmp_path_factory.mktemp("paper")) as site:
        about = About(organisation="University of Example")
        demonstration = replace(read(DEFINITION), ask=None, population=20_000, about=about)
        for name, number in (("full", 400), ("few", 5), ("none", 0)):
            manifest = replace(demonstration, survey=name)
            site.publish(manifest, [("cheated", "frequency")])
            if number:
                simulate(site, manifest, number)
        everything, answers = surveys()[EVERYTHING]
        site.publish(everything, [("asked", "way")])
        device = Survey(everything)
        reports = [device.randomize(answers[i % 2], source=FixedTestStream(f"{i}")).encode() for i in range(60)]
        site.app.extensions["hushpoll"].collect.take(EVERYTHING, reports)
        yield site


@pytest.fixture
def researcher(new_context: Callable[..., BrowserContext], site: Site) -> Page:
    """Sign a researcher in, in a browser without motion."""
    page = new_context(reduced_motion="reduce").new_page()
    page.set_default_timeout(MILLISECONDS)
    sign_in_page(page, site, f"{secrets.token_hex(4)}@example.org")
    return page


@pytest.mark.parametrize(
    ("name", "least", "most"), [("none", 2, 3), ("few", 2, 3), ("full", 4, 6), (EVERYTHING, 9, 18)]
)
def test_no_page_of_the_print_is_empty(researcher: Page, site: Site, name: str, least: int, most: int) -> None:
    researcher.goto(f"{site.address}/surveys/{name}/report")
    printed = print_pages(researcher)
    print(f"{name}: {len(printed)} pages, {[page.texts for page in printed]} texts")
    assert least <= len(printed) <= most
    assert {page.size for page in printed} <= {A4, (A4[0] + 1, A4[1]), (A4[0], A4[1] + 1)}
    assert min(page.texts for page in printed) > 3


def test_an_empty_page_would_be_found(page: Page) -> None:
    blank = "<div style='break-before: page; height: 9cm'></div>"
    page.set_content(f"<p>first</p>{blank}<p style='break-before: page'>last</p>")
    assert [printed.texts > 0 for printed in print_pages(page)] == [True, False, True]


def test_paper_has_no_navigation_and_is_black_on_white(researcher: Page, site: Site) -> None:
    researcher.emulate_media(media="print", color_scheme="dark")
    researcher.goto(f"{site.address}/surveys/full/report")
    for hidden in (".masthead", ".colophon", ".view-choice", ".on-screen >> nth=0"):
        assert not researcher.locator(hidden).is_visible()
    ink, paper = researcher.evaluate(
        "(({color, backgroundColor}) => [color, backgroundColor])(getComputedStyle(document.body))"
    )
    assert (ink, paper) == ("rgb(0, 0, 0)", "rgb(255, 255, 255)")
    assert researcher.get_by_text(f"{site.address}/s/full", exact=True).is_visible()


def test_a_card_that_fits_on_a_page_is_not_divided(researcher: Page, site: Site) -> None:
    researcher.emulate_media(media="print")
    researcher.goto(f"{site.address}/surveys/full/report")
    breaks = researcher.locator(".card.estimate:not(.long)").evaluate_all(
        "cards => cards.map(card => getComputedStyle(card).breakInside)"
    )
    assert len(breaks) == 6
    assert set(breaks) == {"avoid"}
    heads = researcher.locator("thead").evaluate_all("heads => heads.map(head => getComputedStyle(head).display)")
    assert set(heads) == {"table-header-group"}


@pytest.mark.parametrize("name", ["none", "few", "full"])
def test_nothing_is_wrong_with_the_page(researcher: Page, site: Site, name: str) -> None:
    heard: list[str] = []
    researcher.on("console", lambda message: heard.append(message.text))
    researcher.goto(f"{site.address}/surveys/{name}/report")
    for scheme, size in SOME_LOOKS:
        researcher.set_viewport_size(size)
        researcher.emulate_media(color_scheme=scheme)
        assert axe.violations(researcher) == []
        assert measure(researcher) == []
    assert heard == []


def test_every_number_of_every_type_is_whole_on_a_phone(researcher: Page, site: Site) -> None:
    researcher.goto(f"{site.address}/surveys/{EVERYTHING}/report?beta=0.05&level=0.99")
    for width in (1280, 768, 360, 320):
        researcher.set_viewport_size({"width": width, "height": 740})
        assert measure(researcher) == []
