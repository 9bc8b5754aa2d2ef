"""The researcher's pages and the API call, through the real app."""

from __future__ import annotations

import json
from datetime import timedelta
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest
from flask import Flask
from flask.testing import FlaskClient
from tests.support.surveys import KEY, make_report, two_questions

from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.designs import Warner
from hushpoll_shared.manifest import Manifest, Question
from hushpoll_shared.problems import BAD_QUERY, SIGN_IN_NEEDED, UNKNOWN_SURVEY

EMAIL = "ada@example.org"
ESTIMATES = "/api/v1/surveys/campus/estimates"
HOSTILE = "<script>alert(\"x\")</script> & 'quotes'"


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    """Sign in."""
    services.researchers.add(EMAIL)
    client.get(f"/sign-in/{services.researchers.new_link(EMAIL)}")
    return client


@pytest.fixture
def token(services: Services) -> dict[str, str]:
    """Make the header of a researcher's program."""
    services.researchers.add(EMAIL)
    return {"Authorization": f"Bearer {services.researchers.new_api_token(EMAIL)}"}


def send(services: Services, manifest: Manifest, *, yes: int, no: int) -> None:
    """Send reports that say yes, or no, to every question."""
    width = len(manifest.questions)
    draws = [(1,) * width] * yes + [(0,) * width] * no
    services.collect.take(manifest.survey, [make_report(manifest, *each).encode() for each in draws])


def text_of(page: str) -> str:
    return unescape(page).replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-")


def test_the_list_tells_phase_and_number_of_reports(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey, clock: Any
) -> None:
    later = two_questions(survey="later", title="Later", opens=clock.now + timedelta(days=1))
    services.surveys.publish(later, KEY)
    services.surveys.publish(two_questions(survey="over", title="Over"), KEY)
    services.surveys.close("over")
    send(services, survey.manifest, yes=2, no=1)
    rows = text_of(researcher.get("/surveys").text).split("<li ")[1:]
    told = {name: row for row in rows for name in ("campus", "later", "over") if f"<code>{name}</code>" in row}
    assert ">open<" in told["campus"]
    assert "3 reports" in told["campus"]
    assert 'href="/surveys/campus"' in told["campus"]
    assert ">not open yet<" in told["later"]
    assert ">closed<" in told["over"]


def test_an_empty_list_says_how_to_publish(researcher: FlaskClient) -> None:
    assert "hushpoll survey publish FILE" in researcher.get("/surveys").text


def test_a_survey_without_reports_says_so(researcher: FlaskClient, survey: PublishedSurvey) -> None:
    page = researcher.get("/surveys/campus").text
    assert "No reports yet" in page
    assert "±" not in page.split("How to read this")[0]
    assert 'href="/s/campus"' in page
    assert 'href="/s/campus/privacy"' in page
    assert survey.manifest.id in page


def test_below_thirty_reports_it_is_too_early_but_the_table_is_there(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=12, no=17)
    page = researcher.get("/surveys/campus").text
    assert "Too early" in page
    assert 'class="chart"' not in page
    assert page.count("<table>") == 2
    send(services, survey.manifest, yes=0, no=1)
    page = researcher.get("/surveys/campus").text
    assert "Too early" not in page
    assert page.count('class="chart"') == 2


def test_the_dashboard_prints_the_services_figures(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=80, no=120)
    page = text_of(researcher.get("/surveys/campus").text)
    # Wilson by hand: λ in (0.33460, 0.46917), so f in (0.1692, 0.4383), half of which is 0.1346
    assert "<strong>30 % ± 13</strong>" in page
    assert "95 % interval 17 % to 44 %" in page
    assert "n = 200" in page
    assert "Wilson, chosen by the number of reports, level 95 %" in page
    assert "ε = 1.099 (strong protection), odds 3:1: the device sends the real answer 75 times in 100" in page
    assert "Looking costs no privacy" in page


def test_level_and_method_are_chosen_by_the_address(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=80, no=120)
    page = text_of(researcher.get("/surveys/campus?level=0.99&method=exact").text)
    assert "exact (Clopper–Pearson), level 99 %" in page
    assert '<option value="0.99" selected>' in page
    assert '<option value="exact" selected>' in page
    # The widest interval of the picture is the chosen one.
    assert "rank-3" in page
    assert "/surveys/campus/chart.svg?level=0.99&method=exact" in page


def test_impossible_counts_are_shown_unclipped_with_a_warning(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=10, no=190)
    page = text_of(researcher.get("/surveys/campus").text)
    assert "<strong>-40 % ± " in page
    assert "outside what the design can produce" in page
    assert "chart-arrow strays" in page


@pytest.mark.parametrize(
    "query", ["level=0", "level=1", "level=nan", "level=x", "level=-0.5", "method=magic", "level=.5&level=.8"]
)
def test_a_query_that_means_nothing_is_a_problem(
    researcher: FlaskClient, token: dict[str, str], survey: PublishedSurvey, query: str
) -> None:
    assert researcher.get(f"/surveys/campus?{query}").status_code == BAD_QUERY.status
    answer = researcher.get(f"{ESTIMATES}?{query}", headers=token)
    assert (answer.status_code, json.loads(answer.text)["type"]) == (BAD_QUERY.status, BAD_QUERY.type)


def test_an_unknown_survey_is_a_problem(researcher: FlaskClient, token: dict[str, str]) -> None:
    assert researcher.get("/surveys/nowhere").status_code == 404
    assert researcher.get("/surveys/nowhere/chart.svg").status_code == 404
    answer = researcher.get("/api/v1/surveys/nowhere/estimates", headers=token)
    assert json.loads(answer.text)["type"] == UNKNOWN_SURVEY.type


def test_texts_of_a_survey_are_texts_on_every_page(researcher: FlaskClient, services: Services) -> None:
    question = Question("q", HOSTILE, "yes_no", Warner.from_odds("3:1"))
    manifest = two_questions(title=HOSTILE, questions=(question,))
    services.surveys.publish(manifest, KEY)
    send(services, manifest, yes=20, no=20)
    for path in ("/surveys", "/surveys/campus"):
        page = researcher.get(path).text
        assert "<script" not in page
        assert HOSTILE in unescape(page)
    ElementTree.fromstring(researcher.get("/surveys/campus/chart.svg").text)


def test_the_pages_need_no_script_and_no_inline_style(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=20, no=20)
    answer = researcher.get("/surveys/campus")
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert "form-action 'self'" in answer.headers["Content-Security-Policy"]
    assert " style=" not in answer.text


def test_the_chart_is_a_file_with_all_that_an_export_must_say(
    researcher: FlaskClient, services: Services, survey: PublishedSurvey
) -> None:
    send(services, survey.manifest, yes=80, no=120)
    answer = researcher.get("/surveys/campus/chart.svg?level=0.8")
    words = " ".join(ElementTree.fromstring(answer.text).itertext())
    assert answer.mimetype == "image/svg+xml"
    assert answer.headers["Content-Disposition"] == "attachment; filename=campus.svg"
    for fact in (survey.manifest.id, "200 reports", "Wilson", "(ε = 1.099)", "half the 80\N{NO-BREAK SPACE}% interval"):
        assert fact in words


def test_the_api_gives_full_precision_in_the_manifests_order(
    client: FlaskClient, token: dict[str, str], services: Services
) -> None:
    names = ("zebra", "apple")
    questions = tuple(Question(name, "Is it so?", "yes_no", Warner.from_odds("3:1")) for name in names)
    manifest = two_questions(questions=questions)
    services.surveys.publish(manifest, KEY)
    send(services, manifest, yes=80, no=120)
    answer = client.get(f"{ESTIMATES}?level=0.9&method=wald", headers=token)
    expected = services.estimates("campus", level=0.9, method="wald")
    assert json.loads(answer.text) == {"questions": {name: result.to_json() for name, result in expected.items()}}
    assert tuple(json.loads(answer.text)["questions"]) == names
    assert answer.mimetype == "application/json"


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Bearer x", "Basic YTpi", "bearer\tx"])
def test_the_api_needs_a_token(client: FlaskClient, survey: PublishedSurvey, header: str | None) -> None:
    answer = client.get(ESTIMATES, headers={} if header is None else {"Authorization": header})
    assert (answer.status_code, answer.json) == (401, SIGN_IN_NEEDED.to_json())


def test_a_session_does_not_open_the_api_nor_a_token_the_pages(
    researcher: FlaskClient, app: Flask, token: dict[str, str], survey: PublishedSurvey
) -> None:
    assert researcher.get(ESTIMATES).status_code == 401
    assert app.test_client().get("/surveys", headers=token).status_code == 401
