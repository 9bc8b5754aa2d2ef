"""From the counters of a survey to its results: the one path that the dashboard, the API and the command line share.

A mechanism says what its counters estimate; the estimators of `estimate` do the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.counting.crossed import Crossed
from hushpoll_server.counting.tally import NO_COUNTERS, SurveyCounts, joint_name
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.estimands import Estimand, QuestionResult, SharesEstimand
from hushpoll_server.estimate.joint import OneDecides
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.tables.cross_results import CrossResult, estimate_cross
from hushpoll_server.estimate.tables.cross_separate import CrossCounts, CrossedQuestion
from hushpoll_server.mechanisms import mechanism_of
from hushpoll_server.mechanisms.mechanism import Counters
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Question

Results = dict[str, QuestionResult]

MORE_THAN_THE_POPULATION = (
    "There are more reports than people in the declared population: some people answered more than once, or people "
    "outside it did. The interval is for an infinite population."
)


def results_of(manifest: Manifest, counts: SurveyCounts, options: Options = DEFAULT) -> Results:
    """Estimate every question of a survey, in the manifest's order."""
    within = replace(options, population=manifest.population)
    return {
        question.id: result_of(estimand_of(question, counts.get(question.id, NO_COUNTERS)), within)
        for question in manifest.questions
    }


def estimand_of(question: Question, counters: Counters) -> Estimand:
    """Return what the counters of a question estimate."""
    return mechanism_of(question).estimand(counters)


def result_of(estimand: Estimand, options: Options) -> QuestionResult:
    """Estimate one question; ignore, with a warning, a population that is smaller than the number of reports."""
    if options.population is None or estimand.n <= options.population:
        return estimand.estimate(options)
    # Nobody is asked twice, so somebody outside the population answered, or somebody more than once.
    return estimand.estimate(replace(options, population=None)).with_warning(MORE_THAN_THE_POPULATION)


@dataclass(frozen=True)
class Margin:
    """One question of a cross table: what was counted, and the figures of all its answers."""

    question: CrossedQuestion
    result: Result


def cross_results_of(
    manifest: Manifest, counts: SurveyCounts, crossed: Sequence[Crossed], options: Options = DEFAULT
) -> tuple[CrossResult, ...]:
    """Estimate the cross tables of questions that were asked separately."""
    within = replace(options, population=manifest.population)
    estimate = partial(result_of, options=within)
    questions = {question.id: question for question in manifest.questions}
    margins = {
        name: margin_of(name, estimand_of(questions[name], counts.get(name, NO_COUNTERS)), estimate)
        for name in dict.fromkeys(name for pair in crossed for name in pair)
    }
    return tuple(
        cross_result_of(margins[one], margins[other], counts.get(joint_name(one, other), NO_COUNTERS), within)
        for one, other in crossed
    )


def cross_result_of(first: Margin, second: Margin, counters: Counters, options: Options) -> CrossResult:
    """Estimate the cross table of two questions that were asked separately, from their joint counters."""
    rows, columns = first.result, second.result
    both = _both(counters, len(rows.cells), len(columns.cells))
    result = estimate_cross(
        CrossCounts(first.question, second.question, both, rows.n, rows.population),
        rows,
        columns,
        level=options.level,
        method=options.method,
        coverage=options.coverage,
        beta=options.beta,
    )
    is_possible = rows.population == options.population
    return result if is_possible else replace(result, warnings=(*result.warnings, MORE_THAN_THE_POPULATION))


def margin_of(name: str, estimand: Estimand, estimate: Callable[[SharesEstimand], QuestionResult]) -> Margin:
    """Return a question of a cross table; `estimate` returns the figures of shares."""
    shares = _every_share(name, estimand)
    question, result = _crossed_question(name, shares), estimate(shares)
    assert isinstance(result, Result), "shares are estimated as shares"
    return Margin(question, result)


def _every_share(name: str, estimand: Estimand) -> SharesEstimand:
    """Return the shares of all answers to a question: a table shows them all."""
    if not isinstance(estimand, SharesEstimand):
        raise EstimateError(f"question {name} has no shares to cross: name another")
    shown = tuple(name for name, _, _ in estimand.cells)
    return estimand if estimand.shown == shown else replace(estimand, shown=shown)


def _crossed_question(name: str, shares: SharesEstimand) -> CrossedQuestion:
    if not isinstance(shares.joint, OneDecides) or not shares.joint.exclusive:
        raise EstimateError(f"the answers to question {name} do not exclude each other: name another")
    names, counted, _ = zip(*shares.cells, strict=True)
    return CrossedQuestion(name, names, shares.support, shares.joint, np.array(counted, np.int64))


def _both(counters: Counters, rows: int, columns: int) -> NDArray[np.int64]:
    """Return the number of reports that support both answers, for every pair of answers."""
    pairs = ([counters.get(joint_name(str(i), str(j)), 0) for j in range(columns)] for i in range(rows))
    return np.array(list(pairs), np.int64)
