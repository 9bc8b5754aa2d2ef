"""A check for cheating: respondents who say no whatever the design tells them, found by two samples.

In sample i an honest person with the attribute says yes with probability a_i, an honest one without it with b_i, and a
cheater never. With the shares π, β and γ = 1 - π - β of the three, a report says yes with probability
λ_i = a_i π + b_i β. Two samples with different odds a_i : b_i give both shares, and with them γ. Under forced response
(the truth with probability R, else yes with probability T) a = R + (1 - R)T and b = (1 - R)T; Clark and Desharnais
force a yes always, T = 1.

The rule here: cheaters are counted, not corrected for. What they would have said is not known, so the share with the
attribute lies between π and π + γ.

References: S. J. Clark, R. A. Desharnais (1998), Honest answers to embarrassing questions: detecting cheating in the
randomized response model, Psychological Methods 3, 160-168.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from scipy import special

from hushpoll_server.estimate.classical.two_samples import (
    Sample,
    TwoSampleResult,
    TwoSamples,
    doubts,
    missing,
    read_pair,
)
from hushpoll_server.estimate.errors import EstimateError, check_level
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures
from hushpoll_server.estimate.yes_no_designs import YesNoDesign

NAMES = ("honest yes", "honest no", "cheaters")
_TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
_NO_CHEATERS = _TRIANGLE[1:]


@dataclass(frozen=True, kw_only=True)
class CheatingTest:
    """The likelihood-ratio test that there are no cheaters; one-sided against more than none."""

    statistic: float
    degrees: int = 1
    p_value: float
    one_sided_p_value: float

    def to_json(self) -> Json:
        """Return the outcome by name."""
        return {"method": "likelihood_ratio", **vars(self)}


@dataclass(frozen=True, kw_only=True)
class CheatingResult(TwoSampleResult):
    """The shares of honest yes, honest no and cheaters, and the test that there are none of the last."""

    no_cheating: CheatingTest | None = None

    def to_json(self) -> Json:
        """Return the question object of the contract, with the test."""
        return super().to_json() | {"no_cheating": None if self.no_cheating is None else self.no_cheating.to_json()}


def estimate_cheating(
    yes: Sequence[SupportsIndex],
    n: Sequence[SupportsIndex],
    designs: Sequence[YesNoDesign],
    *,
    level: float = 0.95,
    method: str | None = None,
) -> CheatingResult:
    """Estimate the shares of honest yes, honest no and cheaters from the yes reports of two samples."""
    check_level(level)
    matrix = _read(designs)
    counts, totals = read_pair(yes, n)
    samples = TwoSamples.of(counts, totals, level, method)
    if samples is None:
        cells, warnings = missing(NAMES)
        return CheatingResult(
            n=sum(totals),
            level=level,
            method="exact",
            epsilon=_epsilon(designs),
            samples=_samples(counts, totals, designs),
            cells=cells,
            warnings=(*warnings, *_privacy(designs)),
        )
    return _estimate(samples, matrix, designs)


def _estimate(samples: TwoSamples, matrix: Figures, designs: Sequence[YesNoDesign]) -> CheatingResult:
    honest: Figures = np.asarray(np.linalg.inv(matrix), np.float64)
    weights: Figures = np.vstack([honest, -honest.sum(axis=0)])
    likely = samples.most_likely(matrix, _TRIANGLE)
    tidy = (*likely.tolist(), max(0.0, 1 - float(likely.sum())))
    count = int(samples.yes.sum())
    cells = tuple(
        samples.cell(name, row, constant, count, value)
        for name, row, constant, value in zip(NAMES, weights, (0.0, 0.0, 1.0), tidy, strict=True)
    )
    return CheatingResult(
        n=int(samples.n.sum()),
        level=samples.level,
        method=samples.method,
        epsilon=_epsilon(designs),
        samples=_samples(samples.yes.tolist(), samples.n.tolist(), designs),
        cells=cells,
        covariances=tuple(tuple(samples.covariance(one, other) for other in weights) for one in weights),
        no_cheating=_test(samples, matrix, cells[2].estimate or 0.0),
        warnings=(*doubts(cells), *_privacy(designs)),
    )


def _test(samples: TwoSamples, matrix: Figures, cheaters: float) -> CheatingTest:
    """Return the likelihood-ratio test of no cheating, against any rates and against more than none."""
    best = samples.best_on_edge(matrix, *_NO_CHEATERS)
    statistic = max(0.0, 2 * (samples.log_likelihood(samples.rates) - samples.log_likelihood(matrix @ best)))
    root = math.copysign(math.sqrt(statistic), cheaters)
    return CheatingTest(
        statistic=statistic,
        p_value=float(special.chdtrc(1, statistic)),
        # Cheaters are not fewer than none: the signed root has the normal law.
        one_sided_p_value=float(special.ndtr(-root)),
    )


def _samples(yes: Sequence[int], n: Sequence[int], designs: Sequence[YesNoDesign]) -> tuple[Sample, ...]:
    return tuple(
        Sample(
            yes=count,
            n=total,
            p=float(design.p),
            q=float(design.q),
            epsilon=None if design.epsilon is None else float(design.epsilon),
        )
        for count, total, design in zip(yes, n, designs, strict=True)
    )


def _epsilon(designs: Sequence[YesNoDesign]) -> float | None:
    epsilons = [design.epsilon for design in designs]
    return None if None in epsilons else max(float(each) for each in epsilons if each is not None)


def _privacy(designs: Sequence[YesNoDesign]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(warning for design in designs for warning in design.warnings))


def _read(designs: Sequence[YesNoDesign]) -> Figures:
    if len(designs) != 2:
        raise EstimateError("two samples have two designs: give both")
    first, second = designs
    if first.p * second.q == second.p * first.q:
        raise EstimateError(
            "a yes is as many times more likely with the attribute than without it in both samples, so cheaters cannot "
            "be told from the others: ask the second sample with other probabilities"
        )
    return np.array([[float(each.p), float(each.q)] for each in designs])
