"""Cached results: those of analysis/results.py, computed once for the same counters, one fit for all levels."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from types import ModuleType
from typing import Any

import pytest
from tests.vectors.streams import FixedTestStream

from hushpoll_client.survey import Survey
from hushpoll_server.analysis.results import cross_results_of, results_of
from hushpoll_server.compile.definition import Compiled, compile_survey
from hushpoll_server.counting.tally import SurveyCounts, add_counts, tally
from hushpoll_server.estimate import estimands
from hushpoll_server.estimate.options import Options
from hushpoll_server.results import cached
from hushpoll_server.results.cached import CachedResults

LEVELS, DEFAULT = (0.5, 0.8, 0.95), Options()
QUESTION = """
  - {{id: hours-{number}, text: How many hours?, type: number, min: 0, max: 40, report: distribution,
     decline: {decline}, privacy: {{epsilon: "2"}}}}"""
CHOICES = """
survey: choices
title: Choices
consent: Taking part is voluntary.
cross_tables: [[a, b], [a, c], [b, c]]
questions:""" + "".join(
    f"""
  - {{id: {name}, text: Which?, type: single_choice, options: [one, two, three], privacy: {{epsilon: "1"}}}}"""
    for name in "abc"
)
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
def counts(compiled: Compiled) -> SurveyCounts:
    device, source = Survey(compiled.manifest), FixedTestStream("remembered")
    hours = {f"hours-{number}": 10 * number for number in range(4)}
    answers = {"cheated": True, "helped": False, **hours}
    draws = [device.randomize(answers, source=source).draws for _ in range(40)]
    return tally(compiled.manifest, draws, compiled.crossed)


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the real computations."""
    calls: Counter[str] = Counter()

    def counted(module: ModuleType, name: str) -> None:
        real = getattr(module, name)

        def call(*args: Any, **options: Any) -> Any:
            calls[name] += 1
            return real(*args, **options)

        monkeypatch.setattr(module, name, call)

    counted(estimands, "fit_shares")
    counted(estimands, "estimate_shares")
    for name in ("estimand_of", "result_of", "cross_result_of"):
        counted(cached, name)
    return calls


def test_figures_are_those_of_a_fresh_computation_to_the_digit(compiled: Compiled, counts: SurveyCounts) -> None:
    results, asked = CachedResults(), Options(level=0.8)
    for _ in range(2):
        for level, graded in results.graded_results_of(compiled.manifest, counts, LEVELS, Options(beta=0.1)).items():
            assert graded == results_of(compiled.manifest, counts, Options(level=level, beta=0.1))
        tables = results.cross_results_of(compiled.manifest, counts, compiled.crossed, asked)
        assert tables == cross_results_of(compiled.manifest, counts, compiled.crossed, asked)


def test_a_page_of_distributions_is_fitted_once_for_all_levels_and_never_again(
    compiled: Compiled, counts: SurveyCounts, computed: Counter[str]
) -> None:
    results = CachedResults()
    for _ in range(3):
        results.graded_results_of(compiled.manifest, counts, LEVELS, DEFAULT)
        results.cross_results_of(compiled.manifest, counts, compiled.crossed, DEFAULT)
    # A question with yes and no shows one of them; a table needs both, which is one more estimation for each.
    once = {"fit_shares": 4, "estimand_of": 6, "cross_result_of": 1}
    shares = 2 * len(LEVELS) + 2
    assert computed == {**once, "result_of": 6 * len(LEVELS) + 2, "estimate_shares": shares}
    results.graded_results_of(compiled.manifest, counts, [0.9], Options(method="wald"))
    assert computed == {**once, "result_of": 6 * (len(LEVELS) + 1) + 2, "estimate_shares": shares + 2}


def test_cross_tables_take_their_margins_from_the_questions(computed: Counter[str]) -> None:
    """Three tables of three questions: without that, each question would be estimated three times."""
    compiled = compile_survey(CHOICES, "choices.yaml")
    device, source = Survey(compiled.manifest), FixedTestStream("choices")
    answers = dict.fromkeys("abc", "one")
    reports = [device.randomize(answers, source=source).draws for _ in range(40)]
    counts = tally(compiled.manifest, reports, compiled.crossed)
    fresh = cross_results_of(compiled.manifest, counts, compiled.crossed)
    computed.clear()
    results = CachedResults()
    questions = results.results_of(compiled.manifest, counts, DEFAULT)
    tables = results.cross_results_of(compiled.manifest, counts, compiled.crossed, DEFAULT)
    assert tables == fresh
    assert all(table.rows is questions[table.names[0]] for table in tables)
    assert computed == {"estimand_of": 3, "result_of": 3, "estimate_shares": 3, "cross_result_of": 3}


def test_one_more_report_is_seen_at_once_and_only_its_questions_are_computed_again(
    compiled: Compiled, counts: SurveyCounts, computed: Counter[str]
) -> None:
    results = CachedResults()
    before = results.results_of(compiled.manifest, counts, DEFAULT)
    more = deepcopy(counts)
    add_counts(more, {"cheated": Counter({"n": 1, "1": 1})})
    after = results.results_of(compiled.manifest, more, DEFAULT)
    assert computed["result_of"] == 6 + 1
    assert after["cheated"] == results_of(compiled.manifest, more)["cheated"] != before["cheated"]
    assert after["hours-1"] is before["hours-1"]


def test_memory_stays_within_its_bound_whatever_is_asked(compiled: Compiled, counts: SurveyCounts) -> None:
    # Fewer bytes than the four fits of this survey need.
    results = CachedResults(most_bytes=300_000)
    for level in (0.5, 0.6):
        results.results_of(compiled.manifest, counts, Options(level=level))
        assert 0 < results.memory.size <= 300_000
