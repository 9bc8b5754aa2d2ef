"""Counts become results in one way."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.support.surveys import two_questions

from hushpoll_server.collect.tally import TOTAL, Counts, tally
from hushpoll_server.results import MORE_THAN_THE_POPULATION, results_of


def counts(yes: int, n: int) -> Counts:
    return Counter(
        {(question, cell): value for question in ("cheated", "helped") for cell, value in ((TOTAL, n), ("yes", yes))}
    )


def test_every_question_is_estimated_with_its_own_design() -> None:
    results = results_of(two_questions(), counts(400, 1000))
    assert list(results) == ["cheated", "helped"]
    assert results["cheated"].cells[0].estimate == pytest.approx(0.3)
    # (0.4 − 0.2689414)/(2 · 0.7310586 − 1)
    assert results["helped"].cells[0].estimate == pytest.approx(0.2836047, abs=1e-6)


def test_a_declared_population_makes_the_interval_narrower() -> None:
    free, finite = (results_of(two_questions(population=size), counts(400, 1000)) for size in (None, 1200))
    assert (finite["cheated"].cells[0].se or 0) < (free["cheated"].cells[0].se or 0)


def test_more_reports_than_people_are_no_crash_but_a_warning() -> None:
    results = results_of(two_questions(population=999), counts(400, 1000))
    assert MORE_THAN_THE_POPULATION in results["cheated"].warnings
    assert results["cheated"].population is None
    assert results["cheated"].cells[0].se == results_of(two_questions(), counts(400, 1000))["cheated"].cells[0].se


def test_a_survey_without_reports_has_results_without_figures() -> None:
    results = results_of(two_questions(), tally(two_questions(), []))
    assert (results["cheated"].n, results["cheated"].cells[0].estimate) == (0, None)
