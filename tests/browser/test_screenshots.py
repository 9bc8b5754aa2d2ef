"""The pictures of the documents can be taken by every test run, and they are the ones that the documents hold."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser
from tests.support.form import Site
from tests.support.screenshots import IMAGES, Camera, take_all

LARGEST_BYTES = 250_000


def test_the_pictures_of_the_documents_can_be_taken(chromium: Browser, site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    take_all(Camera(chromium, site, folder))
    taken = {picture.name: picture.stat().st_size for picture in folder.iterdir()}
    assert {*taken} == {picture.name for picture in IMAGES.iterdir()}
    assert max(taken.values()) <= LARGEST_BYTES
