"""The card of reports per day: nothing left out, few enough bars, to scale, and said in words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from html import unescape
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.clock import Clock
from tests.server.researchers.sign_in import sign_in

from hushpoll_server.collect.models import DayRow
from hushpoll_server.counting.days import ReportDays
from hushpoll_server.dashboard.axis import LEFT, SPAN
from hushpoll_server.dashboard.days import HEIGHT, MOST_BARS, DaysCard
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.problems import NOT_JSON

MONDAY = date(2026, 11, 16)


def card(by_day: Mapping[date, int], *, until: date | None = None, waiting: int = 0) -> DaysCard:
    return DaysCard(ReportDays(by_day, unknown=0, waiting=waiting), until)


def after(days: int) -> date:
    return MONDAY + timedelta(days=days)


def test_every_day_between_the_first_and_the_last_has_a_bar() -> None:
    bars = card({MONDAY: 40, after(3): 20}).bars
    assert [(bar.label, bar.reports) for bar in bars] == [
        ("16 November 2026", 40),
        ("17 November 2026", 0),
        ("18 November 2026", 0),
        ("19 November 2026", 20),
    ]


def test_an_open_survey_is_shown_until_today_and_never_ends_before_its_last_day() -> None:
    assert [bar.reports for bar in card({MONDAY: 20}, until=after(2)).bars] == [20, 0, 0]
    assert [bar.reports for bar in card({MONDAY: 20}, until=after(-5)).bars] == [20]


@pytest.mark.parametrize(
    ("days", "unit", "first", "bars"),
    [
        (MOST_BARS, "day", "18 November 2026", MOST_BARS),
        (MOST_BARS + 1, "week", "week of 16 November 2026", 10),
        (365, "week", "week of 16 November 2026", 53),
        (7 * MOST_BARS + 1, "month", "November 2026", 15),
        (40 * 365, "year", "2026", 41),
        (200 * 365, "year", "2026", 201),
    ],
)
def test_many_days_are_put_together_and_no_report_is_lost(days: int, unit: str, first: str, bars: int) -> None:
    wednesday = after(2)
    by_day = {wednesday + timedelta(days=number): 20 for number in range(days)}
    shown = card(by_day)
    assert (shown.unit.name, shown.bars[0].label, len(shown.bars)) == (unit, first, bars)
    assert sum(bar.reports for bar in shown.bars) == 20 * days


def test_bars_are_to_scale_and_inside_the_chart() -> None:
    bars = card({MONDAY: 200, after(1): 100, after(40): 20}).bars
    assert bars[0].height == pytest.approx(2 * bars[1].height, abs=0.02)
    assert bars[0].height < HEIGHT
    assert bars[2].height == 0
    assert bars[0].x >= LEFT
    assert bars[-1].x + bars[-1].width <= LEFT + SPAN


@pytest.mark.parametrize(
    ("by_day", "names"),
    [
        ({MONDAY: 20}, ["16 Nov 2026"]),
        ({MONDAY: 20, after(1): 20}, ["16 Nov 2026", "17 Nov 2026"]),
        ({MONDAY: 20, after(2): 20}, ["16 Nov 2026", "17 Nov 2026", "18 Nov 2026"]),
    ],
)
def test_the_axis_names_the_ends_and_one_between(by_day: Mapping[date, int], names: list[str]) -> None:
    assert [name for _, _, name in card(by_day).names] == names


def test_the_chart_is_a_picture_with_a_title_and_a_description() -> None:
    picture = ElementTree.fromstring(card({MONDAY: 40, after(1): 1_200}, waiting=7).chart())
    svg = "{http://www.w3.org/2000/svg}"
    assert picture.get("role") == "img"
    title, description = picture.find(f"{svg}title"), picture.find(f"{svg}desc")
    assert title is not None
    assert description is not None
    assert picture.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert title.text == "Reports per day"
    assert description.text == (
        "1,240 reports by day, from 16 November 2026 to 17 November 2026. The most are 1,200: 17 November 2026."
    )
    assert len(picture.findall(f"{svg}rect")) == 2


# The page.


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    return sign_in(client, services)


def store(services: Services, reports: int, days: Mapping[str, int]) -> None:
    """Store reports, and how they were counted by day."""
    services.collect.take("campus", [make_report(two_questions()).encode() for _ in range(reports)])
    with services.store.transaction() as session:
        session.add_all(DayRow(survey="campus", day=day, count=count) for day, count in days.items())


def shown(researcher: FlaskClient, address: str = "/surveys/campus") -> str:
    page = unescape(researcher.get(address).text)
    return page[page.index("Reports per") : page.index("</section>", page.index("Reports per"))]


def rows_of(section: str) -> dict[str, str]:
    body = ElementTree.fromstring(section[section.index("<tbody>") : section.index("</tbody>") + len("</tbody>")])
    rows = ((name.text or "", number.text or "") for name, number in body)
    return dict(rows)


@pytest.mark.usefixtures("survey")
def test_the_table_adds_up_to_all_reports(researcher: FlaskClient, services: Services, clock: Clock) -> None:
    store(services, 75, {"unknown": 12, "2026-11-14": 40, "2026-11-16": 20})
    assert clock().date() == MONDAY
    assert rows_of(shown(researcher)) == {
        "14 November 2026": "40",
        "15 November 2026": "0",
        "16 November 2026": "20",
        "Waiting for a step": "3",
        "Day not known: from before days were counted": "12",
        "All": "75",
    }


@pytest.mark.usefixtures("survey")
def test_reports_that_have_no_day_yet_are_said_to_have_none(researcher: FlaskClient, services: Services) -> None:
    assert "No reports yet." in shown(researcher)
    store(services, 1, {})
    section = shown(researcher)
    assert "1 report, none of them counted on a day." in section
    assert "<svg" not in section
    assert "<table" not in section


def test_a_day_in_the_database_that_is_none_breaks_no_page(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    store(services, 30, {"20261116": 20, "2026-13-01": 40, "2026-11-16": 20})
    assert rows_of(shown(researcher))["Day not known: from before days were counted"] == "60"


def test_rejected_reports_are_shown_by_reason_where_every_report_was_refused(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    services.collect.reject("campus", [NOT_JSON, NOT_JSON])
    services.close()
    page = unescape(researcher.get("/surveys/campus").text)
    assert "Rejected: 2 reports" in page
    assert f"2: {NOT_JSON.title} <code>{NOT_JSON.name}</code>" in page
    assert "No reports yet" in page


def test_a_closed_survey_ends_with_its_last_day(researcher: FlaskClient, services: Services, clock: Clock) -> None:
    services.surveys.publish(two_questions(), KEY)
    store(services, 20, {"2026-11-10": 20})
    assert len(rows_of(shown(researcher))) == 7 + 2
    services.surveys.close("campus")
    assert len(rows_of(shown(researcher))) == 1 + 2
