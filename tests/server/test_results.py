"""Counts become results in one way, whatever the question is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from tests.support.make_design_vectors import surveys
from tests.support.streams import FixedTestStream
from tests.support.surveys import two_questions

from hushpoll_client.survey import Survey
from hushpoll_server.collect.tally import TOTAL, Counts, tally
from hushpoll_server.estimate import Cell, Result
from hushpoll_server.estimate.distribution import DistributionResult
from hushpoll_server.estimate.mean_of_some import MeanOfSomeResult
from hushpoll_server.estimate.means import MeanResult
from hushpoll_server.results import MORE_THAN_THE_POPULATION, QuestionResult, Results, results_of


def counts(yes: int, n: int) -> Counts:
    return Counter(
        {(question, cell): value for question in ("cheated", "helped") for cell, value in ((TOTAL, n), ("yes", yes))}
    )


def shares(result: QuestionResult) -> Result:
    assert isinstance(result, Result)
    return result


def yes(results: Results, question: str = "cheated") -> Cell:
    [cell] = shares(results[question]).cells
    return cell


def test_every_question_is_estimated_with_its_own_design() -> None:
    results = results_of(two_questions(), counts(400, 1000))
    assert list(results) == ["cheated", "helped"]
    assert yes(results).estimate == pytest.approx(0.3)
    # (0.4 − 0.2689414)/(2 · 0.7310586 − 1)
    assert yes(results, "helped").estimate == pytest.approx(0.2836047, abs=1e-6)


def test_a_declared_population_makes_the_interval_narrower() -> None:
    free, finite = (results_of(two_questions(population=size), counts(400, 1000)) for size in (None, 1200))
    assert (yes(finite).se or 0) < (yes(free).se or 0)


def test_more_reports_than_people_are_no_crash_but_a_warning() -> None:
    results = results_of(two_questions(population=999), counts(400, 1000))
    assert MORE_THAN_THE_POPULATION in shares(results["cheated"]).warnings
    assert shares(results["cheated"]).population is None
    assert yes(results).se == yes(results_of(two_questions(), counts(400, 1000))).se


def test_a_survey_without_reports_has_results_without_figures() -> None:
    results = results_of(two_questions(), tally(two_questions(), []))
    assert (shares(results["cheated"]).n, yes(results).estimate) == (0, None)


@cache
def everything() -> tuple[Results, int]:
    """Give the results of 600 devices that all answer the same, from a fixed stream."""
    manifest, [answers, _] = surveys()["everything"]
    source, survey = FixedTestStream("results"), Survey(manifest)
    reports = [survey.randomize(answers, source=source).answers for _ in range(600)]
    return results_of(replace(manifest, population=None), tally(manifest, reports)), len(reports)


@pytest.mark.parametrize(
    ("question", "cell"),
    [
        ("cheated", "yes"), ("asked", "no"), ("way", "0"), ("code", "c17"), ("stress", "4"), ("both", "yes × blue"),
        ("ways", "car"), ("ways", "1"), ("few", "on foot"), ("age", "decline"),
    ],
)  # fmt: skip
def test_the_cell_that_everybody_chose_has_a_share_near_one(question: str, cell: str) -> None:
    results, _ = everything()
    result = results[question]
    found = result.mean if isinstance(result, DistributionResult) else result
    assert isinstance(found, Result | MeanOfSomeResult)
    [chosen] = [each for each in found.cells if each.name == cell]
    assert chosen.estimate is not None
    assert chosen.se is not None
    assert abs(chosen.estimate - 1) < 4 * chosen.se


@pytest.mark.parametrize(
    ("question", "truth"), [("pain", 1.0), ("hours", 7.1), ("height", -1.5 + 3.75 / 32), ("noise", 0.3), ("income", 3)]
)
def test_the_mean_of_what_everybody_answered_is_near_it(question: str, truth: float) -> None:
    results, n = everything()
    result = results[question]
    found = result.mean if isinstance(result, DistributionResult) else result
    assert isinstance(found, MeanResult)
    assert found.n == n
    assert found.mean.estimate is not None
    assert found.mean.se is not None
    # The first bin counts as its middle.
    assert abs(found.mean.estimate - truth) < 4 * found.mean.se


def test_options_that_few_devices_were_asked_say_of_how_many() -> None:
    results, n = everything()
    asked = [cell.asked for cell in shares(results["ways"]).cells]
    assert all(each is not None and 0 < each < n for each in asked)


def test_a_question_is_counted_only_where_it_was_asked() -> None:
    manifest, [answers, *_] = surveys()["some"]
    source, survey = FixedTestStream("some"), Survey(manifest)
    results = results_of(
        manifest, tally(manifest, [survey.randomize(answers, source=source).answers for _ in range(90)])
    )
    numbers = [result.n for result in results.values() if not isinstance(result, DistributionResult)]
    assert sum(numbers) == 90
    assert all(numbers)


def test_every_result_writes_itself_as_json_with_its_promise() -> None:
    results, _ = everything()
    assert {result.to_json()["coverage"] for result in results.values()} == {"pointwise"}
