"""Remembered results: what results.py gives, computed once for the same counters, one fit for all levels."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from tests.support.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server import remembered
from hushpoll_server.collect.tally import Counts, tally
from hushpoll_server.remembered import RememberedResults
from hushpoll_server.results import cross_results_of, results_of
from hushpoll_server.surveys.definition import Compiled, compile_survey

LEVELS = (0.5, 0.8, 0.95)
QUESTION = """
  - {{id: hours-{number}, text: How many hours?, type: number, min: 0, max: 40, report: distribution,
     decline: {decline}, privacy: {{epsilon: "2"}}}}"""
HEAD = """
survey: hours
title: Hours
consent: Taking part is voluntary.
cross_tables: [[cheated, helped]]
questions:
  - {id: cheated, text: Cheated?, type: yes_no, privacy: {epsilon: "1"}}
  - {id: helped, text: Helped?, type: yes_no, privacy: {epsilon: "1"}}"""


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    questions = (QUESTION.format(number=number, decline=str(number % 2 == 0).lower()) for number in range(4))
    return compile_survey(HEAD + "".join(questions), "hours.yaml")


@pytest.fixture(scope="module")
def counts(compiled: Compiled) -> Counts:
    device, source = Survey(compiled.manifest), FixedTestStream("remembered")
    hours = {f"hours-{number}": 10 * number for number in range(4)}
    answers = {"cheated": True, "helped": False, **hours}
    draws = [device.randomize(answers, source=source).answers for _ in range(40)]
    return tally(compiled.manifest, draws, compiled.crossed)


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the real computations."""
    calls: Counter[str] = Counter()

    def counted(name: str) -> None:
        real = getattr(remembered, name)

        def call(*args: Any, **options: Any) -> Any:
            calls[name] += 1
            return real(*args, **options)

        monkeypatch.setattr(remembered, name, call)

    for name in ("fit_distribution", "result_of", "cross_results_of"):
        counted(name)
    return calls


def test_figures_are_those_of_a_fresh_computation_to_the_digit(compiled: Compiled, counts: Counts) -> None:
    results = RememberedResults()
    for _ in range(2):
        for level, graded in results.graded_results_of(compiled.manifest, counts, LEVELS, beta=0.1).items():
            assert graded == results_of(compiled.manifest, counts, level=level, beta=0.1)
        tables = results.cross_results_of(compiled.manifest, counts, compiled.crossed, level=0.8)
        assert tables == cross_results_of(compiled.manifest, counts, compiled.crossed, level=0.8)


def test_a_page_of_distributions_is_fitted_once_for_all_levels_and_never_again(
    compiled: Compiled, counts: Counts, computed: Counter[str]
) -> None:
    results = RememberedResults()
    for _ in range(3):
        results.graded_results_of(compiled.manifest, counts, LEVELS)
        results.cross_results_of(compiled.manifest, counts, compiled.crossed)
    assert computed == {"fit_distribution": 4, "result_of": 6 * len(LEVELS), "cross_results_of": 1}
    results.graded_results_of(compiled.manifest, counts, [0.9], method="wald")
    assert computed["fit_distribution"] == 4


def test_one_more_report_is_seen_at_once_and_only_its_questions_are_computed_again(
    compiled: Compiled, counts: Counts, computed: Counter[str]
) -> None:
    results = RememberedResults()
    before = results.results_of(compiled.manifest, counts)
    more = counts + Counts({("cheated", "n"): 1, ("cheated", "yes"): 1})
    after = results.results_of(compiled.manifest, more)
    assert computed["result_of"] == 6 + 1
    assert after["cheated"] == results_of(compiled.manifest, more)["cheated"] != before["cheated"]
    assert after["hours-1"] is before["hours-1"]


def test_memory_stays_within_its_bound_whatever_is_asked(compiled: Compiled, counts: Counts) -> None:
    # Less than the four fits of this survey need.
    results = RememberedResults(most_bytes=300_000)
    for level in (0.5, 0.6):
        results.results_of(compiled.manifest, counts, level=level)
        assert 0 < results.memory.size <= 300_000
