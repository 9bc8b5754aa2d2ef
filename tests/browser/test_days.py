"""The card of reports per day and the facts of a survey's run, in a browser: axe clean, and no number cut."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
from playwright.sync_api import Page
from sqlmodel import update
from tests.browser import axe
from tests.browser.form import Site, serve_form
from tests.browser.test_tables import MILLISECONDS, TWICE_AS_LARGE, measure
from tests.samples.surveys import make_report, two_questions
from tests.server.researchers.sign_in import sign_in_page

from hushpoll_server.collect.models import CounterRow, DayRow
from hushpoll_shared.problems import NOT_JSON

REPORTS, TIMES = 100, 20_000
TODAY = datetime.now(UTC).date()
# How long ago, and how many reports each day had.
RUNS = {"none": [], "one": [(0, 1_000_000)], "days": [(20, 180), (3, 1_000_000), (1, 20)], "year": [(399, 20), (3, 40)]}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve surveys with two million reports each, whose runs differ."""
    with serve_form(tmp_path_factory.mktemp("days")) as site:
        services = site.app.extensions["hushpoll"]
        for name, run in RUNS.items():
            manifest = two_questions(survey=name, population=1_500_000)
            site.publish(manifest)
            services.collect.take(name, [make_report(manifest).encode() for _ in range(REPORTS)])
            services.collect.reject(name, [NOT_JSON])
            with services.store.transaction() as session:
                session.add_all(DayRow(survey=name, day=day_before(days), count=count) for days, count in run)
        with services.store.transaction() as session:
            session.exec(update(CounterRow).values(count=CounterRow.count * TIMES))
        yield site


def day_before(days: int) -> str:
    day: date = TODAY - timedelta(days=days)
    return day.isoformat()


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
    for name in RUNS:
        researcher.goto(f"{site.address}/surveys/{name}")
        assert "a response rate of 133.3" in researcher.inner_text("main")
        for width in (1280, 360):
            researcher.set_viewport_size({"width": width, "height": 740})
            found[name, width] = [*measure(researcher), *axe.violations(researcher)]
        researcher.evaluate(TWICE_AS_LARGE)
        found[name, "twice as large"] = measure(researcher)
    assert {look: wrong for look, wrong in found.items() if wrong} == {}
    assert complaints == []


def test_the_chart_is_announced_and_its_bars_stand_on_the_axis(researcher: Page, site: Site) -> None:
    researcher.set_viewport_size({"width": 360, "height": 740})
    researcher.goto(f"{site.address}/surveys/days")
    chart = researcher.get_by_role("img", name="Reports per day")
    assert "The most are 1,000,000" in (chart.get_attribute("aria-label") or chart.inner_html())
    boxes = chart.locator(".chart-bar").evaluate_all("bars => bars.map(bar => bar.getBoundingClientRect().toJSON())")
    assert len({round(box["bottom"]) for box in boxes}) == 1
    assert max(box["height"] for box in boxes) == boxes[1]["height"] > 100
    assert researcher.get_by_role("region", name="Table of reports per day").get_by_role("row").count() == 1 + 21 + 2
