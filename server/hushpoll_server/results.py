"""From counts to results: the one way that the dashboard, the API and the command line share."""

from __future__ import annotations

from dataclasses import replace

from hushpoll_server.collect.tally import TOTAL, Counts
from hushpoll_server.estimate import Result, SupportDesign, estimate_yes_no
from hushpoll_shared.designs import Design
from hushpoll_shared.manifest import Manifest, Question

Results = dict[str, Result]

MORE_THAN_THE_POPULATION = (
    "There are more reports than people in the declared population: some were sent more than once or by others. "
    "The interval is for a population without bound."
)


def results_of(manifest: Manifest, counts: Counts, *, level: float = 0.95, method: str | None = None) -> Results:
    """Estimate every question of a survey, in the manifest's order."""
    return {
        question.id: _estimate(question, counts, manifest.population, level=level, method=method)
        for question in manifest.questions
    }


def _estimate(
    question: Question, counts: Counts, population: int | None, *, level: float, method: str | None
) -> Result:
    yes, n = counts[question.id, "yes"], counts[question.id, TOTAL]
    if population is None or n <= population:
        return estimate_question(question.design, yes, n, level=level, method=method, population=population)
    # Nobody can be asked twice, so somebody answered who does not belong, or more than once.
    result = estimate_question(question.design, yes, n, level=level, method=method)
    return replace(result, warnings=(*result.warnings, MORE_THAN_THE_POPULATION))


def estimate_question(
    design: Design, yes: int, n: int, *, level: float = 0.95, method: str | None = None, population: int | None = None
) -> Result:
    """Estimate one yes/no question from its counts."""
    support = SupportDesign(design.p, design.q)
    return estimate_yes_no(
        yes, n, support, epsilon=float(design.epsilon), level=level, method=method, population=population
    )
