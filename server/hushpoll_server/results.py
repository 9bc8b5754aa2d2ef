"""From counts to results: the one way that the dashboard, the API and the command line share.

Counters are kept by draw, results by answer. Each design has one function here that reads its counters and calls the
estimator that belongs to it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hushpoll_server.bulk.projective import count_support
from hushpoll_server.collect.tally import TOTAL, Counts
from hushpoll_server.estimate import Result, SupportDesign, estimate_shares, joint_of
from hushpoll_shared.designs import Ball, Padded, Projective, Repeated, SubsetSelection, Warner
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import Choice, MultiChoice, Question, YesNo

QuestionResult = Result
Results = dict[str, QuestionResult]
Counted = list[tuple[str, int, int]]
Supporting = SubsetSelection | Projective | Ball | Padded | Repeated

MORE_THAN_THE_POPULATION = (
    "There are more reports than people in the declared population: some were sent more than once or by others. "
    "The interval is for a population without bound."
)


def results_of(
    manifest: Manifest,
    counts: Counts,
    *,
    level: float = 0.95,
    method: str | None = None,
    coverage: str = "pointwise",
    beta: float | None = None,
) -> Results:
    """Estimate every question of a survey, in the manifest's order."""
    wanted = {"level": level, "method": method, "coverage": coverage, "beta": beta}
    return {question.id: _estimate(question, counts, manifest.population, wanted) for question in manifest.questions}


def _estimate(question: Question, counts: Counts, population: int | None, wanted: dict[str, Any]) -> QuestionResult:
    if population is None or counts[question.id, TOTAL] <= population:
        return estimate_question(question, counts, population=population, **wanted)
    # Nobody can be asked twice, so somebody answered who does not belong, or more than once.
    result = estimate_question(question, counts, **wanted)
    return replace(result, warnings=(*result.warnings, MORE_THAN_THE_POPULATION))


def estimate_question(question: Question, counts: Counts, **wanted: Any) -> QuestionResult:
    """Estimate one question from its counters."""
    design, kind = question.design, question.kind
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
    reported = np.zeros(design.points, np.int64)
    for (question, cell), count in counts.items():
        if question == name and cell != TOTAL:
            reported[int(cell, 16)] = count
    found = count_support(reported, size=design.size, field=design.field, dimension=design.dimension)
    return [int(count) for count in found]


def _option_cells(name: str, kind: MultiChoice, design: Supporting, counts: Counts) -> Counted:
    asked = "{}?" if isinstance(design, Ball) else TOTAL
    return [
        (cell, counts[name, str(option)], counts[name, asked.format(option)]) for option, cell in enumerate(kind.cells)
    ]
