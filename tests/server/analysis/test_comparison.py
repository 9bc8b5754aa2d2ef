"""A question compared between public groups: shares answer by answer, numbers by their means."""

from __future__ import annotations

import numpy as np
import pytest
from tests.vectors.groups import FACULTY
from tests.vectors.surveys import surveys

from hushpoll_client import Survey
from hushpoll_server.analysis import (
    GroupWithheld,
    Options,
    analyse,
    compare_by_group,
    difference_between,
    regress_survey,
)
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.results import Result
from hushpoll_shared.groups import Groups
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report

PEOPLE = 60


@pytest.fixture(scope="module")
def survey() -> tuple[Manifest, list[Report]]:
    """Return a survey with a question of every type in two groups, and reports to it."""
    everything, [full, other] = surveys()["everything"]
    manifest = Manifest("grouped", "All", "Please.", everything.questions, groups=Groups((FACULTY,), 5))
    drawn = Survey(manifest)
    reports = [
        drawn.randomize(full if place % 3 else other, groups=[FACULTY.ids[place % 2]]) for place in range(PEOPLE)
    ]
    return manifest, reports


@pytest.mark.parametrize("question", [question.id for question in surveys()["everything"][0].questions])
def test_every_type_of_question_can_be_compared(survey: tuple[Manifest, list[Report]], question: str) -> None:
    manifest, reports = survey
    comparison = compare_by_group(manifest, reports, question, "faculty")
    results = [analyse(manifest, reports, labels=[label]).results[question] for label in FACULTY.ids]
    assert [group.result and group.result.to_json() for group in comparison.groups] == [
        result.to_json() for result in results
    ]
    # Of few people the mean of those who gave a number has no limits yet.
    assert comparison.differences or "no limits yet" in comparison.warnings[0]
    for each in comparison.differences:
        assert each.difference.low is not None
        assert each.difference.low <= each.difference.estimate <= (each.difference.high or np.inf)
        assert (each.difference.p_value or 0) <= each.adjusted_p_value <= 1
    assert b"NaN" not in repr(comparison.to_json()).encode()


def test_a_difference_is_that_of_two_independent_groups(survey: tuple[Manifest, list[Report]]) -> None:
    manifest, reports = survey
    [difference] = compare_by_group(manifest, reports, "cheated", "faculty").differences
    one, other = (analyse(manifest, reports, labels=[label]).results["cheated"] for label in FACULTY.ids)
    assert isinstance(one, Result)
    assert isinstance(other, Result)
    assert difference.difference == difference_between(one, "yes", other, "yes")
    assert difference.adjusted_p_value == difference.difference.p_value


def test_an_empty_group_and_a_small_one_are_withheld_and_nobody_is_compared_with_them() -> None:
    everything, [full, _] = surveys()["everything"]
    manifest = Manifest("grouped", "All", "Please.", everything.questions[:1], groups=Groups((FACULTY,), 5))
    for number in (0, 1, 4):
        reports = [Survey(manifest).randomize({"cheated": full["cheated"]}, groups=["arts"]) for _ in range(number)]
        comparison = compare_by_group(manifest, reports, "cheated", "faculty")
        assert [group.result for group in comparison.groups] == [None, None]
        assert comparison.differences == ()
        with pytest.raises(GroupWithheld):
            analyse(manifest, reports, labels=["arts"])


def test_one_group_alone_has_figures_and_no_difference() -> None:
    everything, [full, _] = surveys()["everything"]
    manifest = Manifest("grouped", "All", "Please.", everything.questions[:1], groups=Groups((FACULTY,), 1))
    report = Survey(manifest).randomize({"cheated": full["cheated"]}, groups=["arts"])
    comparison = compare_by_group(manifest, [report], "cheated", "faculty")
    assert [group.result is None for group in comparison.groups] == [False, True]
    assert comparison.differences == ()


def test_a_simulated_association_with_a_group_is_found_by_comparison_and_by_regression_and_missed_by_neither() -> None:
    # Seeded: 20 % and 50 % of two groups of 4,000 say yes, at odds 3:1.
    everything, _ = surveys()["everything"]
    manifest = Manifest("grouped", "All", "Please.", everything.questions[:1], groups=Groups((FACULTY,), 5))
    rng = np.random.default_rng(15)
    draws = {"arts": rng.random(4000) < 0.2, "engineering": rng.random(4000) < 0.5}
    code = {"arts": "00", "engineering": "01"}
    reports = [
        Report(manifest.survey, manifest.id, f"{number:032x}", {"cheated": str(int(yes == kept))}, code[label])
        for label, answers in draws.items()
        for number, (yes, kept) in enumerate(zip(answers, rng.random(4000) < 0.75, strict=True))
    ]
    [difference] = compare_by_group(manifest, reports, "cheated", "faculty").differences
    gap = difference.difference
    assert gap.low is not None
    assert gap.high is not None
    assert gap.low < -0.3 < gap.high
    slope = regress_survey(manifest, reports, "cheated", ["faculty"]).coefficient("faculty=engineering")
    truth = np.log(0.5 / 0.5) - np.log(0.2 / 0.8)
    assert slope.low < truth < slope.high
    # Read as if they were answers, the reports show half of the difference.
    naive = np.mean([int(report.draws["cheated"]) for report in reports[4000:]]) - np.mean(
        [int(report.draws["cheated"]) for report in reports[:4000]]
    )
    assert 0.1 < naive < 0.2


def test_names_that_are_no_question_and_no_dimension_are_refused(survey: tuple[Manifest, list[Report]]) -> None:
    manifest, reports = survey
    for question, dimension in (("other", "faculty"), ("cheated", "other")):
        with pytest.raises(EstimateError, match="name one of"):
            compare_by_group(manifest, reports, question, dimension)


@pytest.mark.parametrize("question", ["cheated", "way", "hours"])
def test_simultaneous_limits_of_differences_are_wider_and_made_up_reports_have_a_band(
    survey: tuple[Manifest, list[Report]], question: str
) -> None:
    manifest, reports = survey
    plain = compare_by_group(manifest, reports, question, "faculty")
    options = Options(coverage="simultaneous", beta=0.05)
    together = compare_by_group(manifest, reports, question, "faculty", options=options)
    for one, other in zip(plain.differences, together.differences, strict=True):
        assert one.difference.low is not None
        assert other.difference.low is not None
        is_alone = len(plain.differences) == 1
        assert other.difference.low == one.difference.low if is_alone else other.difference.low < one.difference.low
        assert (other.band is None) == (other.cell == "mean")
    with pytest.raises(EstimateError, match="hold at every look"):
        compare_by_group(manifest, reports, question, "faculty", options=Options(coverage="anytime"))
