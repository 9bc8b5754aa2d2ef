"""Figures for programs: of everybody or of a group, compared between groups, with a tag."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from tests.samples.surveys import KEY, two_questions
from tests.vectors.groups import AGE, FACULTY
from werkzeug.test import TestResponse

from hushpoll_client import Survey
from hushpoll_server.analysis.comparison import compare_grouped_counts
from hushpoll_server.analysis.groups import reports_within
from hushpoll_server.analysis.tables import cross_table
from hushpoll_server.services import Services
from hushpoll_shared.groups import Groups

Get = Callable[..., TestResponse]


@pytest.fixture
def filled(services: Services) -> Services:
    manifest = two_questions(groups=Groups((FACULTY, AGE), 5), population=10_000)
    services.surveys.publish(manifest, KEY)
    drawn = Survey(manifest)
    for number, groups in ((60, ("arts", "young")), (50, ("engineering", "old")), (4, ("arts", "middle")), (1, ())):
        bodies = [
            drawn.randomize({"cheated": place % 3 == 0, "helped": True}, groups=groups).encode()
            for place in range(number)
        ]
        services.collect.take("campus", bodies)
    return services


@pytest.fixture
def get(filled: Services, client: FlaskClient) -> Get:
    filled.researchers.add("ada@example.org")
    token = filled.researchers.new_api_token("ada@example.org")

    def ask(call: str, headers: dict[str, str] | None = None, **query: Any) -> TestResponse:
        sent = {"Authorization": f"Bearer {token}", **(headers or {})}
        return client.get(f"/api/v1/surveys/campus/{call}", query_string=query, headers=sent)

    return ask


def test_estimates_of_a_group_are_those_of_its_reports_and_of_no_declared_population(get: Get) -> None:
    everybody, arts = get("estimates").json, get("estimates", group="arts").json
    assert everybody
    assert arts
    assert (everybody["questions"]["cheated"]["n"], arts["questions"]["cheated"]["n"]) == (115, 64)
    assert everybody["questions"]["cheated"]["population"] == 10_000
    assert arts["questions"]["cheated"]["population"] is None
    both = get("estimates", group="arts,young").json
    assert both
    assert both["questions"]["cheated"]["n"] == 60


def test_a_group_that_is_too_small_or_empty_is_withheld(get: Get) -> None:
    for group in ("middle", "engineering,young"):
        response = get("estimates", group=group)
        assert (response.status_code, response.json and response.json["type"]) == (
            403,
            "urn:hushpoll:problem:group-withheld",
        )


@pytest.mark.parametrize(
    ("call", "query"),
    [
        ("estimates", {"group": "law"}),
        ("estimates", {"gruop": "arts"}),
        ("quantiles", {"question": "cheated", "by": "faculty"}),
        ("regression", {"outcome": "cheated", "covariates": "faculty", "reference": "age=young"}),
        ("estimates", {"group": "arts,engineering"}),
        ("compare", {}),
        ("compare", {"question": "cheated"}),
        ("compare", {"question": "other", "by": "faculty"}),
        ("compare", {"question": "cheated", "by": "other"}),
        ("compare", {"question": "cheated", "by": "faculty", "adjust": "none"}),
        ("compare", {"question": "cheated", "by": "faculty", "group": "arts"}),
        ("crosstab", {}),
        ("crosstab", {"questions": "cheated"}),
        ("crosstab", {"questions": "cheated,other"}),
        ("crosstab", {"questions": "cheated,cheated"}),
        ("quantiles", {}),
        ("quantiles", {"question": "cheated"}),
        ("quantiles", {"question": "other"}),
        ("regression", {}),
        ("regression", {"outcome": "other", "covariates": "faculty"}),
        ("regression", {"outcome": "cheated", "covariates": "cheated"}),
        ("regression", {"outcome": "cheated", "covariates": "other"}),
        ("regression", {"outcome": "cheated", "covariates": "faculty", "model": "probit"}),
    ],
)
def test_a_wrong_name_or_option_is_a_bad_query(get: Get, call: str, query: dict[str, str]) -> None:
    response = get(call, **query)
    assert (response.status_code, response.json and response.json["type"]) == (400, "urn:hushpoll:problem:bad-query")


def test_a_question_is_compared_between_groups(get: Get, filled: Services) -> None:
    response = get("compare", question="cheated", by="faculty", level=0.9)
    reading = filled.results.read("campus")
    comparison = response.json
    assert comparison
    assert [(group["name"], group["n"]) for group in comparison["groups"]] == [("arts", 64), ("engineering", 50)]
    [difference] = comparison["differences"]
    assert (difference["cell"], difference["first"], difference["second"]) == ("yes", "arts", "engineering")
    one, other = (group["cells"][0]["estimate"] for group in comparison["groups"])
    assert difference["estimate"] == pytest.approx(one - other)
    assert difference["low"] < difference["estimate"] < difference["high"]
    assert comparison["overall"]["yes"]["degrees"] == 1
    assert compare_grouped_counts(reading.manifest, reading.grouped, "cheated", "faculty").level == 0.95


def test_groups_that_are_too_small_are_named_and_in_no_comparison(get: Get) -> None:
    comparison = get("compare", question="cheated", by="age").json
    assert comparison
    assert [group["withheld"] for group in comparison["groups"]] == [False, True, False]
    assert "n" not in comparison["groups"][1]
    assert [(each["first"], each["second"]) for each in comparison["differences"]] == [("young", "old")]
    assert any("middle" in sentence for sentence in comparison["warnings"])


def test_within_another_group_only_its_reports_are_compared(get: Get) -> None:
    comparison = get("compare", question="cheated", by="age", group="arts").json
    assert comparison
    assert [group.get("n") for group in comparison["groups"]] == [60, None, None]
    assert comparison["differences"] == []


def test_a_table_of_any_questions_is_computed_from_the_reports_and_the_second_time_recalled(
    get: Get, filled: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = get("crosstab", questions="cheated,helped", group="arts").json
    assert table
    assert (table["n"], len(table["cells"])) == (64, 4)
    assert {"independence", "odds_ratio", "covariances"} <= table.keys()
    manifest, reports = filled.surveys.manifest("campus"), filled.collect.reports("campus")
    alone = cross_table(
        replace(manifest, population=None), reports_within(manifest, reports, ["arts"]), ["cheated", "helped"]
    )
    assert table == json.loads(json.dumps(alone.to_json()))
    monkeypatch.setattr(filled.collect, "scan", None)
    assert get("crosstab", questions="cheated,helped", group="arts").json == table


def test_a_table_that_the_survey_counts_comes_from_its_counters_in_either_order(
    services: Services, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = two_questions()
    services.surveys.publish(manifest, KEY, [("cheated", "helped")])
    bodies = [Survey(manifest).randomize({"cheated": n % 2 == 0, "helped": n % 3 == 0}).encode() for n in range(200)]
    services.collect.take("campus", bodies)
    services.researchers.add("ada@example.org")
    headers = {"Authorization": f"Bearer {services.researchers.new_api_token('ada@example.org')}"}
    reports = services.collect.reports("campus")
    monkeypatch.setattr(services.collect, "scan", None)
    for names in (["cheated", "helped"], ["helped", "cheated"]):
        address = f"/api/v1/surveys/campus/crosstab?questions={','.join(names)}"
        expected = cross_table(manifest, reports, names).to_json()
        assert client.get(address, headers=headers).json == json.loads(json.dumps(expected))


def test_an_answer_is_regressed_on_groups_and_on_other_questions(get: Get) -> None:
    fit = get("regression", outcome="cheated", covariates="faculty", model="linear").json
    assert fit
    assert [each["name"] for each in fit["coefficients"]] == ["intercept", "faculty=engineering"]
    assert (fit["model"], fit["references"]) == ("linear", {"faculty": "arts"})
    other = get("regression", outcome="cheated", covariates="faculty", model="linear", reference="faculty=engineering")
    assert other.json
    assert other.json["references"] == {"faculty": "engineering"}
    assert any("114 of 115 reports" in sentence for sentence in fit["warnings"])


def test_a_regression_that_the_reports_do_not_determine_says_why(get: Get) -> None:
    fit = get("regression", outcome="helped", covariates="cheated,faculty,age").json
    assert fit
    assert fit["coefficients"] is None
    assert "There is no regression" in fit["warnings"][0]


@pytest.mark.parametrize(
    "query", [{"covariates": "helped"}, {"covariates": "faculty"}, {"covariates": "helped,faculty"}]
)
def test_a_regression_without_reports_is_a_sentence(
    services: Services, client: FlaskClient, query: dict[str, str]
) -> None:
    services.surveys.publish(two_questions(groups=Groups((FACULTY,), 5)), KEY)
    services.researchers.add("ada@example.org")
    headers = {"Authorization": f"Bearer {services.researchers.new_api_token('ada@example.org')}"}
    for model in ("logistic", "linear"):
        response = client.get(
            "/api/v1/surveys/campus/regression",
            query_string={"outcome": "cheated", "model": model, **query},
            headers=headers,
        )
        assert response.status_code == 200
        assert response.json
        assert response.json["coefficients"] is None


def test_a_program_that_has_the_figures_already_is_told_so(get: Get, filled: Services) -> None:
    first = get("estimates")
    again = get("estimates", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    filled.collect.take("campus", [Survey(two_questions()).randomize({"cheated": True, "helped": True}).encode()])
    manifest = filled.surveys.manifest("campus")
    filled.collect.take("campus", [Survey(manifest).randomize({"cheated": True, "helped": True}).encode()])
    assert get("estimates", headers={"If-None-Match": first.headers["ETag"]}).status_code == 200


def test_figures_need_a_token(client: FlaskClient, filled: Services) -> None:
    for call in ("estimates", "compare", "crosstab", "quantiles", "regression"):
        assert client.get(f"/api/v1/surveys/campus/{call}").status_code == 401
