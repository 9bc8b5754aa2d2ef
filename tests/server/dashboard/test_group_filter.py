"""The dashboard of a group: whose figures it shows, and what it says of a group that is too small."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from tests.server.dashboard.grouped_surveys import publish_campus, publish_everything, text_of
from tests.server.researchers.sign_in import sign_in

from hushpoll_server.estimate.options import Options
from hushpoll_server.services import Services


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    """Sign in at an instance with a survey that has groups."""
    publish_campus(services)
    return sign_in(client, services)


def test_everybody_is_shown_without_a_filter(researcher: FlaskClient) -> None:
    page = text_of(researcher.get("/surveys/campus").text)
    assert "Figures of everybody: n = 181." in page
    assert page.count('<option value="">everybody</option>') == 2
    assert '<option value="arts">Arts</option>' in page


def test_a_group_has_its_own_figures_and_keeps_all_other_options(researcher: FlaskClient, services: Services) -> None:
    # As the form sends it: a field for each dimension.
    query = "level=0.8&method=wald&made_up=5&coverage=pointwise&group=arts&group=young"
    page = text_of(researcher.get(f"/surveys/campus?{query}").text)
    assert "Figures of Arts and young only: n = 100 of 181 reports." in page
    assert '<option value="arts" selected>' in page
    assert '<option value="0.8" selected>' in page
    assert '<option value="wald" selected>' in page
    assert 'name="made_up" type="number" min="0" max="99.99" step="any" inputmode="decimal"' in page
    assert 'value="5" data-at-once' in page
    assert "chart.svg?level=0.8&method=wald&coverage=pointwise&beta=0.05&group=arts&group=young" in page
    reading = services.results.read("campus").within(["arts", "young"])
    cell = services.results.results(reading, Options(level=0.8, method="wald"))["cheated"].cells[0]  # type: ignore[union-attr]
    assert cell.estimate is not None
    assert f"{100 * cell.estimate:.1f}</td>" in page
    assert "of a population" not in page


def test_the_chart_of_a_group_is_that_of_its_reports(researcher: FlaskClient) -> None:
    assert "100 reports" in text_of(researcher.get("/surveys/campus/chart.svg?group=arts,young").text)


@pytest.mark.parametrize(
    ("query", "names"),
    [("group=middle", "middle"), ("group=engineering&group=young", "Engineering – «Technik» and young")],
)
@pytest.mark.parametrize(
    "path",
    [
        "?",
        "/compare?question=cheated&by=helped",
        "/cross?questions=cheated&questions=helped",
        "/regression?outcome=cheated&covariates=helped",
    ],
)
def test_a_group_that_is_too_small_is_one_sentence(researcher: FlaskClient, path: str, query: str, names: str) -> None:
    response = researcher.get(f"/surveys/campus{path}&{query}")
    page = text_of(response.text)
    assert response.status_code == 200
    assert f"Fewer than 30 reports in {names}: nothing is shown of it." in page
    assert "<table" not in page
    assert "±" not in page


def test_the_chart_of_a_group_that_is_too_small_leads_to_the_page_that_says_so(researcher: FlaskClient) -> None:
    response = researcher.get("/surveys/campus/chart.svg?group=middle")
    assert (response.status_code, response.location) == (303, "/surveys/campus?group=middle")


@pytest.mark.parametrize("page", ["", "/compare", "/cross", "/regression"])
@pytest.mark.parametrize("query", ["group=law", "group=arts&group=engineering", "group=arts&group=arts", "level=2"])
def test_a_wrong_group_or_option_is_a_bad_query(researcher: FlaskClient, page: str, query: str) -> None:
    assert researcher.get(f"/surveys/campus{page}?{query}").status_code == 400


@pytest.mark.parametrize("page", ["", "/compare", "/cross", "/regression"])
def test_the_pages_of_a_survey_lead_to_each_other_and_keep_the_group(researcher: FlaskClient, page: str) -> None:
    text = text_of(researcher.get(f"/surveys/campus{page}?group=arts&level=0.8").text)
    for other in ("", "/compare", "/cross", "/regression"):
        current = ' aria-current="page"' if other == page else ""
        assert f'<a href="/surveys/campus{other}?level=0.8&group=arts"{current}>' in text


@pytest.mark.parametrize("page", ["", "/compare", "/cross", "/regression"])
def test_the_pages_need_a_sign_in_and_a_survey(client: FlaskClient, services: Services, page: str) -> None:
    publish_everything(services, 0)
    assert client.get(f"/surveys/everything{page}").status_code == 401
    assert sign_in(client, services).get(f"/surveys/none{page}").status_code == 404
