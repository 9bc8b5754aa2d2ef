"""The unrelated question when the share of yes to it is not known: two samples with different probabilities.

In sample i the sensitive question is answered with probability p_i and the unrelated one otherwise, so a report says
yes with probability λ_i = p_i f + (1 - p_i) u. Two samples with p₁ ≠ p₂ give both shares:

    f̂ = (λ̂₁(1 - p₂) - λ̂₂(1 - p₁))/(p₁ - p₂)          û = (p₁λ̂₂ - p₂λ̂₁)/(p₁ - p₂)

The rule here: nothing is assumed about u, so epsilon, which depends on it, is that at the estimate and says so.

References: B. G. Greenberg, A.-L. A. Abul-Ela, W. R. Simmons, D. G. Horvitz (1969), The unrelated question randomized
response model, JASA 64.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import SupportsIndex

import numpy as np

from hushpoll_server.estimate.classical.two_samples import (
    Sample,
    TwoSampleResult,
    TwoSamples,
    doubts,
    missing,
    read_pair,
)
from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.yes_no_designs import Probability, probability, unrelated

NAMES = ("yes", "unrelated")
# Where u is 0 or 1 the unrelated question hides nothing, and no epsilon exists.
DEPENDS = (
    "Epsilon depends on the share of yes to the unrelated question. It is given at the estimate of that share; if that "
    "share is 0 or 1 there is no finite epsilon."
)
_SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def estimate_unrelated(
    yes: Sequence[SupportsIndex],
    n: Sequence[SupportsIndex],
    p: Sequence[Probability],
    *,
    level: float = 0.95,
    method: str | None = None,
) -> TwoSampleResult:
    """Estimate both shares from the yes reports of two samples; p has the probabilities of the sensitive question."""
    check_level(level)
    exact = _read(p)
    counts, totals = read_pair(yes, n)
    samples = TwoSamples.of(counts, totals, level, method)
    if samples is None:
        cells, warnings = missing(NAMES)
        return TwoSampleResult(
            n=sum(totals),
            level=level,
            method="exact",
            epsilon=None,
            samples=_samples(counts, totals, exact, None),
            cells=cells,
            warnings=warnings,
        )
    return _estimate(samples, exact)


def _estimate(samples: TwoSamples, p: tuple[Fraction, Fraction]) -> TwoSampleResult:
    matrix = np.array([[float(each), float(1 - each)] for each in p])
    weights: Figures = np.linalg.inv(matrix)
    tidy, count = samples.most_likely(matrix, _SQUARE), int(samples.yes.sum())
    cells = tuple(
        samples.cell(name, row, 0.0, count, float(likely))
        for name, row, likely in zip(NAMES, weights, tidy, strict=True)
    )
    shown = _samples(samples.yes.tolist(), samples.n.tolist(), p, cells[1].estimate)
    epsilons = [sample.epsilon for sample in shown if sample.epsilon is not None]
    return TwoSampleResult(
        n=int(samples.n.sum()),
        level=samples.level,
        method=samples.method,
        epsilon=max(epsilons) if len(epsilons) == len(shown) else None,
        samples=shown,
        cells=cells,
        covariances=tuple(tuple(samples.covariance(one, other) for other in weights) for one in weights),
        warnings=(*doubts(cells), DEPENDS),
    )


def _samples(
    yes: Sequence[int], n: Sequence[int], p: Sequence[Fraction], prevalence: float | None
) -> tuple[Sample, ...]:
    return tuple(
        Sample(yes=count, n=total, p=float(each), epsilon=_epsilon(each, prevalence))
        for count, total, each in zip(yes, n, p, strict=True)
    )


def _epsilon(p: Fraction, prevalence: float | None) -> float | None:
    """Return the epsilon of a sample if the unrelated question has this share of yes; None if there is none."""
    if prevalence is None or not 0 < prevalence < 1 or not p:
        return None if p or prevalence is None else 0.0
    found = unrelated(p, prevalence).epsilon
    return None if found is None else float(found)


def _read(p: Sequence[Probability]) -> tuple[Fraction, Fraction]:
    if len(p) != 2:
        raise EstimateError("two samples have two probabilities of the sensitive question: give both")
    first, second = (probability(each, "p") for each in p)
    if first == second:
        raise EstimateError(
            "both samples were asked with the same probability, so the two shares cannot be told apart: give the share "
            "of yes to the unrelated question, or ask a second sample with another probability"
        )
    return first, second
