"""From counts to results: the one way that the dashboard, the API and the command line share."""

from __future__ import annotations

from hushpoll_server.collect.tally import TOTAL, Counts
from hushpoll_server.estimate import Result, SupportDesign, estimate_yes_no
from hushpoll_shared.designs import Design
from hushpoll_shared.manifest import Manifest

Results = dict[str, Result]


def results_of(manifest: Manifest, counts: Counts, *, level: float = 0.95, method: str | None = None) -> Results:
    """Estimate every question of a survey, in the manifest's order."""
    return {
        question.id: estimate_question(
            question.design,
            counts[question.id, "yes"],
            counts[question.id, TOTAL],
            level=level,
            method=method,
            population=manifest.population,
        )
        for question in manifest.questions
    }


def estimate_question(
    design: Design, yes: int, n: int, *, level: float = 0.95, method: str | None = None, population: int | None = None
) -> Result:
    """Estimate one yes/no question from its counts."""
    support = SupportDesign(design.p, design.q)
    return estimate_yes_no(
        yes, n, support, epsilon=float(design.epsilon), level=level, method=method, population=population
    )
