"""The page that crosses questions, through the real app: its figures are those of the API."""

from __future__ import annotations

from itertools import permutations

import pytest
from flask.testing import FlaskClient
from tests.server.dashboard.grouped_surveys import publish_campus, publish_everything, text_of
from tests.server.dashboard.test_compare import api, shown
from tests.server.researchers.sign_in import sign_in

from hushpoll_server.dashboard import formatting
from hushpoll_server.services import Services
from hushpoll_shared.manifest import Manifest


@pytest.fixture
def campus(services: Services) -> Manifest:
    return publish_campus(services)


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    return sign_in(client, services)


def cross(researcher: FlaskClient, survey: str, *questions: str, group: str = "", early: str = "") -> str:
    """Return the page of a table."""
    query = {"questions": list(questions), "group": group, "level": "0.9", "early": early}
    response = researcher.get(f"/surveys/{survey}/cross", query_string=query)
    assert response.status_code == 200, questions
    return text_of(response.text)


@pytest.mark.parametrize("group", ["", "arts"])
def test_the_figures_of_a_table_are_those_of_the_api(
    researcher: FlaskClient, services: Services, campus: Manifest, group: str
) -> None:
    page = cross(researcher, "campus", "cheated", "helped", group=group)
    told = api(
        services, researcher, "/api/v1/surveys/campus/crosstab", questions="cheated,helped", level=0.9, group=group
    )
    for figure in (*told["cells"], *told["rows"], *told["columns"], *told["row_percentages"]):
        estimate, low, high = shown(figure, "estimate", "low", "high")
        assert f'<strong>{estimate}</strong><br><span class="muted small limits">{low} to {high}</span>' in page
    [difference] = told["differences"]
    [estimate] = shown(difference, "estimate")
    assert f'">no: no minus yes</th><td class="number" data-label="Difference">{estimate}<' in page
    assert f"χ² = {told['independence']['statistic']:.3g}, 1 degree of freedom" in page
    estimate, low, high = shown(told["odds_ratio"], "estimate", "low", "high", unit=formatting.OWN)
    assert f"<strong>{estimate}</strong>, 90 % interval {low} to {high}: {told['odds_ratio']['compares']}." in page
    assert f"n = {told['n']}" in page


def test_three_questions_have_a_table_for_each_answer_to_the_third(researcher: FlaskClient, services: Services) -> None:
    publish_everything(services, 60)
    page = cross(researcher, "everything", "cheated", "ways:car", "colour")
    told = api(
        services, researcher, "/api/v1/surveys/everything/crosstab", questions="cheated,ways:car,colour", level=0.9
    )
    for colour in ("red", "green", "blue"):
        assert f">Which? {colour}</h2>" in page
    for figure in (*told["cells"], *(each for within in told["within"] for each in within["row_percentages"])):
        assert f"<strong>{shown(figure, 'estimate')[0]}</strong>" in page
    for share in told["margins"]["colour"]:
        assert f'data-label="Share">{shown(share, "estimate")[0]}</td>' in page
    assert "not ticked" in page


def test_the_mean_of_a_number_is_that_of_the_api_in_each_group(researcher: FlaskClient, services: Services) -> None:
    publish_everything(services, 60)
    page = cross(researcher, "everything", "smokes", "hours")
    told = api(services, researcher, "/api/v1/surveys/everything/crosstab", questions="smokes,hours", level=0.9)
    for mean in told["means"]:
        assert f'data-label="Mean">{shown(mean, "estimate", unit=formatting.OWN)[0]}</td>' in page
    assert "prefer not to say" in page


@pytest.mark.parametrize("number", [0, 1, 20])
def test_questions_of_every_type_have_a_page(researcher: FlaskClient, services: Services, number: int) -> None:
    publish_everything(services, number)
    names = ("cheated", "way", "code", "stress", "pain", "ways:1", "few:0", "height", "age", "colour", "smokes")
    for first, second in list(permutations(names, 2))[:: 1 if number < 20 else 3]:
        page = cross(researcher, "everything", first, second).split("<main")[1]
        assert "nan" not in page.lower()
    cross(researcher, "everything", "cheated", "smokes", "hours")
    cross(researcher, "everything", "cheated", "smokes", "way")


def test_a_table_without_reports_says_so(researcher: FlaskClient, services: Services) -> None:
    publish_campus(services, ())
    page = cross(researcher, "campus", "cheated", "helped")
    assert "n = 0" in page
    assert "<table" not in page


def test_below_thirty_reports_nothing_is_tested(researcher: FlaskClient, services: Services) -> None:
    publish_campus(services, ((29, ()),))
    page = cross(researcher, "campus", "cheated", "helped")
    assert "The figures are shown from 30 reports on." in page
    assert "<table" not in page
    asked = cross(researcher, "campus", "cheated", "helped", early="1")
    assert "Too early" in asked
    assert "degree of freedom" not in asked
    assert "<table" in asked


def test_a_table_that_nobody_can_read_is_not_drawn(researcher: FlaskClient, services: Services) -> None:
    publish_everything(services, 1)
    assert "There is no such table: " in cross(researcher, "everything", "code", "cheated")


@pytest.mark.parametrize(
    "questions", [("cheated", "cheated"), ("smokes", "both"), ("hours", "noise"), ("few:0", "few:1")]
)
def test_what_cannot_be_crossed_is_a_sentence(
    researcher: FlaskClient, services: Services, questions: tuple[str, ...]
) -> None:
    publish_everything(services, 1)
    assert "There is no such table: " in cross(researcher, "everything", *questions)


@pytest.mark.parametrize("query", ["questions=cheated&questions=other", "questions=faculty&questions=cheated"])
def test_a_wrong_name_is_a_bad_query(researcher: FlaskClient, campus: Manifest, query: str) -> None:
    assert researcher.get(f"/surveys/campus/cross?{query}").status_code == 400


def test_nothing_is_crossed_before_two_are_chosen(researcher: FlaskClient, campus: Manifest) -> None:
    assert "Choose two or three questions." in cross(researcher, "campus", "cheated")
