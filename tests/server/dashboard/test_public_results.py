"""The page of public results: what is on it, what never is, and what it costs."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.clock import Clock
from tests.server.dashboard.grouped_surveys import publish_campus, publish_everything, text_of
from tests.server.researchers.sign_in import sign_in
from tests.server.researchers.test_views import form_token

from hushpoll_server.services import Services
from hushpoll_server.sharing.public_results import SECONDS_BETWEEN_COUNTS
from hushpoll_shared.about import About

PAGE = "/s/campus/results"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite: what the engines do is in tests/server/sharing/test_public_results.py."""
    return sqlite_url


@pytest.fixture
def services(services: Services) -> Services:
    """Publish a survey with groups, reports and public results."""
    publish_campus(services)
    services.public_results.switch_on(services.surveys.get("campus"))
    return services


def close(services: Services, clock: Clock, name: str = "campus") -> None:
    """Close a survey, and let a little time pass."""
    services.surveys.close(name)
    clock.now += timedelta(seconds=SECONDS_BETWEEN_COUNTS)


def test_a_page_that_is_not_public_is_like_one_that_does_not_exist(client: FlaskClient, services: Services) -> None:
    services.surveys.publish(two_questions(survey="other"), KEY)
    unknown, no_survey = client.get("/nope"), client.get("/s/no-such-survey/results")
    for path in ("/s/other/results", "/s/%00/results", "/s/CAMPUS/results"):
        answer = client.get(path)
        assert (answer.status_code, answer.text) == (404, unknown.text)
        assert dict(answer.headers) == dict(no_survey.headers)


def test_a_researcher_switches_it_on_and_off(client: FlaskClient, services: Services) -> None:
    other = two_questions(survey="other")
    services.surveys.publish(other, KEY)
    sign_in(client, services)
    token = form_token(client)
    for public, status in (("1", 200), ("", 404)):
        assert client.post("/surveys/other/share/results", data={**token, "public": public}).status_code == 303
        assert client.get("/s/other/results").status_code == status


def test_it_shows_the_figures_of_the_dashboard_with_anytime_valid_limits(
    client: FlaskClient, services: Services
) -> None:
    page = text_of(client.get(PAGE).text)
    dashboard = text_of(sign_in(client, services).get("/surveys/campus?coverage=anytime").text)
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", page)
    assert len(rows) == 2
    assert all(row in dashboard for row in rows)
    assert "level 95 % for continuous monitoring" in page
    assert "Campus integrity" in page
    assert "n = 181" in page
    assert "odds 3:1" in page
    assert 'href="/s/campus/privacy"' in page


def test_when_the_survey_has_closed_the_limits_are_for_one_look(
    client: FlaskClient, services: Services, clock: Clock
) -> None:
    close(services, clock)
    page = text_of(client.get(PAGE).text)
    assert "for one interval at a fixed time" in page
    assert "continuous monitoring" not in page
    assert "Take part" not in page


def test_nothing_of_a_group_and_no_form_script_or_cookie_is_on_it(client: FlaskClient, services: Services) -> None:
    answer = client.get(f"{PAGE}?group=arts&level=0.5&early=1")
    assert answer.text == client.get(PAGE).text
    for word in ("Arts", "Engineering", "<form", "<script", "/surveys"):
        assert word not in answer.text
    assert "Set-Cookie" not in answer.headers
    assert "form-action 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(("number", "words"), [(0, "No results yet"), (19, "No results yet"), (29, "Too early.")])
def test_too_few_reports_have_no_figures_and_no_way_to_them(
    client: FlaskClient, services: Services, number: int, words: str
) -> None:
    few = two_questions(survey="few")
    services.surveys.publish(few, KEY)
    services.collect.take("few", [make_report(few).encode() for _ in range(number)])
    services.public_results.switch_on(services.surveys.get("few"))
    page = client.get("/s/few/results").text
    assert words in page
    assert "Show them anyway" not in page
    assert "<table" not in page


def test_it_says_who_asks_and_in_which_language(client: FlaskClient, services: Services) -> None:
    about = About(organisation="Universität", contact="mailto:survey@example.org")
    services.surveys.publish(two_questions(survey="german", language="de", about=about), KEY)
    services.public_results.switch_on(services.surveys.get("german"))
    page = client.get("/s/german/results").text
    assert '<html lang="en"' in page
    assert '<span lang="de" dir="auto">Universität</span>' in page
    assert 'href="mailto:survey@example.org"' in page


def test_every_type_of_question_can_be_shown(client: FlaskClient, services: Services, clock: Clock) -> None:
    publish_everything(services, 40)
    services.public_results.switch_on(services.surveys.get("everything"))
    assert client.get("/s/everything/results").status_code == 200
    close(services, clock, "everything")
    assert client.get("/s/everything/results").status_code == 200


def test_a_visitor_who_has_it_gets_it_again_only_when_it_has_changed(
    client: FlaskClient, services: Services, clock: Clock
) -> None:
    first = client.get(PAGE)
    assert first.headers["Cache-Control"] == "no-cache"
    again = client.get(PAGE, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    close(services, clock)
    assert client.get(PAGE, headers={"If-None-Match": first.headers["ETag"]}).status_code == 200


def test_a_flood_of_visitors_has_it_made_once(
    client: FlaskClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get(PAGE)

    def refuse(_: str) -> None:
        raise AssertionError("the counters were read again")

    monkeypatch.setattr(services.public_results, "counts", refuse)
    monkeypatch.setattr(services.collect, "counts", refuse)
    for _ in range(50):
        assert client.get(PAGE).status_code == 200


def test_the_label_and_the_closed_survey_lead_to_it(client: FlaskClient, services: Services, clock: Clock) -> None:
    services.surveys.publish(two_questions(survey="other"), KEY)
    labels = [client.get(f"/s/{name}/privacy?format=json").get_json() for name in ("campus", "other")]
    assert [label.get("results") for label in labels] == [PAGE, None]
    assert f'href="{PAGE}"' in client.get("/s/campus/privacy").text
    assert "/results" not in client.get("/s/other/privacy").text
    for name in ("campus", "other"):
        close(services, clock, name)
    assert f'href="{PAGE}"' in client.get("/s/campus").text
    assert "/results" not in client.get("/s/other").text
