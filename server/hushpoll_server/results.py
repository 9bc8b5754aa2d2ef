"""From counts to results: the one way that the dashboard, the API and the command line share.

Counters are kept by draw, results by answer. Each design has one function here that reads its counters and calls the
estimator that belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.bulk.projective import count_support
from hushpoll_server.collect.tally import TOTAL, Counts, Crossed, cells_of, joint_name
from hushpoll_server.estimate import (
    Apart,
    CrossResult,
    Result,
    Side,
    SupportDesign,
    estimate_cross,
    estimate_shares,
    joint_of,
)
from hushpoll_server.estimate.distribution import DistributionResult, Fit, estimate_distribution, fit_distribution
from hushpoll_server.estimate.distribution_em import SquareWave
from hushpoll_server.estimate.joint import OneDecides
from hushpoll_server.estimate.mean_design import MeanDesign
from hushpoll_server.estimate.mean_of_some import Scores, estimate_mean_of_some
from hushpoll_server.estimate.means import MeanResult, estimate_mean
from hushpoll_shared.designs import (
    Ball,
    Channel,
    Laplace,
    Padded,
    Projective,
    Repeated,
    SubsetSelection,
    Warner,
    Wave,
)
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Choice, MultiChoice, Number, Question, Scale, YesNo

QuestionResult = Result | MeanResult | DistributionResult
Results = dict[str, QuestionResult]
Counted = list[tuple[str, int, int]]
Fitting = Callable[[Sequence[int], SquareWave], Fit | None]
Supporting = SubsetSelection | Projective | Ball | Padded | Repeated

MORE_THAN_THE_POPULATION = (
    "There are more reports than people in the declared population: some were sent more than once or by others. "
    "The interval is for a population without bound."
)


def results_of(manifest: Manifest, counts: Counts, **wanted: Any) -> Results:
    """Estimate every question of a survey, in the manifest's order, with what the estimators take besides counts."""
    population = manifest.population
    return {question.id: result_of(question, counts, population, **wanted) for question in manifest.questions}


def result_of(question: Question, counts: Counts, population: int | None, **wanted: Any) -> QuestionResult:
    """Estimate one question of a survey of this population."""
    if population is None or counts[question.id, TOTAL] <= population:
        return estimate_question(question, counts, population=population, **wanted)
    # Nobody can be asked twice, so somebody answered who does not belong, or more than once.
    return _with_warning(estimate_question(question, counts, **wanted), MORE_THAN_THE_POPULATION)


def cross_results_of(
    manifest: Manifest, counts: Counts, crossed: Sequence[Crossed], **wanted: Any
) -> tuple[CrossResult, ...]:
    """Estimate the cross tables of questions that were asked apart, with what `results_of` takes besides."""
    questions = {question.id: question for question in manifest.questions}
    return tuple(
        cross_result_of(questions[one], questions[other], counts, manifest.population, **wanted)
        for one, other in crossed
    )


def estimates_to_json(
    results: Results, tables: Sequence[CrossResult] = (), warnings: Sequence[str] = ()
) -> dict[str, object]:
    """Write what the API and `hushpoll estimate --json` give; the warnings are about the survey as a whole."""
    questions = {question: result.to_json() for question, result in results.items()}
    crossed = {"cross_tables": [table.to_json() for table in tables]} if tables else {}
    return {"questions": questions, **crossed, **({"warnings": list(warnings)} if warnings else {})}


def cross_result_of(
    first: Question, second: Question, counts: Counts, population: int | None, **wanted: Any
) -> CrossResult:
    """Estimate the cross table of two questions that were asked apart."""
    n = counts[first.id, TOTAL]
    known = population if population is None or n <= population else None
    sides = _side(first, counts), _side(second, counts)
    table = Apart(*sides, _both(first, second, counts), n, known)
    rows, columns = (
        estimate_shares(
            [(cell, count, n) for cell, count in zip(side.cells, side.counts.tolist(), strict=True)],
            side.design,
            epsilon=float(question.design.epsilon),
            joint=side.joint,
            population=known,
            **wanted,
        )
        for side, question in zip(sides, (first, second), strict=True)
    )
    result = estimate_cross(table, rows, columns, **wanted)
    return result if known == population else replace(result, warnings=(*result.warnings, MORE_THAN_THE_POPULATION))


def _side(question: Question, counts: Counts) -> Side:
    design, kind = question.design, question.kind
    assert isinstance(design, SubsetSelection | Repeated)
    assert isinstance(kind, Choice)
    joint, found = joint_of(design), np.array([counts[question.id, cell] for cell in cells_of(design)], np.int64)
    assert isinstance(joint, OneDecides)
    if isinstance(design, Warner):
        # Whoever is not reported as yes is reported as no.
        found = np.append(counts[question.id, TOTAL] - found, found)
    return Side(question.id, kind.cells, SupportDesign(design.p, design.q), joint, found)


def _both(first: Question, second: Question, counts: Counts) -> NDArray[np.int64]:
    """Give the reports that support both of two answers, for every pair of answers."""
    name, rows, columns = joint_name(first.id, second.id), cells_of(first.design), cells_of(second.design)
    found = np.array([[counts[name, joint_name(row, column)] for column in columns] for row in rows], np.int64)
    if isinstance(first.design, Warner):
        found = np.vstack(([counts[second.id, column] for column in columns] - found, found))
    if isinstance(second.design, Warner):
        found = np.hstack((_side(first, counts).counts[:, np.newaxis] - found, found))
    return found


def estimate_question(
    question: Question, counts: Counts, *, fit: Fitting = fit_distribution, **wanted: Any
) -> QuestionResult:
    """Estimate one question from its counters; the fit of a distribution is the same for all that may be wanted."""
    design, kind = question.design, question.kind
    if isinstance(design, Wave):
        return _estimate_distribution(question, design, counts, fit, wanted)
    if isinstance(design, Channel | Laplace):
        return _estimate_mean(question, design, counts, wanted)
    assert isinstance(design, Supporting)
    if isinstance(kind, MultiChoice):
        cells = _option_cells(question.id, kind, design, counts)
        return estimate_cells(design, cells, n=counts[question.id, TOTAL], **wanted)
    assert isinstance(kind, Choice)
    return estimate_cells(design, _category_cells(question.id, kind, design, counts), **wanted)


def estimate_cells(design: Supporting, cells: Counted, **wanted: Any) -> Result:
    """Estimate the shares of categories from the counts of reports that support them."""
    support, epsilon = SupportDesign(design.p, design.q), float(design.epsilon)
    return estimate_shares(cells, support, epsilon=epsilon, joint=joint_of(design), **wanted)


def _estimate_mean(question: Question, design: Channel | Laplace, counts: Counts, wanted: dict[str, Any]) -> MeanResult:
    low, high = _range(question)
    epsilon = float(design.epsilon)
    if isinstance(design, Laplace):
        noise = MeanDesign.of_laplace(design.steps, design.reach, design.threshold, low, high)
        return estimate_mean(_histogram(question.id, design.outputs, counts), noise, epsilon=epsilon, **wanted)
    found = _histogram(question.id, len(design.values), counts)
    if design.extras:
        scores = Scores.of_channel(design.values, design.unit, design.weights, design.extras, low, high)
        return estimate_mean_of_some(found, scores, _extras(question), epsilon=epsilon, **wanted)
    values = [value for value in design.values if value is not None]
    table = MeanDesign.of_channel(values, design.unit, design.weights, low, high)
    return estimate_mean(found, table, epsilon=epsilon, **wanted)


def _estimate_distribution(
    question: Question, design: Wave, counts: Counts, fit: Fitting, wanted: dict[str, Any]
) -> DistributionResult:
    low, high = _range(question)
    bins, half, extras, threshold = design.bins, design.half, design.extras, design.threshold
    found, epsilon = _histogram(question.id, design.outputs, counts), float(design.epsilon)
    if extras:
        scores = Scores.of_wave(bins, half, extras, threshold, low, high)
        mean: MeanResult = estimate_mean_of_some(found, scores, _extras(question), epsilon=epsilon, **wanted)
    else:
        mean = estimate_mean(found, MeanDesign.of_wave(bins, half, threshold, low, high), epsilon=epsilon, **wanted)
    wave = SquareWave(bins=bins, half=half, extras=extras, threshold=threshold)
    return estimate_distribution(fit(found, wave) if mean.n else None, mean, bins, low, high)


def _extras(question: Question) -> tuple[str, ...]:
    assert isinstance(question.kind, Number | Scale)
    return question.kind.extras


def _range(question: Question) -> tuple[Fraction, Fraction]:
    kind = question.kind
    if isinstance(kind, Number):
        return kind.low, kind.high
    assert isinstance(kind, Scale)
    return Fraction(kind.min), Fraction(kind.max)


def _with_warning(result: QuestionResult, sentence: str) -> QuestionResult:
    if isinstance(result, DistributionResult):
        mean = replace(result.mean, warnings=(*result.mean.warnings, sentence))
        return replace(result, mean=mean)
    return replace(result, warnings=(*result.warnings, sentence))


def _histogram(name: str, outputs: int, counts: Counts) -> list[int]:
    """Give the counts of all outputs, whose counters are named in hexadecimal."""
    found = [0] * outputs
    for (question, cell), count in counts.items():
        if question == name and cell != TOTAL:
            found[int(cell, 16)] = count
    return found


def _category_cells(name: str, kind: Choice, design: Supporting, counts: Counts) -> Counted:
    n = counts[name, TOTAL]
    if isinstance(design, Warner):
        return [("yes", counts[name, "yes"], n)]
    supported = _points(name, design, counts) if isinstance(design, Projective) else _indices(name, kind, counts)
    cells = [(cell, count, n) for cell, count in zip(kind.cells, supported, strict=True)]
    # Of yes and no alone, one says everything.
    return cells[1:] if isinstance(kind, YesNo) and len(cells) == 2 else cells


def _indices(name: str, kind: Choice, counts: Counts) -> list[int]:
    return [counts[name, str(code)] for code in range(len(kind.cells))]


def _points(name: str, design: Projective, counts: Counts) -> list[int]:
    """Count the reports that support each category, from the counts of the reported points."""
    reported = np.array(_histogram(name, design.points, counts), np.int64)
    found = count_support(reported, size=design.size, field=design.field, dimension=design.dimension)
    return [int(count) for count in found]


def _option_cells(name: str, kind: MultiChoice, design: Supporting, counts: Counts) -> Counted:
    asked = "{}?" if isinstance(design, Ball) else TOTAL
    return [
        (cell, counts[name, str(option)], counts[name, asked.format(option)]) for option, cell in enumerate(kind.cells)
    ]
