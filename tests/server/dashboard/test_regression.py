"""The page that regresses, through the real app: its figures are those of the API."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from tests.server.dashboard.grouped_surveys import publish_campus, publish_everything, text_of
from tests.server.dashboard.test_compare import api, shown
from tests.server.researchers.sign_in import sign_in

from hushpoll_server.dashboard import formatting
from hushpoll_server.dashboard.choices import covariate_choices, outcome_choices
from hushpoll_server.services import Services
from hushpoll_shared.manifest import Manifest

MANY = ((300, ("arts", "young")), (300, ("engineering", "old")), (60, ("arts", "old")))


@pytest.fixture
def campus(services: Services) -> Manifest:
    return publish_campus(services, MANY)


@pytest.fixture
def researcher(client: FlaskClient, services: Services) -> FlaskClient:
    return sign_in(client, services)


def regress(researcher: FlaskClient, survey: str, outcome: str, *covariates: str, model: str = "logistic") -> str:
    """Return the page of a regression."""
    query = {"outcome": outcome, "covariates": list(covariates), "model": model, "level": "0.9"}
    response = researcher.get(f"/surveys/{survey}/regression", query_string=query)
    assert response.status_code == 200, (outcome, covariates)
    return text_of(response.text)


@pytest.mark.parametrize("covariates", [("faculty",), ("faculty", "helped")])
@pytest.mark.parametrize(("model", "column"), [("logistic", "Log-odds"), ("linear", "Points")])
def test_the_coefficients_are_those_of_the_api(
    researcher: FlaskClient, services: Services, campus: Manifest, covariates: tuple[str, ...], model: str, column: str
) -> None:
    page = regress(researcher, "campus", "cheated", *covariates, model=model)
    told = api(
        services,
        researcher,
        "/api/v1/surveys/campus/regression",
        outcome="cheated",
        covariates=",".join(covariates),
        model=model,
        level=0.9,
    )
    unit = formatting.OWN if model == "logistic" else formatting.SHARE
    assert len(told["coefficients"]) == 1 + len(covariates)
    for each in told["coefficients"]:
        estimate, se, low, high = shown(each, "estimate", "se", "low", "high", unit=unit)
        assert f'data-label="{column}">{estimate}</td><td class="number" data-label="SE">{se}</td>' in page
        assert f'data-label="90 % interval">{low} to {high}</td>' in page
        assert f'data-label="p">{formatting.p_number(each["p_value"])}</td>' in page
    assert "Faculty: Engineering – «Technik» against Arts" in page
    assert f"n = {told['n']}" in page
    assert ("assumed" in told) == ("<dt>Assumed</dt>" in page)


def test_effects_and_adjusted_shares_are_those_of_the_api(
    researcher: FlaskClient, services: Services, campus: Manifest
) -> None:
    page = regress(researcher, "campus", "cheated", "faculty", "helped")
    query = {"outcome": "cheated", "covariates": "faculty,helped", "level": "0.9"}
    told = api(services, researcher, "/api/v1/surveys/campus/regression", **query)
    for effect in told["effects"]:
        estimate, low, high = shown(effect, "estimate", "low", "high")
        assert f'data-label="Points">{estimate}</td>' in page
        assert f'data-label="90 % interval">{low} to {high}</td>' in page
    for share in (*told["adjusted_shares"]["faculty"], *told["adjusted_shares"]["helped"]):
        assert f'data-label="Share">{shown(share, "estimate")[0]}</td>' in page


def test_a_regression_that_does_not_exist_is_a_sentence(researcher: FlaskClient, services: Services) -> None:
    publish_campus(services, ())
    page = regress(researcher, "campus", "cheated", "faculty")
    assert "There is no regression: " in page
    assert "<table" not in page


def test_the_outcome_is_no_covariate_of_its_own(researcher: FlaskClient, campus: Manifest) -> None:
    page = regress(researcher, "campus", "cheated", "cheated", "faculty")
    assert "There is no regression: cheated is the outcome: name other covariates." in page


@pytest.mark.parametrize("number", [0, 1, 25])
def test_every_outcome_that_is_offered_has_a_page(researcher: FlaskClient, services: Services, number: int) -> None:
    manifest = publish_everything(services, number)
    names = [choice.name for choice in outcome_choices(manifest)]
    assert {"cheated", "asked", "way:car", "stress:4", "pain", "ways:1", "hours", "both:yes × red"} <= set(names)
    assert not {"age", "income", "code:c1", "pain:0"} & set(names)
    # One answer to each question.
    for name in {name.partition(":")[0]: name for name in names}.values():
        page = regress(researcher, "everything", name, "faculty").split("<main")[1]
        assert "nan" not in page.lower()
    for model in ("logistic", "linear"):
        regress(researcher, "everything", "way:car", "faculty", "cheated", model=model)


def test_only_questions_that_name_one_answer_are_offered_as_covariates(services: Services) -> None:
    manifest = publish_everything(services, 0)
    assert [choice.name for choice in covariate_choices(manifest)] == ["faculty", "cheated", "asked"]


@pytest.mark.parametrize(
    "query",
    [
        "outcome=other&covariates=faculty",
        "outcome=cheated&covariates=other",
        "outcome=cheated&covariates=faculty&model=probit",
        "outcome=cheated&covariates=faculty&covariates=faculty",
    ],
)
def test_a_wrong_name_is_a_bad_query(researcher: FlaskClient, campus: Manifest, query: str) -> None:
    assert researcher.get(f"/surveys/campus/regression?{query}").status_code == 400


def test_an_answer_to_a_question_that_is_estimated_as_a_number_is_no_outcome(
    researcher: FlaskClient, services: Services
) -> None:
    publish_everything(services, 1)
    token = {"outcome": "pain:0", "covariates": "faculty"}
    assert researcher.get("/surveys/everything/regression", query_string=token).status_code == 400
    told = api(services, researcher, "/api/v1/surveys/everything/regression", **token)
    assert told["type"] == "urn:hushpoll:problem:bad-query"


def test_nothing_is_regressed_before_it_is_chosen(researcher: FlaskClient, campus: Manifest) -> None:
    assert "Choose an outcome and at least one covariate." in regress(researcher, "campus", "cheated")
