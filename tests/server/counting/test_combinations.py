"""Combinations of draws: every report is in one, and the counters of a few are those of a whole tally."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from tests.samples.surveys import make_report, two_questions

from hushpoll_server.counting import combinations as combinations_module
from hushpoll_server.counting.combinations import combinations_of, joined, tally_combinations
from hushpoll_server.counting.tally import tally

MANIFEST = two_questions()
REPORTS = [make_report(MANIFEST, place % 2, int(place % 3 == 0)) for place in range(50)]


def test_parts_are_small_and_hold_every_report_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combinations_module, "REPORTS_AT_A_TIME", 7)
    parts = list(combinations_of(iter(REPORTS), MANIFEST.questions))
    assert [part.total() for part in parts] == [7] * 7 + [1]
    assert sum(parts, Counter()) == Counter((each.groups, *each.draws.values()) for each in REPORTS)


@pytest.mark.parametrize("most", [1, 3, 5, 100])
def test_joined_parts_hold_what_the_parts_held(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(combinations_module, "REPORTS_AT_A_TIME", 7)
    parts = list(joined(combinations_of(REPORTS, MANIFEST.questions), most=most))
    assert sum(part.total() for part in parts) == len(REPORTS)
    assert all(len(part) >= most for part in parts[:-1])
    assert list(joined([], most=most)) == []


def test_the_counters_of_one_or_two_questions_are_those_of_a_whole_tally() -> None:
    names = [question.id for question in MANIFEST.questions]
    every = tally(MANIFEST, [report.draws for report in REPORTS], list(combinations(names, 2)))
    [times] = combinations_of(REPORTS, MANIFEST.questions)
    assert tally_combinations(MANIFEST.questions, times) == every
    [alone] = combinations_of(REPORTS, MANIFEST.questions[:1])
    assert tally_combinations(MANIFEST.questions[:1], alone) == {names[0]: every[names[0]]}
