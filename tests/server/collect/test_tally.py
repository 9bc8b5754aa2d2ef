"""Draws become counts, and many of them at once become the same counts."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.support.make_design_vectors import surveys
from tests.support.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.collect import tally as module
from hushpoll_server.collect.tally import TOTAL, tally


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
