"""What `make phone` prints is measured on a slow phone, and the page is light enough for one."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser
from tests.support.phone import WAIT_MILLISECONDS, WORDS, describe, serve_demo, visit

# The goal for all the script of the respondent's page, gzipped, and room for the headers of its answer.
SCRIPT_BYTES, HEADER_BYTES = 20_000, 1_500


def test_a_slow_phone_gets_through_and_loads_little(chromium: Browser, tmp_path: Path) -> None:
    with serve_demo(tmp_path) as (address, manifest):
        measured = visit(chromium, address, manifest)
    # The page, then its script and style; the report and the answer to it. No time is held against the form.
    assert measured.first_screen >= 2 * WAIT_MILLISECONDS
    assert measured.receipt >= WAIT_MILLISECONDS
    assert measured.first_question > 0
    assert 0 < measured.script <= SCRIPT_BYTES + HEADER_BYTES
    assert measured.script < measured.received
    assert [line.split(maxsplit=1)[1] for line in describe([measured])] == list(WORDS.values())
