"""A page that updates by itself: what the server sends it, what it does not, and what its limits hold for."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.clock import Clock
from tests.server.dashboard.grouped_surveys import publish_campus, text_of
from tests.server.researchers.sign_in import sign_in
from werkzeug.datastructures import ETags

from hushpoll_server.dashboard.live import Live
from hushpoll_server.results.service import ResultsService
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import Phase, PublishedSurvey
from hushpoll_server.watch.metrics import STEP

SHOWN = re.compile(r'data-tag="([^"]*)"')


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    """Sign in."""
    return sign_in(client, services)


def send(services: Services, survey: PublishedSurvey, number: int, *, of_which_yes: int = 0) -> None:
    """Send reports to every question."""
    draws = [(1, 1)] * of_which_yes + [(0, 0)] * (number - of_which_yes)
    services.collect.take(survey.name, [make_report(survey.manifest, *each).encode() for each in draws])


def tag_of(page: str) -> str:
    [tag] = SHOWN.findall(page)
    return str(tag)


def ask(researcher: FlaskClient, tag: str, query: str = "") -> int:
    """Ask as the page does and return the status."""
    response = researcher.get(f"/surveys/campus{query}", headers={"If-None-Match": f'W/"{tag}"'})
    assert bool(response.data) == (response.status_code == 200)
    return response.status_code


def test_new_figures_are_sent_from_twenty_more_reports_on(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey, 50)
    tag = tag_of(researcher.get("/surveys/campus").text)
    assert ask(researcher, tag) == 304
    send(services, survey, STEP - 1)
    assert ask(researcher, tag) == 304
    assert ask(researcher, tag, "?level=0.8") == 304
    # Loading the page again shows what there is.
    assert f"<strong>{50 + STEP - 1} reports.</strong>" in researcher.get("/surveys/campus").text
    send(services, survey, 1)
    assert ask(researcher, tag) == 200


def test_a_question_without_news_estimates_nothing(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(services, survey, 50)
    tag = tag_of(researcher.get("/surveys/campus").text)
    for name in ("graded_results", "cross_tables", "warnings"):
        monkeypatch.delattr(ResultsService, name)
    response = researcher.get("/surveys/campus?level=0.77", headers={"If-None-Match": f'W/"{tag}"'})
    assert (response.status_code, response.data) == (304, b"")
    assert response.headers["ETag"] == f'W/"{tag}"'
    assert response.headers["Cache-Control"] == "no-store"


def test_a_group_counts_its_own_reports(researcher: FlaskClient, services: Services) -> None:
    publish_campus(services)
    tag = tag_of(researcher.get("/surveys/campus?group=arts&group=young").text)
    assert tag == "open-100"
    # Of everybody there are 81 more.
    assert ask(researcher, tag, "?group=arts&group=young") == 304
    assert ask(researcher, tag) == 200


def test_the_end_of_a_survey_is_shown_at_once(researcher: FlaskClient, services: Services, clock: Clock) -> None:
    survey = services.surveys.publish(two_questions(closes=clock.now + timedelta(hours=1)), KEY)
    send(services, survey, 50)
    tag = tag_of(researcher.get("/surveys/campus").text)
    send(services, survey, 1)
    clock.now += timedelta(hours=1)
    response = researcher.get("/surveys/campus", headers={"If-None-Match": f'W/"{tag}"'})
    assert response.status_code == 200
    assert "<strong>51 reports.</strong>" in response.text
    # Nothing is left to follow.
    assert SHOWN.findall(response.text) == []


def test_a_live_page_asks_for_a_session_first(client: FlaskClient, survey: PublishedSurvey) -> None:
    assert client.get("/surveys/campus", headers={"If-None-Match": 'W/"open-0"'}).status_code == 401


@pytest.mark.parametrize(
    ("phase", "reports", "tags", "is_good"),
    [
        ("open", 119, ["open-100"], True),
        ("open", 120, ["open-100"], False),
        ("open", 100, ["open-100"], True),
        # Reports were purged, or a backup was restored.
        ("open", 99, ["open-100"], False),
        ("closed", 100, ["open-100"], False),
        ("not-open", 0, ["not-open-0"], True),
        ("open", 100, ["open-1", "open-90"], True),
        ("open", 100, [], False),
        ("open", 100, ["100", "open", "open-", "-100", "open-1e2", "open--100", "open-١٠٠"], False),
        ("open", 0, ["open-" + "0" * 5_000], False),
    ],
)
def test_a_tag_is_judged_by_phase_and_number(phase: Phase, reports: int, tags: list[str], is_good: bool) -> None:
    live = Live(phase=phase, reports=reports, now=Clock()())
    assert live.is_shown_with(ETags(weak_etags=tags)) is is_good
    assert live.is_shown_with(ETags(strong_etags=tags)) is is_good


def test_the_limits_of_an_open_survey_hold_at_every_look_unless_others_are_chosen(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey, 200, of_which_yes=80)
    page = text_of(researcher.get("/surveys/campus").text)
    # The mixture by hand: λ in (0.2868, 0.5209), so f in (0.0736, 0.5417), half of which is 0.234
    assert "<strong>30 % ± 23</strong>" in page
    assert "level 95 % for continuous monitoring" in page
    assert "the limits on this page hold however often you look, and are wider for that. After it has closed" in page
    assert "mixture" in researcher.get("/surveys/campus/chart.svg").text
    chosen = text_of(researcher.get("/surveys/campus?coverage=pointwise").text)
    assert "<strong>30 % ± 13</strong>" in chosen
    assert "the limits on this page hold for one look at a time that was fixed in advance" in chosen
    # They were chosen for good.
    assert "After it has closed" not in researcher.get("/surveys/campus?coverage=anytime").text


def test_links_from_the_page_show_the_limits_of_the_page(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey, 200)
    page = text_of(researcher.get("/surveys/campus").text)
    for link in ("/surveys/campus/report?level=0.95&coverage=anytime", "chart.svg?level=0.95&coverage=anytime"):
        assert link in page
    # By itself the report is what it always was.
    report = text_of(researcher.get("/surveys/campus/report").text)
    assert "continuous monitoring</dd>" not in report
    assert "level 95 % for one interval at a fixed time" in report


@pytest.mark.parametrize("shift", [-timedelta(hours=2), timedelta(hours=2)])
def test_without_arrivals_to_come_limits_are_ordinary_and_the_page_stands_still(
    researcher: FlaskClient, services: Services, clock: Clock, shift: timedelta
) -> None:
    hour = timedelta(hours=1)
    survey = services.surveys.publish(two_questions(opens=clock.now - hour, closes=clock.now + hour), KEY)
    send(services, survey, 200, of_which_yes=80)
    clock.now += shift
    page = researcher.get("/surveys/campus").text
    assert "<strong>30 % ± 13</strong>" in text_of(page)
    assert "This survey is open" not in page
    assert SHOWN.findall(page) == []
    assert 'name="coverage" value="" checked' in page


def test_too_few_reports_are_judged_by_one_look_and_the_page_says_so(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey, 12)
    assert "the 95 % interval for one look is about ± 57 points" in text_of(researcher.get("/surveys/campus").text)
    ordinary = text_of(researcher.get("/surveys/campus?coverage=pointwise").text)
    assert "the 95 % interval is about ± 57 points" in ordinary


def test_the_page_says_when_its_figures_were_made(
    researcher: FlaskClient, survey: PublishedSurvey, clock: Clock
) -> None:
    page = researcher.get("/surveys/campus").text
    assert f'<time datetime="{clock.now:%Y-%m-%dT%H:%M:%SZ}">{clock.now:%Y-%m-%d %H:%M:%S}</time>' in page
    # Without a script.
    assert "Load the page again for new figures." in page


def test_compared_crossed_and_regressed_figures_of_an_open_survey_are_said_to_be_for_one_look(
    researcher: FlaskClient, services: Services, clock: Clock
) -> None:
    publish_campus(services)
    for page in ("compare", "cross", "regression"):
        assert "limits on this page hold for one look" in researcher.get(f"/surveys/campus/{page}").text
    services.surveys.close("campus")
    for page in ("compare", "cross", "regression"):
        assert "limits on this page hold for one look" not in researcher.get(f"/surveys/campus/{page}").text


def test_the_report_of_an_open_survey_is_preliminary(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey, 50)
    assert "Preliminary:</strong>" in researcher.get("/surveys/campus/report").text
    services.surveys.close("campus")
    assert "Preliminary:</strong>" not in researcher.get("/surveys/campus/report").text
