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
from hushpoll_server.estimate.intervals import Interval, choose_method, level_of_each, normal_quantile
from hushpoll_server.estimate.numbers.gaffke import ratio_high
from hushpoll_server.estimate.numbers.mean_limits import mixture_rejects
from hushpoll_server.estimate.numbers.means import Mean, MeanResult, choose_mean_method, read_counts
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import Cell, Json, Result, ShownMethod
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import Figures, SupportDesign

TOO_FEW_NUMBERS = "Too few reports indicate a number for its mean to have an interval yet. Collect more."
_HALVINGS = 40
# Limits are searched for up to this many times the question's range away.
_FURTHEST_RANGES = 50


@dataclass(frozen=True, kw_only=True)
class MeanOfSomeResult(MeanResult):
    """The mean among those who gave a number, and the shares of the extras, whose limits have a method of their own."""

    cells: tuple[Cell, ...] = ()
    cells_method: ShownMethod

    @property
    def figures(self) -> int:
        """Return the number of extras."""
        return len(self.cells)

    def to_json(self) -> Json:
        """Return the question object of the contract, with the extras as cells."""
        return super().to_json() | {
            "cells": [cell.to_json() for cell in self.cells],
            "cells_method": self.cells_method,
        }


@dataclass(frozen=True, eq=False)
class Scores:
    """T (`numbers`) and G (`answered`) of every output, the range, and how the shares of the extras are estimated.

    `chances` has the law of the outputs for every answer, one in each row. `extras` are the outputs that support each
    extra, `among` all outputs that are counted for them, and `support` the probabilities of support.
    """

    numbers: Figures
    answered: Figures
    chances: Figures
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
    families: int = 1,
    beta: float | None = None,
) -> MeanOfSomeResult:
    """Estimate the mean among those who gave a number, and the share of each extra.

    The interval of the mean is for an infinite population; `beta` is used for the shares of the extras only. `families`
    is that of `Options`.
    """
    check_level(level)
    check_epsilon(epsilon)
    histogram = np.array(read_counts(counts, len(scores.numbers)), np.float64)
    n = int(histogram.sum())
    promise, chosen = choose_mean_method(method, coverage)
    size = None if population is None else whole(population, "population")
    figures = families * (1 + len(names))
    options = Options(level=level, method=method, coverage=promise, beta=beta, families=figures)
    extras = _extras(histogram, scores, names, options, epsilon)
    result = MeanOfSomeResult(
        n=n,
        level=level_of_each(level, promise, figures),
        method=chosen,
        coverage=promise,
        epsilon=float(epsilon),
        population=size,
        mean=Mean(),
        cells=tuple(extra.cells[0] for extra in extras),
        cells_method=extras[0].method,
    )
    filled = replace(result, warnings=(NO_REPORTS,)) if n == 0 else _filled(result, histogram, scores)
    return replace(filled, level=level)


def _extras(histogram: Figures, scores: Scores, names: Sequence[str], options: Options, epsilon: float) -> list[Result]:
    """Return the share of each extra; all have the same method, which their counts decide if it is not asked for."""
    among, total = int(histogram[scores.among].sum()), int(histogram.sum())
    counts = [int(histogram[block].sum()) for block in scores.extras]
    if options.method is None and options.coverage != "anytime":
        level = level_of_each(options.level, options.coverage, options.families)
        options = replace(options, method=choose_method(np.array(counts), among, level))
    return [
        estimate_shares([(name, count, among)], scores.support, epsilon=epsilon, n=total, **vars(options))
        for name, count in zip(names, counts, strict=True)
    ]


def _filled(result: MeanOfSomeResult, histogram: Figures, scores: Scores) -> MeanOfSomeResult:
    top, bottom = (float(histogram @ each) / result.n for each in (scores.numbers, scores.answered))
    if bottom <= 0:
        return replace(result, warnings=(TOO_FEW_NUMBERS,))
    offset = top / bottom
    # The delta method: Var(T̄/Ḡ) = Var(T − t·G)/(n·E[G]²) at the estimate t
    se = math.sqrt(_variance(histogram, scores, offset) / result.n) / bottom
    limits = _limits(result, histogram, scores, offset, se)
    low, high = (scores.centre + limit if math.isfinite(limit) else None for limit in (limits.low, limits.high))
    warnings = (TOO_FEW_NUMBERS,) if low is None or high is None else ()
    mean = Mean(estimate=scores.centre + offset, se=se, low=low, high=high)
    return replace(result, mean=mean, warnings=warnings)


def _variance(histogram: Figures, scores: Scores, offset: float) -> float:
    values = scores.numbers - offset * scores.answered
    n = histogram.sum()
    average = float(histogram @ values / n)
    return float(histogram @ (values - average) ** 2) / max(1.0, float(n) - 1)


def _limits(result: MeanOfSomeResult, histogram: Figures, scores: Scores, offset: float, se: float) -> Interval:
    """Return the limits of the offset from the middle; infinite where there is none."""
    if result.method == "wald":
        half = normal_quantile(result.level) * se
        return Interval(offset - half, offset + half)
    tested = _tested_limits(result, histogram, scores, offset)
    if result.method != "gaffke":
        return tested
    gaffke = _gaffke_limits(result, histogram, scores)
    return Interval(min(tested.low, gaffke.low), max(tested.high, gaffke.high))


def _gaffke_limits(result: MeanOfSomeResult, histogram: Figures, scores: Scores) -> Interval:
    numbers, answered, counts = (each[:, np.newaxis] for each in (scores.numbers, scores.answered, histogram))
    far, tail = _FURTHEST_RANGES * (scores.high - scores.low), (1 - result.level) / 2
    low, high = (
        ratio_high(sign * numbers, answered, counts, scores.chances, tail, far=far)[0] * sign for sign in (-1, 1)
    )
    return Interval(float(low), float(high))


def _tested_limits(result: MeanOfSomeResult, histogram: Figures, scores: Scores, offset: float) -> Interval:
    def rejected(tried: float) -> bool:
        return _rejects(result, histogram, scores, tried)

    reach = _FURTHEST_RANGES * (scores.high - scores.low)
    return Interval(edge_of_rejection(rejected, offset, -reach), edge_of_rejection(rejected, offset, reach))


def _rejects(result: MeanOfSomeResult, histogram: Figures, scores: Scores, tried: float) -> bool:
    """Return whether a test rejects the mean at this offset from the middle."""
    values = scores.numbers - tried * scores.answered
    if result.method in ("exact", "mixture"):
        return mixture_rejects(histogram, values, 0.0, result.level)
    # Fieller: (T̄ − t·Ḡ)² > z²·Var(T − t·G)/n
    quantile = -float(special.stdtrit(max(1, result.n - 1), (1 - result.level) / 2))
    average = float(histogram @ values) / result.n
    return bool(average**2 > quantile**2 * _variance(histogram, scores, tried) / result.n)


def edge_of_rejection(rejected: Callable[[float], bool], inside: float, reach: float) -> float:
    """Return where rejection begins outward from the estimate, or infinity if it does not within reach."""
    far = inside + reach
    if not rejected(far):
        return math.copysign(math.inf, reach)
    for _ in range(_HALVINGS):
        middle = (inside + far) / 2
        inside, far = (inside, middle) if rejected(middle) else (middle, far)
    return far
