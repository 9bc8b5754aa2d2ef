"""The pages that filter, compare, cross and regress, in a browser: used by hand, axe clean, and no number cut."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page
from tests.browser import axe
from tests.browser.form import Site, serve_form
from tests.browser.test_tables import MILLISECONDS, TWICE_AS_LARGE, measure
from tests.server.dashboard.grouped_surveys import publish_campus, publish_everything
from tests.server.researchers.sign_in import sign_in_page

MANY = ((300, ("arts", "young")), (300, ("engineering", "old")), (60, ("arts", "old")), (4, ("arts", "middle")))
PAGES = {
    "group": "campus?group=arts",
    "withheld": "campus?group=middle",
    "compare": "campus/compare?question=cheated&by=age",
    "compare means": "everything/compare?question=hours&by=faculty",
    "compare by answers": "everything/compare?question=asked&by=cheated",
    "cross": "everything/cross?questions=asked&questions=way",
    "three": "everything/cross?questions=cheated&questions=smokes&questions=colour",
    "regression": "campus/regression?outcome=cheated&covariates=faculty&covariates=helped",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve two surveys with groups."""
    with serve_form(tmp_path_factory.mktemp("groups")) as site:
        services = site.app.extensions["hushpoll"]
        publish_campus(services, MANY)
        publish_everything(services, 100)
        yield site


@pytest.fixture
def researcher(page: Page, site: Site) -> Page:
    """Sign a researcher in."""
    page.set_default_timeout(MILLISECONDS)
    page.emulate_media(reduced_motion="reduce")
    sign_in_page(page, site, f"{secrets.token_hex(4)}@example.org")
    return page


def test_nothing_is_wrong_and_no_number_is_cut_on_a_phone_and_on_a_desktop(
    researcher: Page, site: Site, complaints: list[str]
) -> None:
    found: dict[tuple[str, object], list[str]] = {}
    for name, path in PAGES.items():
        researcher.goto(f"{site.address}/surveys/{path}")
        for width in (1280, 360):
            researcher.set_viewport_size({"width": width, "height": 740})
            found[name, width] = [*measure(researcher), *axe.violations(researcher)]
        researcher.evaluate(TWICE_AS_LARGE)
        found[name, "twice as large"] = measure(researcher)
    assert {look: wrong for look, wrong in found.items() if wrong} == {}
    assert complaints == []


def test_a_researcher_finds_the_way_by_the_links_and_forms(researcher: Page, site: Site, complaints: list[str]) -> None:
    researcher.goto(f"{site.address}/surveys/campus")
    researcher.get_by_label("Faculty").select_option("Arts")
    researcher.get_by_role("button", name="Show").click()
    researcher.get_by_text("Figures of Arts only: n = 364 of 664 reports.").wait_for()
    researcher.get_by_role("link", name="Compare").click()
    researcher.get_by_label("Question").select_option("cheated")
    researcher.get_by_label("Groups").select_option("age")
    researcher.get_by_role("button", name="Show").click()
    researcher.get_by_role("rowheader", name="young minus old").wait_for()
    researcher.get_by_role("link", name="Cross").click()
    researcher.get_by_label("Rows").select_option("cheated")
    researcher.get_by_label("Columns").select_option("helped")
    researcher.get_by_role("button", name="Show").click()
    researcher.get_by_role("heading", name="Row percentages").wait_for()
    researcher.get_by_role("link", name="Regression").click()
    researcher.get_by_label("Outcome").select_option("cheated")
    researcher.get_by_label("Have you ever helped").check()
    researcher.get_by_role("button", name="Show").click()
    researcher.get_by_role("heading", name="Average effects in points").wait_for()
    assert researcher.get_by_text("Figures of Arts only").count() == 1
    assert complaints == []
