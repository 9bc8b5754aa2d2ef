"""The mean among those who gave a number, when others declined or it did not apply to them.

Each output of a design has two scores. T has the mean x − c for somebody whose number is x, with c the middle of the
range, and 0 for somebody without a number; G has the mean 1 for the first and 0 for the second. So the mean among those
with a number is c + E[T]/E[G], a ratio of two averages over the same reports.

The rule here: the limits enclose those t for which a test does not reject E[T − (t − c)·G] = 0. They are not clipped;
if so few gave a number that a limit does not exist, it is None and a warning says so.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import SupportsIndex

import numpy as np
from scipy import special

from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import check_epsilon, check_level, whole
from hushpoll_server.estimate.mean_limits import mixture_rejects
from hushpoll_server.estimate.means import Mean, MeanResult, choose_mean_method, read_counts
from hushpoll_server.estimate.results import Cell, Json
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import Figures, SupportDesign

TOO_FEW_NUMBERS = "Too few reports indicate a number for its mean to have an interval yet. Collect more."
_HALVINGS = 40
# Limits are searched for up to this many times the question's range away.
_FURTHEST_RANGES = 50


@dataclass(frozen=True, kw_only=True)
class MeanOfSomeResult(MeanResult):
    """The mean among those who gave a number, and the shares of the extras."""

    cells: tuple[Cell, ...] = ()

    @property
    def figures(self) -> int:
        """Return the number of extras."""
        return len(self.cells)

    def to_json(self) -> Json:
        """Return the question object of the contract, with the extras as cells."""
        return super().to_json() | {"cells": [cell.to_json() for cell in self.cells]}


@dataclass(frozen=True, eq=False)
class Scores:
    """T (`numbers`) and G (`answered`) of every output, the range, and how the shares of the extras are estimated.

    `extras` are the outputs that support each extra, `among` all outputs that are counted for them, and `support` the
    probabilities of support.
    """

    numbers: Figures
    answered: Figures
    low: float
    high: float
    support: SupportDesign
    extras: tuple[slice, ...]
    among: slice

    @property
    def centre(self) -> float:
        """Return the middle of the range."""
        return (self.low + self.high) / 2


def estimate_mean_of_some(
    counts: Sequence[SupportsIndex],
    scores: Scores,
    names: Sequence[str],
    *,
    epsilon: float,
    level: float = 0.95,
    method: str | None = None,
    coverage: str = "pointwise",
    population: SupportsIndex | None = None,
    beta: float | None = None,
) -> MeanOfSomeResult:
    """Estimate the mean among those who gave a number, and the share of each extra.

    The interval of the mean is for an infinite population; `beta` is used for the shares of the extras only.
    """
    check_level(level)
    check_epsilon(epsilon)
    histogram = np.array(read_counts(counts, len(scores.numbers)), np.float64)
    n = int(histogram.sum())
    promise, chosen = choose_mean_method(n, method, coverage)
    size = None if population is None else whole(population, "population")
    result = MeanOfSomeResult(
        n=n,
        level=level,
        method=chosen,
        coverage=promise,
        epsilon=float(epsilon),
        population=size,
        mean=Mean(),
        cells=_extras(histogram, scores, names, epsilon=epsilon, level=level, coverage=coverage, beta=beta),
    )
    return replace(result, warnings=(NO_REPORTS,)) if n == 0 else _filled(result, histogram, scores)


def _extras(
    histogram: Figures,
    scores: Scores,
    names: Sequence[str],
    *,
    epsilon: float,
    level: float,
    coverage: str,
    beta: float | None,
) -> tuple[Cell, ...]:
    among = int(histogram[scores.among].sum())
    cells = [(name, int(histogram[block].sum()), among) for name, block in zip(names, scores.extras, strict=True)]
    total = int(histogram.sum())
    shares = (
        estimate_shares([cell], scores.support, epsilon=epsilon, n=total, level=level, coverage=coverage, beta=beta)
        for cell in cells
    )
    return tuple(share.cells[0] for share in shares)


def _filled(result: MeanOfSomeResult, histogram: Figures, scores: Scores) -> MeanOfSomeResult:
    top, bottom = (float(histogram @ each) / result.n for each in (scores.numbers, scores.answered))
    if bottom <= 0:
        return replace(result, warnings=(TOO_FEW_NUMBERS,))
    offset = top / bottom
    # The delta method: Var(T̄/Ḡ) = Var(T − t·G)/(n·E[G]²) at the estimate t
    se = math.sqrt(_variance(histogram, scores, offset) / result.n) / bottom
    low, high = _limits(result, histogram, scores, offset, se)
    warnings = (TOO_FEW_NUMBERS,) if low is None or high is None else ()
    mean = Mean(estimate=scores.centre + offset, se=se, low=_moved(low, scores), high=_moved(high, scores))
    return replace(result, mean=mean, warnings=warnings)


def _moved(offset: float | None, scores: Scores) -> float | None:
    return None if offset is None else scores.centre + offset


def _variance(histogram: Figures, scores: Scores, offset: float) -> float:
    values = scores.numbers - offset * scores.answered
    n = histogram.sum()
    average = float(histogram @ values / n)
    return float(histogram @ (values - average) ** 2) / max(1.0, float(n) - 1)


def _limits(
    result: MeanOfSomeResult, histogram: Figures, scores: Scores, offset: float, se: float
) -> tuple[float | None, float | None]:
    if result.method == "wald":
        half = -float(special.ndtri((1 - result.level) / 2)) * se
        return offset - half, offset + half

    def rejected(tried: float) -> bool:
        return _rejects(result, histogram, scores, tried)

    reach = _FURTHEST_RANGES * (scores.high - scores.low)
    return _edge(rejected, offset, offset - reach), _edge(rejected, offset, offset + reach)


def _rejects(result: MeanOfSomeResult, histogram: Figures, scores: Scores, tried: float) -> bool:
    """Return whether a test rejects the mean at this offset from the middle."""
    values = scores.numbers - tried * scores.answered
    if result.method == "wilson":
        # Fieller: (T̄ − t·Ḡ)² > z²·Var(T − t·G)/n
        quantile = -float(special.stdtrit(max(1, result.n - 1), (1 - result.level) / 2))
        average = float(histogram @ values) / result.n
        return bool(average**2 > quantile**2 * _variance(histogram, scores, tried) / result.n)
    return mixture_rejects(histogram, values, 0.0, result.level)


def _edge(rejected: Callable[[float], bool], inside: float, far: float) -> float | None:
    """Return where rejection begins outward from the estimate, or None if it never does."""
    if not rejected(far):
        return None
    for _ in range(_HALVINGS):
        middle = (inside + far) / 2
        inside, far = (inside, middle) if rejected(middle) else (middle, far)
    return far
