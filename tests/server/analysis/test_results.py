"""Counts become results by one path, whatever the question."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import product

import pytest
from tests.samples.surveys import two_questions
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.analysis.results import MORE_THAN_THE_POPULATION, Results, cross_results_of, results_of
from hushpoll_server.counting.tally import SurveyCounts, tally
from hushpoll_server.estimate.errors import LARGEST_LEVEL, LEAST_LEVEL, EstimateError
from hushpoll_server.estimate.estimands import QuestionResult
from hushpoll_server.estimate.numbers.distribution import DistributionResult
from hushpoll_server.estimate.numbers.mean_of_some import MeanOfSomeResult
from hushpoll_server.estimate.numbers.means import MeanResult
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import Cell, Result
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_shared.mechanisms import Draw
from hushpoll_shared.questions import Question


def counts(yes: int, n: int) -> SurveyCounts:
    return {question: Counter({"n": n, "0": n - yes, "1": yes}) for question in ("cheated", "helped")}


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
    """Return the results of 600 devices that all answer the same, from a fixed stream."""
    manifest, [answers, _] = surveys()["everything"]
    source, survey = FixedTestStream("results"), Survey(manifest)
    reports = [survey.randomize(answers, source=source).draws for _ in range(600)]
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
    results = results_of(manifest, tally(manifest, [survey.randomize(answers, source=source).draws for _ in range(90)]))
    numbers = [result.n for result in results.values() if not isinstance(result, DistributionResult)]
    assert sum(numbers) == 90
    assert all(numbers)


def test_every_result_writes_itself_as_json_with_its_promise() -> None:
    results, _ = everything()
    assert {result.to_json()["coverage"] for result in results.values()} == {"pointwise"}


# Warner's design with itself, with sets as first and second question, and sets with one named answer.
CROSSED = (("cheated", "asked"), ("asked", "way"), ("stress", "cheated"), ("way", "stress"))


def holds(draw: Draw, question: Question, code: int) -> bool:
    """Return whether a draw supports the answer with this code."""
    return str(code) in mechanism_of(question).counters(draw)


def test_crossed_questions_are_counted_by_answer_and_add_up_to_each_question() -> None:
    manifest, answers = surveys()["everything"]
    manifest, device, source = replace(manifest, population=None), Survey(manifest), FixedTestStream("crossed")
    reports = [device.randomize(answers[i % 2], source=source).draws for i in range(300)]
    counted = tally(manifest, reports, CROSSED)
    questions = {question.id: question for question in manifest.questions}
    for table in cross_results_of(manifest, counted, CROSSED):
        first, second = (questions[name] for name in table.names)
        codes = product(*(range(len(question.type.answers)) for question in (first, second)))
        for (one, other), cell in zip(codes, table.cells, strict=True):
            both = (holds(draws[first.id], first, one) and holds(draws[second.id], second, other) for draws in reports)
            assert cell.count == sum(both)
        assert table.rows.n == table.columns.n == table.n == 300
        assert sum(cell.estimate or 0 for cell in table.cells) == pytest.approx(1)
        width = len(table.columns.cells)
        for row, margin in enumerate(table.rows.cells):
            line = table.cells[row * width : (row + 1) * width]
            assert sum(cell.estimate or 0 for cell in line) == pytest.approx(margin.estimate)
    # Half of the devices hold each pair of answers.
    [table] = cross_results_of(manifest, counted, CROSSED[:1])
    estimates = {cell.name: cell.estimate or 0 for cell in table.cells}
    assert estimates["yes × no"] == pytest.approx(0.5, abs=0.35)
    assert estimates["no × does_not_apply"] == pytest.approx(0.5, abs=0.35)


def test_a_cross_table_of_more_reports_than_people_has_a_warning() -> None:
    manifest = two_questions(population=10)
    counted = tally(manifest, [{"cheated": "1", "helped": "0"}] * 11, [("cheated", "helped")])
    [table] = cross_results_of(manifest, counted, [("cheated", "helped")])
    assert MORE_THAN_THE_POPULATION in table.warnings
    assert table.table.population is None


@pytest.mark.parametrize(
    ("crossed", "says"),
    [
        (("cheated", "hours"), "question hours has no shares to cross"),
        (("height", "cheated"), "question height has no shares to cross"),
        (("cheated", "ways"), "the answers to question ways do not exclude each other"),
        (("few", "asked"), "the answers to question few do not exclude each other"),
    ],
)
def test_numbers_and_ticks_cannot_be_crossed(crossed: tuple[str, str], says: str) -> None:
    manifest, _ = surveys()["everything"]
    with pytest.raises(EstimateError, match=says):
        cross_results_of(manifest, {}, [crossed])


@pytest.mark.parametrize("level", [LEAST_LEVEL, 0.5, LARGEST_LEVEL])
@pytest.mark.parametrize("coverage", ["pointwise", "simultaneous", "anytime"])
@pytest.mark.parametrize("beta", [None, 0.0, 1 - 2**-53])
def test_no_level_and_no_share_of_made_up_reports_makes_a_figure_that_is_no_number(
    level: float, coverage: str, beta: float | None
) -> None:
    draws = [{"cheated": str(i % 2), "helped": str(i % 3 % 2)} for i in range(40)]
    crossed, options = [("cheated", "helped")], Options(level=level, coverage=coverage, beta=beta)
    [table] = cross_results_of(two_questions(), tally(two_questions(), draws, crossed), crossed, options)
    json.dumps(table.to_json(), allow_nan=False)
