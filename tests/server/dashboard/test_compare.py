"""The page that compares groups, through the real app: its figures are those of the API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.samples.surveys import make_report
from tests.server.dashboard.grouped_surveys import publish_campus, publish_everything, text_of
from tests.server.researchers.sign_in import EMAIL, sign_in

from hushpoll_server.analysis.comparison import WITHHELD
from hushpoll_server.dashboard import formatting
from hushpoll_server.services import Services
from hushpoll_shared.manifest import Manifest


@pytest.fixture
def campus(services: Services) -> Manifest:
    return publish_campus(services)


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    return sign_in(client, services)


def api(services: Services, client: FlaskClient, call: str, **query: Any) -> Any:
    """Return what a program gets."""
    token = services.researchers.new_api_token(EMAIL)
    return client.get(call, query_string=query, headers={"Authorization": f"Bearer {token}"}).json


def shown(figure: Any, *names: str, unit: formatting.Unit = formatting.SHARE) -> list[str]:
    """Return figures as a table writes them."""
    decimals = formatting.decimals_of(figure["se"], unit) + 1
    return [formatting.number(figure[name], decimals, unit).replace("\N{MINUS SIGN}", "-") for name in names]


def test_nothing_is_compared_before_it_is_chosen(researcher: FlaskClient, campus: Manifest) -> None:
    page = text_of(researcher.get("/surveys/campus/compare?question=cheated").text)
    assert "Choose a question and the groups to compare." in page
    assert "<table" not in page


def test_the_figures_of_the_groups_are_those_of_the_api(
    researcher: FlaskClient, services: Services, campus: Manifest
) -> None:
    page = text_of(researcher.get("/surveys/campus/compare?question=cheated&by=faculty&level=0.9").text)
    told = api(services, researcher, "/api/v1/surveys/campus/compare", question="cheated", by="faculty", level=0.9)
    for group in told["groups"]:
        estimate, se, low, high = shown(group["cells"][0], "estimate", "se", "low", "high")
        assert f'data-label="Share">{estimate}</td><td class="number" data-label="SE">{se}</td>' in page
        assert f'data-label="90 % interval">{low} to {high}</td>' in page
    [difference] = told["differences"]
    estimate, low, high = shown(difference, "estimate", "low", "high")
    assert "Arts minus Engineering – «Technik»" in page
    assert f'data-label="Difference">{estimate}</td>' in page
    assert f'data-label="90 % interval">{low} to {high}</td>' in page
    assert f'data-label="Adjusted p">{formatting.p_number(difference["adjusted_p_value"])}</td>' in page
    [ratio] = shown(difference["ratio"], "estimate", unit=formatting.OWN)
    assert f'data-label="Ratio">{ratio}</td>' in page
    assert f"χ² = {told['overall']['yes']['statistic']:.3g}, 1 degree of freedom" in page
    assert "<title id=" in page
    assert "<desc id=" in page
    assert "rank-3" in page


def test_a_withheld_group_is_named_and_has_no_figures(researcher: FlaskClient, campus: Manifest) -> None:
    page = text_of(researcher.get("/surveys/campus/compare?question=cheated&by=age").text)
    assert (
        '<th scope="row">middle</th><td class="number" colspan="4" data-label="Withheld">fewer than 30 reports' in page
    )
    assert WITHHELD.format(smallest=30, names="middle") in page
    assert "middle minus" not in page
    assert "minus middle" not in page


def test_all_groups_withheld_is_a_sentence(researcher: FlaskClient, services: Services) -> None:
    publish_campus(services, ((4, ("arts",)),))
    page = text_of(researcher.get("/surveys/campus/compare?question=cheated&by=faculty&early=1").text)
    assert WITHHELD.format(smallest=30, names="arts, engineering") in page
    assert "<table" not in page


def test_a_filter_by_the_compared_dimension_does_not_apply(researcher: FlaskClient, campus: Manifest) -> None:
    page = text_of(researcher.get("/surveys/campus/compare?question=cheated&by=faculty&group=arts").text)
    assert "All groups of Faculty are compared, so the figures are not those of Arts alone." in page
    assert "Figures of everybody" in page


def test_answers_to_a_question_are_groups_too(researcher: FlaskClient, services: Services, campus: Manifest) -> None:
    page = text_of(researcher.get("/surveys/campus/compare?question=helped&by=cheated&adjust=benjamini-hochberg").text)
    told = api(
        services, researcher, "/api/v1/surveys/campus/crosstab", questions="cheated,helped", adjust="benjamini-hochberg"
    )
    for share in told["row_percentages"]:
        estimate, se = shown(share, "estimate", "se")
        assert f'data-label="Share">{estimate}</td><td class="number" data-label="SE">{se}</td>' in page
    [difference] = told["differences"]
    assert f'data-label="Difference">{shown(difference, "estimate")[0]}</td>' in page
    assert f"χ² = {told['independence']['statistic']:.3g}" in page
    assert "nobody is known to be in one" in page
    assert "those of “no” with the other sign" in page


def test_estimates_outside_the_possible_are_shown_as_they_are(researcher: FlaskClient, services: Services) -> None:
    manifest = publish_campus(services, ())
    assert manifest.groups
    for label, draws in (("arts", (0, 0)), ("engineering", (1, 1))):
        code = manifest.groups.code([label])
        reports = [replace(make_report(manifest, *draws), groups=code) for _ in range(40)]
        services.collect.take("campus", [report.encode() for report in reports])
    page = text_of(researcher.get("/surveys/campus/compare?question=cheated&by=faculty").text)
    # Warner with odds of 3:1: (0 − 1/4)/(1/2) and (1 − 1/4)/(1/2)
    assert 'data-label="Share">-50.' in page
    assert 'data-label="Share">150.' in page
    assert 'data-label="Difference">-200.' in page
    assert page.count("chart-arrow strays") == 2


@pytest.mark.parametrize("number", [0, 1, 40])
def test_every_type_of_question_has_a_page(researcher: FlaskClient, services: Services, number: int) -> None:
    manifest = publish_everything(services, number)
    for question in manifest.questions:
        for by in ("faculty", "cheated"):
            response = researcher.get("/surveys/everything/compare", query_string={"question": question.id, "by": by})
            assert response.status_code == 200, (question.id, by)
            assert "nan" not in response.text.split("<main")[1].lower()


@pytest.mark.parametrize(
    "query",
    [
        "question=other&by=faculty",
        "question=cheated&by=other",
        "question=faculty&by=faculty",
        "question=cheated&question=helped&by=faculty",
        "question=cheated&by=faculty&adjust=none",
    ],
)
def test_a_wrong_name_is_a_bad_query(researcher: FlaskClient, campus: Manifest, query: str) -> None:
    assert researcher.get(f"/surveys/campus/compare?{query}").status_code == 400


@pytest.mark.parametrize("query", ["question=cheated&by=cheated", "question=cheated&by=faculty&coverage=anytime"])
def test_what_cannot_be_compared_is_a_sentence(researcher: FlaskClient, campus: Manifest, query: str) -> None:
    assert "There is no such comparison: " in researcher.get(f"/surveys/campus/compare?{query}").text


def test_a_part_of_a_question_is_compared_by_answers_only(researcher: FlaskClient, services: Services) -> None:
    publish_everything(services, 40)
    by_faculty = researcher.get("/surveys/everything/compare?question=colour&by=faculty").text
    assert "public groups are compared on whole questions" in by_faculty
    assert "<table" in researcher.get("/surveys/everything/compare?question=colour&by=cheated").text
