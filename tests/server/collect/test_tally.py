"""Draws become counts, and many of them at once become the same counts."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from tests.support.make_design_vectors import surveys
from tests.support.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.collect import tally as module
from hushpoll_server.collect.tally import TOTAL, number_of_reports, tally


@pytest.mark.parametrize("name", ["everything", "some", "panel"])
def test_every_report_counts_for_the_cells_that_its_draws_support(name: str) -> None:
    manifest, answers = surveys()[name]
    source = FixedTestStream(name)
    reports = [Survey(manifest).randomize(answers[i % len(answers)], source=source).answers for i in range(50)]
    expected: Counter[tuple[str, str]] = Counter()
    for report in reports:
        for question in manifest.questions:
            draw = report[question.id]
            if draw != question.design.blank:
                expected[question.id, TOTAL] += 1
                expected.update((question.id, cell) for cell in question.design.supported_cells(draw))
    assert tally(manifest, reports) == expected


def test_many_sets_are_counted_together_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    manifest, [answers, _] = surveys()["everything"]
    source = FixedTestStream("many")
    reports = [Survey(manifest).randomize(answers, source=source).answers for _ in range(100)]
    one_by_one = tally(manifest, reports)
    monkeypatch.setattr(module, "_MANY", 0)
    assert tally(manifest, reports) == one_by_one


def test_a_question_that_nobody_was_asked_has_no_counts() -> None:
    manifest, _ = surveys()["some"]
    blank = {question.id: question.design.blank for question in manifest.questions}
    assert tally(manifest, [blank, blank]) == Counter()


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
    designs = {question.id: question.design for question in manifest.questions}
    source = FixedTestStream(f"crossed {name}")
    reports = [Survey(manifest).randomize(answers[i % len(answers)], source=source).answers for i in range(60)]
    expected = tally(manifest, reports)
    for (first, second), report in product(CROSSED[name], reports):
        one, other = (designs[question].supported_cells(report[question]) for question in (first, second))
        expected.update((f"{first},{second}", f"{cell},{beside}") for cell, beside in product(one, other))
    assert any("," in question for question, _ in expected)
    counted = tally(manifest, reports, CROSSED[name])
    assert counted == expected
    assert all(type(number) is int for number in counted.values())


def test_joint_counters_add_up_over_batches_and_leave_the_number_of_reports_alone() -> None:
    manifest, answers = surveys()["everything"]
    source = FixedTestStream("batches")
    reports = [Survey(manifest).randomize(answers[i % 2], source=source).answers for i in range(30)]
    crossed = CROSSED["everything"]
    parts = tally(manifest, reports[:13], crossed) + tally(manifest, reports[13:], crossed)
    assert parts == tally(manifest, reports, crossed)
    assert number_of_reports(manifest, parts) == 30
    assert tally(manifest, [], crossed) == Counter()
