"""Draws become counts, and counting many at once gives the same counts."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.counting import tally as module
from hushpoll_server.counting.tally import SurveyCounts, add_counts, number_of_reports, tally
from hushpoll_server.mechanisms import mechanism_of, subset
from hushpoll_server.mechanisms.mechanism import TOTAL


@pytest.mark.parametrize("name", ["everything", "some", "panel"])
def test_every_report_counts_for_the_cells_that_its_draws_support(name: str) -> None:
    manifest, answers = surveys()[name]
    source = FixedTestStream(name)
    reports = [Survey(manifest).randomize(answers[i % len(answers)], source=source).draws for i in range(50)]
    expected: SurveyCounts = {}
    for report in reports:
        for question in manifest.questions:
            draw = report[question.id]
            if draw != question.design.blank:
                counters = expected.setdefault(question.id, Counter())
                counters.update([TOTAL, *mechanism_of(question).counters(draw)])
    assert tally(manifest, reports) == expected


def test_many_sets_are_counted_together_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    manifest, [answers, _] = surveys()["everything"]
    source = FixedTestStream("many")
    reports = [Survey(manifest).randomize(answers, source=source).draws for _ in range(100)]
    one_by_one = tally(manifest, reports)
    monkeypatch.setattr(subset, "MANY_SETS", 0)
    assert tally(manifest, reports) == one_by_one


def test_a_question_that_nobody_was_asked_has_no_counts() -> None:
    manifest, _ = surveys()["some"]
    blank = {question.id: question.design.blank for question in manifest.questions}
    assert tally(manifest, [blank, blank]) == {}


# Warner's design, a single category, sets of several, and a question that is repeated.
CROSSED = {
    "everything": (("cheated", "asked"), ("asked", "way"), ("way", "stress"), ("stress", "cheated")),
    "panel": (("mood", "sure"), ("sure", "mood")),
}


@pytest.mark.parametrize("name", CROSSED)
@pytest.mark.parametrize("at_a_time", [7, module._PAIRS_AT_A_TIME])
def test_crossed_questions_are_counted_for_every_pair_of_cells_that_a_report_supports(
    name: str, at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PAIRS_AT_A_TIME", at_a_time)
    manifest, answers = surveys()[name]
    mechanisms = {question.id: mechanism_of(question) for question in manifest.questions}
    source = FixedTestStream(f"crossed {name}")
    reports = [Survey(manifest).randomize(answers[i % len(answers)], source=source).draws for i in range(60)]
    expected = tally(manifest, reports)
    for (first, second), report in product(CROSSED[name], reports):
        one, other = (mechanisms[question].counters(report[question]) for question in (first, second))
        both = expected.setdefault(f"{first},{second}", Counter())
        both.update(f"{counter},{beside}" for counter, beside in product(one, other))
    assert any("," in question for question in expected)
    counted = tally(manifest, reports, CROSSED[name])
    assert counted == expected
    assert all(type(number) is int for counters in counted.values() for number in counters.values())


def test_joint_counters_add_up_over_batches_and_leave_the_number_of_reports_alone() -> None:
    manifest, answers = surveys()["everything"]
    source = FixedTestStream("batches")
    reports = [Survey(manifest).randomize(answers[i % 2], source=source).draws for i in range(30)]
    crossed = CROSSED["everything"]
    parts = tally(manifest, reports[:13], crossed)
    add_counts(parts, tally(manifest, reports[13:], crossed))
    assert parts == tally(manifest, reports, crossed)
    assert number_of_reports(manifest, parts) == 30
    assert tally(manifest, [], crossed) == {}
