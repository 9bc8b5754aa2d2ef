"""The facts of a survey's run: when it is open, who closed it, and which part of the population has answered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from flask.testing import FlaskClient
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.dashboard.grouped_surveys import publish_campus
from tests.server.researchers.sign_in import sign_in

from hushpoll_server.dashboard.run import OF_EVERYBODY, PEOPLE, TOO_MANY, Run
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey, phase
from hushpoll_shared.signing import sign

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=7)


def run(*, closed: bool = False, reports: int = 200, grouped: bool = False, **changes: object) -> Run:
    manifest = two_questions(**changes)
    survey = PublishedSurvey("campus", manifest, sign(manifest, KEY), "", from_disk=False, closed=closed)
    now = phase(manifest, NOW, closed=closed)
    return Run(survey=survey, phase=now, reports=reports, now=NOW, grouped=grouped)


@pytest.mark.parametrize(
    ("facts", "period"),
    [
        (run(), "from its publication without a planned end; open now"),
        (run(closed=True), "from its publication without a planned end; closed by hand"),
        (run(closes=LATER), "from its publication to 23 November 2026 at 12:00 UTC; open now"),
        (run(closes=LATER, closed=True), "from its publication to 23 November 2026 at 12:00 UTC; closed by hand"),
        (run(closes=NOW), "from its publication to 16 November 2026 at 12:00 UTC; closed"),
        (run(opens=LATER), "from 23 November 2026 at 12:00 UTC without a planned end; not open yet"),
    ],
)
def test_it_says_when_the_survey_is_open_and_whether_it_was_closed_by_hand(facts: Run, period: str) -> None:
    assert facts.period == period


@pytest.mark.parametrize(
    ("facts", "response", "caution"),
    [
        (run(), "", ""),
        (run(population=1_600), "1,600 people; 200 reports, a response rate of 12.5 %", PEOPLE),
        (run(population=1_600, reports=0), "1,600 people; 0 reports, a response rate of 0.0 %", PEOPLE),
        (run(population=160), "160 people; 200 reports, a response rate of 125.0 %", TOO_MANY),
        (run(population=1_600, grouped=True), "1,600 people", OF_EVERYBODY),
    ],
)
def test_the_response_rate_is_said_with_a_caution_and_never_clipped(facts: Run, response: str, caution: str) -> None:
    assert facts.response.replace("\N{NO-BREAK SPACE}", " ") == response
    assert facts.caution == caution


def test_the_dashboard_and_the_report_say_the_same(client: FlaskClient, services: Services) -> None:
    researcher = sign_in(client, services)
    services.surveys.publish(two_questions(population=50), KEY)
    services.collect.take("campus", [make_report(two_questions(population=50)).encode() for _ in range(60)])
    for address in ("/surveys/campus", "/surveys/campus/report"):
        page = unescape(researcher.get(address).text).replace("\N{NO-BREAK SPACE}", " ")
        assert "50 people; 60 reports, a response rate of 120.0 %" in page
        assert TOO_MANY in page
        assert "from its publication without a planned end; open now" in page


def test_a_group_has_no_response_rate(client: FlaskClient, services: Services) -> None:
    researcher = sign_in(client, services)
    publish_campus(services)
    page = unescape(researcher.get("/surveys/campus?group=arts").text)
    assert OF_EVERYBODY in page
    assert "response rate of" not in page
    assert "Reports per day, of everybody" in page
