"""The browser that tests are given is a real one that keeps a strict content security policy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, ViewportSize, expect
from tests.conftest import DESKTOP, PHONE
from tests.running.tools import CHROMIUM_FLAGS, load_tools
from tests.running.web import Response, serve

POLICY = {"Content-Security-Policy": "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'"}
PAGE = """<!doctype html><title>Policy</title><p id="own">waiting</p><p id="inline">untouched</p>
<script>document.getElementById("inline").textContent = "inline script ran"</script>
<script type="module" src="/own.js"></script>"""
SCRIPT = 'document.getElementById("own").textContent = "own script ran";'
MEASURE = 'text => document.createElement("canvas").getContext("2d").measureText(text).width'


@pytest.fixture
def strict_site() -> Iterator[str]:
    with serve({"/": Response(PAGE), "/own.js": Response(SCRIPT, "text/javascript")}, POLICY) as address:
        yield address


def test_a_strict_policy_lets_own_scripts_run_and_stops_inline_ones(page: Page, strict_site: str) -> None:
    page.goto(strict_site)
    expect(page.locator("#own")).to_have_text("own script ran")
    expect(page.locator("#inline")).to_have_text("untouched")


def test_text_is_drawn_with_a_real_font(page: Page, strict_site: str) -> None:
    page.goto(strict_site)
    wide, narrow = (page.evaluate(MEASURE, text) for text in ("MMMM", "iiii"))
    assert wide > narrow > 0


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_page_has_the_size_that_the_test_asks_for(page: Page, viewport: ViewportSize) -> None:
    assert page.evaluate("[innerWidth, innerHeight]") == [viewport["width"], viewport["height"]]


@pytest.mark.parametrize("visit", [1, 2])
def test_nothing_is_remembered_from_one_test_to_the_next(page: Page, strict_site: str, visit: int) -> None:
    page.goto(strict_site)
    assert page.evaluate("localStorage.length") == 0
    page.evaluate("visit => localStorage.setItem('visit', visit)", visit)


def test_no_flag_switches_web_security_off() -> None:
    assert not [flag for flag in CHROMIUM_FLAGS if "security" in flag or "isolation" in flag]


def test_missing_set_up_is_an_error_that_names_the_cure(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"run: python3 tools/bootstrap\.py test"):
        load_tools(tmp_path / "tools.json")
