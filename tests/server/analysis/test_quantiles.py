"""Quantiles of a survey's questions, from the reports of real devices."""

from __future__ import annotations

import pytest
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.analysis import EstimateError, Options, analyse, analyse_quantiles
from hushpoll_server.compile.definition import compile_survey
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report

SURVEY = """\
survey: order
title: Order
consent: Taking part is voluntary.
population: 1000
questions:
  - {id: stress, text: S, type: scale, min: 1, max: 5, decline: true, privacy: {epsilon: "4"}}
  - {id: two, text: T, type: scale, min: 0, max: 1, privacy: {epsilon: "4"}}
  - {id: average, text: A, type: scale, min: 1, max: 5, report: mean, privacy: {epsilon: "4"}}
  - {id: hours, text: H, type: number, min: 0, max: 40, report: distribution, privacy: {epsilon: "4"}}
  - {id: days, text: D, type: number, min: 0, max: 40, privacy: {epsilon: "4"}}
  - {id: smokes, text: Y, type: yes_no, privacy: {epsilon: "4"}}
"""
TRUTH = {"stress": 4, "two": 1, "average": 4, "hours": 10, "days": 10, "smokes": True}


@pytest.fixture(scope="module")
def survey() -> tuple[Manifest, list[Report]]:
    """Return a survey of 200 people who all answer the same."""
    manifest = compile_survey(SURVEY, "order.yaml").manifest
    device, source = Survey(manifest), FixedTestStream("order")
    return manifest, [device.randomize(TRUTH, source=source) for _ in range(200)]


def test_a_scale_has_its_median_among_those_who_gave_a_point(survey: tuple[Manifest, list[Report]]) -> None:
    result = analyse_quantiles(*survey, "stress", shares=(0.5,), at=(3,))
    [median], [share] = result.quantiles, result.at
    assert (median.low, median.estimate, median.high) == (4, 4, 4)
    assert (share.low or 1) <= 0 <= (share.high or -1)


def test_a_scale_of_two_points_shows_both(survey: tuple[Manifest, list[Report]]) -> None:
    assert analyse_quantiles(*survey, "two").quantile(0.5).estimate == 1


def test_a_number_has_any_quantile_and_the_figures_of_its_distribution(survey: tuple[Manifest, list[Report]]) -> None:
    result = analyse_quantiles(*survey, "hours", shares=(0.1, 0.5), at=(5, 15), options=Options(level=0.9))
    known = analyse(*survey, options=Options(level=0.9)).results["hours"].to_json()
    assert result.quantile(0.5).to_json() == known["quantiles"][1]  # type: ignore[index]
    assert result.to_json()["mean"] == known["mean"]
    assert (result.quantile(0.1).low or 99) <= 10 <= (result.quantile(0.1).high or 0)
    assert [round(each.estimate or 0) for each in result.at] == [0, 1]


@pytest.mark.parametrize(("question", "cure"), [("days", "`report: distribution`"), ("average", "`report: shares`")])
def test_a_mean_has_no_quantiles_and_says_what_would(
    survey: tuple[Manifest, list[Report]], question: str, cure: str
) -> None:
    result = analyse_quantiles(*survey, question, at=(3,))
    assert {each.estimate for each in result.quantiles} | {each.estimate for each in result.at} == {None}
    assert result.deviation.estimate is None
    assert result.mean.estimate is not None
    assert cure in result.warnings[-1]


def test_what_has_no_order_or_does_not_exist_is_refused(survey: tuple[Manifest, list[Report]]) -> None:
    with pytest.raises(EstimateError, match="have no order"):
        analyse_quantiles(*survey, "smokes")
    with pytest.raises(EstimateError, match="no question nobody in this survey: name one of stress, two"):
        analyse_quantiles(*survey, "nobody")


def test_more_reports_than_people_are_told(survey: tuple[Manifest, list[Report]]) -> None:
    manifest, reports = survey
    crowd = compile_survey(SURVEY.replace("1000", "100"), "order.yaml").manifest
    assert "more reports than people" in analyse_quantiles(crowd, reports, "stress").warnings[-1]
    assert analyse_quantiles(manifest, [], "stress").quantile(0.5).estimate is None
