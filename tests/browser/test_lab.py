"""The pages of the lab in a browser: used by hand without JavaScript, axe clean, no number cut, nothing refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from tests.browser import axe
from tests.browser.form import Site
from tests.browser.test_tables import MILLISECONDS, TWICE_AS_LARGE, measure

from hushpoll_server.lab.attacks import ATTACKS
from hushpoll_server.lab_pages.choices import SIZES

SMALL = {name: f"/{name}?n={sizes[0]}" for name, sizes in SIZES.items()}
DATABASE = {
    "database": "/database",
    "refused": f"/database?q={'x' * 300}%0A{'0' * 300}%0ASELECT+SUM(income)%0ASELECT+HISTOGRAM(condition)",
}
PAGES = {"all": "", "compare": "/compare", **DATABASE, **SMALL}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wrong_and_no_number_is_cut_on_a_phone_and_on_a_desktop(
    page: Page, site: Site, complaints: list[str], scheme: str
) -> None:
    page.set_default_timeout(MILLISECONDS)
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    found: dict[tuple[str, object], list[str]] = {}
    for name, path in PAGES.items():
        page.goto(f"{site.address}/lab{path}")
        for width in (1100, 360):
            page.set_viewport_size({"width": width, "height": 740})
            found[name, width] = [*measure(page), *axe.violations(page)]
        page.evaluate(TWICE_AS_LARGE)
        found[name, "twice as large"] = measure(page)
    assert {look: wrong for look, wrong in found.items() if wrong} == {}
    assert complaints == []


def test_a_reader_without_javascript_runs_an_attack_again(
    new_context: Callable[..., BrowserContext], site: Site
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.set_default_timeout(MILLISECONDS)
    page.goto(f"{site.address}/lab")
    for name in ATTACKS:
        expect(page.locator(f'a[href="/lab/{name}"]')).to_be_visible()
    page.get_by_role("link", name="Averaging").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Averaging: the same question again and again")
    page.get_by_label("ε of each person").select_option("0.1")
    page.get_by_label("n: invented people").select_option("1,000")
    page.get_by_label("Seed, 0 to 999").fill("7")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_text("hushpoll lab attack averaging --epsilon 0.1 --n 1000 --seed 7")).to_be_visible()


def test_a_reader_without_javascript_asks_the_database_until_it_locks(
    new_context: Callable[..., BrowserContext], site: Site
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.set_default_timeout(MILLISECONDS)
    page.goto(f"{site.address}/lab")
    page.get_by_role("link", name="Ask a statistical database").click()
    page.get_by_label("Queries, one a line, 5 at most").fill("SELECT COUNT(*)\nSELECT MAX(age)\n\nSELECT AVG(age)")
    page.get_by_label("ε of each query").select_option("1")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".query")).to_have_text(["SELECT COUNT(*)", "SELECT MAX(age)", "SELECT AVG(age)"])
    expect(page.locator(".badge")).to_have_text(["refused", "locked"])


def test_a_respondent_finds_the_lab_from_the_form(page: Page, site: Site, form: str, complaints: list[str]) -> None:
    page.goto(form)
    page.get_by_text("How exactly?").click()
    page.get_by_role("link", name="Watch answers being attacked, on invented people").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The lab: try to break it")
    assert complaints == []
