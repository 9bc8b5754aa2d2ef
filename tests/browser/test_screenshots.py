"""The pages of the documents' pictures are whole: none is wider than its screen, and no browser complains."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.browser.form import Site
from tests.browser.screenshots import IMAGES, Camera, take_all

LARGEST_BYTES = 250_000


def test_every_picture_of_the_documents_shows_a_whole_page(chromium: Browser, site: Site, tmp_path: Path) -> None:
    take_all(Camera(chromium, site, tmp_path))
    taken = {picture.name: picture.stat().st_size for picture in tmp_path.glob("*.png")}
    assert {*taken} == {picture.name for picture in IMAGES.iterdir()}
    assert max(taken.values()) <= LARGEST_BYTES


def test_a_page_that_is_broken_gets_no_picture(chromium: Browser, site: Site, tmp_path: Path) -> None:
    camera = Camera(chromium, site, tmp_path)
    with camera.page() as page:
        page.set_content("<p style='width: 5000px'>Too wide.</p>")
        with pytest.raises(AssertionError, match="wider than its screen"):
            camera.take(page, "wide")
    with pytest.raises(AssertionError, match="out of order"), camera.page() as page:
        page.evaluate("console.warn('out of order')")
    assert list(tmp_path.glob("*.png")) == []
