"""A respondent with a slow phone waits for few bytes and few replies. `make phone` prints the times."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser
from tests.browser.phone import describe, serve_demo, visit

# All that a visit loads, with headers, but for the worker, which comes after the first screen. At 400 kbit/s 1,000
# bytes are 20 ms.
MOST_BYTES = 52_000


def test_a_visit_is_one_page_one_script_one_style_and_one_report(chromium: Browser, tmp_path: Path) -> None:
    with serve_demo(tmp_path) as (address, manifest):
        measured = visit(chromium, address, manifest)
    # Each reply costs the latency of the line, and the script and the style come at the same time.
    assert measured.replies == ["Document", "Fetch", "Script", "Stylesheet"], "\n".join(describe([measured]))
    assert measured.received <= MOST_BYTES
