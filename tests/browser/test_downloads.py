"""Files saved in a browser: from every card and from the page of downloads, PNG drawn from SVG, axe clean."""

from __future__ import annotations

import csv
import json
import secrets
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import pytest
from playwright.sync_api import BrowserContext, Page
from tests.browser import axe
from tests.browser.form import Site, serve_form
from tests.browser.test_tables import MILLISECONDS, TWICE_AS_LARGE, measure
from tests.server.dashboard.grouped_surveys import publish_campus, publish_everything
from tests.server.researchers.sign_in import sign_in_page

CAMPUS = ((300, ("arts", "young")), (300, ("engineering", "old")))
PAGES = ("campus/download", "campus/download?group=arts&level=0.99", "campus/download?group=middle")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve two surveys with groups."""
    with serve_form(tmp_path_factory.mktemp("downloads")) as site:
        services = site.app.extensions["hushpoll"]
        publish_campus(services, CAMPUS)
        publish_everything(services, 60)
        yield site


@pytest.fixture
def researcher(page: Page, site: Site) -> Page:
    """Sign a researcher in."""
    page.set_default_timeout(MILLISECONDS)
    page.emulate_media(reduced_motion="reduce")
    sign_in_page(page, site, f"{secrets.token_hex(4)}@example.org")
    return page


def save(page: Page, role: Literal["link", "button"], name: str, folder: Path) -> Path:
    """Press a link or a button and return the file that the browser saves."""
    with page.expect_download() as waiting:
        page.get_by_role(role, name=name, exact=True).click()
    file = folder / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


def pixels_of(png: Path) -> tuple[int, int, bytes]:
    """Return width, height and the red, green and blue of every pixel of a PNG file of 8 bits without interlacing."""
    data, place, packed = png.read_bytes(), 8, b""
    width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
    assert (depth, colour) == (8, 6)
    while place < len(data):
        (size,) = struct.unpack(">I", data[place : place + 4])
        packed += data[place + 8 : place + 8 + size] if data[place + 4 : place + 8] == b"IDAT" else b""
        place += size + 12
    return width, height, unfiltered(zlib.decompress(packed), 4 * width)


def unfiltered(data: bytes, width: int) -> bytes:
    """Undo the filters of the rows: each byte is kept as its difference from its neighbours."""
    above, rows = bytes(width), bytearray()
    for start in range(0, len(data), width + 1):
        kind, row = data[start], bytearray(data[start + 1 : start + 1 + width])
        for place in range(width):
            left, up = row[place - 4] if place >= 4 else 0, above[place]
            corner = above[place - 4] if place >= 4 else 0
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda each: abs(guess - each))
            row[place] = (row[place] + (0, left, up, (left + up) // 2, nearest)[kind]) % 256
        rows += row
        above = bytes(row)
    return bytes(rows)


def test_nothing_is_wrong_with_the_page_on_a_phone_and_on_a_desktop(
    researcher: Page, site: Site, complaints: list[str]
) -> None:
    found: dict[tuple[str, object], list[str]] = {}
    for path in PAGES:
        researcher.goto(f"{site.address}/surveys/{path}")
        for width in (1280, 360):
            researcher.set_viewport_size({"width": width, "height": 740})
            found[path, width] = [*measure(researcher), *axe.violations(researcher)]
        researcher.evaluate(TWICE_AS_LARGE)
        found[path, "twice as large"] = measure(researcher)
    assert {look: wrong for look, wrong in found.items() if wrong} == {}
    assert complaints == []


def test_a_researcher_saves_figures_reports_and_scripts(
    researcher: Page, site: Site, complaints: list[str], tmp_path: Path
) -> None:
    researcher.goto(f"{site.address}/surveys/campus")
    assert pixels_of(save(researcher, "button", "Chart as PNG", tmp_path))[0] == 1440
    assert save(researcher, "link", "Figures as CSV", tmp_path).name == "campus-estimates.csv"
    researcher.get_by_role("link", name="Download", exact=True).click()
    figures = json.loads(save(researcher, "link", "Estimates: JSON", tmp_path).read_text("utf-8"))
    assert figures["questions"]["cheated"]["n"] == 600
    reports = save(researcher, "link", "Reports: NDJSON", tmp_path)
    assert reports.name == "campus-reports.ndjson"
    assert len(reports.read_bytes().splitlines()) == 600
    assert save(researcher, "link", "R: figures.R", tmp_path).name == "campus-figures.R"
    researcher.get_by_label("Faculty", exact=True).select_option("Arts")
    researcher.get_by_role("button", name="Show").click()
    with save(researcher, "link", "Reports: CSV", tmp_path).open(encoding="utf-8", newline="") as file:
        assert {row["faculty"] for row in csv.DictReader(file)} == {"arts"}
    assert complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_card_is_saved_as_svg_png_csv_and_json(
    researcher: Page, site: Site, complaints: list[str], tmp_path: Path, scheme: Literal["light", "dark"]
) -> None:
    researcher.emulate_media(color_scheme=scheme)
    researcher.goto(f"{site.address}/surveys/everything?level=0.8")
    question = "How do you come?"
    drawing = ElementTree.fromstring(save(researcher, "link", f"SVG: {question}", tmp_path).read_text("utf-8"))
    text = "".join(drawing.itertext())
    assert question in text
    assert "80\N{NO-BREAK SPACE}% margin of error" in text
    picture = save(researcher, "button", f"PNG: {question}", tmp_path)
    assert picture.name == "everything-way.png"
    width, height, pixels = pixels_of(picture)
    assert (width, height) == (2 * int(drawing.attrib["width"]), 2 * int(drawing.attrib["height"]))
    # White paper in any scheme, and dark letters in the heading: fonts are there.
    assert pixels[:4] == b"\xff\xff\xff\xff"
    heading = [pixels[place : place + 3] for place in range(4 * width * 2 * 8, 4 * width * 2 * 30, 4)]
    assert 200 < sum(max(colour) < 100 for colour in heading) < len(heading) / 4
    assert {b"\x0f\x5c\x66", b"\x13\x24\x2a"} <= {pixels[place : place + 3] for place in range(0, len(pixels), 4)}
    with save(researcher, "link", f"CSV: {question}", tmp_path).open(encoding="utf-8", newline="") as file:
        assert {(row["question"], row["level"]) for row in csv.DictReader(file)} == {("way", "0.8")}
    document = json.loads(save(researcher, "link", f"JSON: {question}", tmp_path).read_text("utf-8"))
    assert list(document["questions"]) == ["way"]
    assert complaints == []


def test_the_cards_of_a_comparison_are_saved(
    researcher: Page, site: Site, complaints: list[str], tmp_path: Path
) -> None:
    researcher.goto(f"{site.address}/surveys/everything/compare?question=hours&by=faculty")
    picture = save(researcher, "button", "PNG: How long? Mean", tmp_path)
    assert picture.name == "everything-compare-1.png"
    assert pixels_of(picture)[0] == 1440
    assert save(researcher, "link", "SVG: How long? Mean", tmp_path).name == "everything-hours-by-faculty-1.svg"
    assert save(researcher, "link", "CSV: How long? Mean", tmp_path).name == "everything-hours-by-faculty.csv"
    assert complaints == []


def test_a_picture_that_cannot_be_drawn_says_so(researcher: Page, site: Site) -> None:
    researcher.goto(f"{site.address}/surveys/campus")
    researcher.context.clear_cookies()
    researcher.get_by_role("button", name="PNG:").first.click()
    researcher.get_by_role("button", name="PNG failed: reload the page").wait_for()


def test_without_a_script_there_is_no_button_and_every_file_is_still_there(
    new_context: Callable[..., BrowserContext], site: Site
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    sign_in_page(page, site, f"{secrets.token_hex(4)}@example.org")
    page.goto(f"{site.address}/surveys/campus")
    assert page.get_by_role("button", name="PNG").count() == 0
    assert page.get_by_role("link", name="SVG:").count() == 2
    with page.expect_download() as waiting:
        page.get_by_role("link", name="CSV:").first.click()
    assert waiting.value.suggested_filename == "campus-cheated.csv"
