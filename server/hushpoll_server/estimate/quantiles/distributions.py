"""Quantiles of a number: of its distribution at any share, with the share at most any number; of a mean, none.

The limits are those of a distribution (numbers/cumulative.py), which hold whatever its shape is. A number t inside a
bin divides what the design cannot tell apart: the lower limit counts the bins that are surely at most t, the upper one
those that are possibly.

The rule here: a question that reports its mean has a mean and nothing else, and a warning names the cure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from hushpoll_server.estimate.estimands import DistributionEstimand
from hushpoll_server.estimate.intervals import Limits, level_of_each
from hushpoll_server.estimate.numbers.cumulative import Bounds, bounds_between, cumulative_limits
from hushpoll_server.estimate.numbers.distribution import (
    DistributionResult,
    Quantile,
    Range,
    numbers_of,
    quantile_of,
    share_at_most,
)
from hushpoll_server.estimate.numbers.means import Mean, MeanResult
from hushpoll_server.estimate.numbers.number_law import NumberLaw
from hushpoll_server.estimate.options import DEFAULT, Options
from hushpoll_server.estimate.quantiles.results import AtMost, QuantilesResult, check_numbers, check_shares

ONLY_A_MEAN = (
    "This question reports only its mean, so it has no quantiles, no shares at most a number and no standard "
    "deviation. A survey that asks with {cure} has them."
)


def quantiles_of_distribution(
    estimand: DistributionEstimand,
    *,
    shares: Sequence[float] | None = None,
    at: Sequence[float | Fraction] = (),
    options: Options = DEFAULT,
) -> QuantilesResult:
    """Return the quantiles of some shares, by default quartiles, and the shares of numbers that are at most others."""
    wanted, numbers = check_shares(shares), check_numbers(at)
    result = estimand.estimate(options)
    about = result.mean
    return QuantilesResult(
        n=about.n,
        level=about.level,
        quantiles=_quantiles(estimand, result, wanted),
        at=_at_most(estimand, about, numbers),
        mean=about.mean,
        deviation=result.deviation,
        warnings=about.warnings,
    )


def quantiles_of_mean(
    result: MeanResult, cure: str, *, shares: Sequence[float] | None = None, at: Sequence[float | Fraction] = ()
) -> QuantilesResult:
    """Return the mean alone, with a warning that names the `cure`: what the survey file must say instead."""
    return QuantilesResult(
        n=result.n,
        level=result.level,
        quantiles=tuple(Quantile(share=share) for share in check_shares(shares)),
        at=tuple(AtMost(at=float(number)) for number in check_numbers(at)),
        mean=result.mean,
        deviation=Mean(),
        warnings=(*result.warnings, ONLY_A_MEAN.format(cure=cure)),
    )


def _quantiles(
    estimand: DistributionEstimand, result: DistributionResult, wanted: Sequence[float]
) -> tuple[Quantile, ...]:
    if estimand.shares is None or result.mean.mean.estimate is None:
        return tuple(Quantile(share=share) for share in wanted)
    numbers, within = numbers_of(estimand.law, estimand.shares), Range(estimand.low, estimand.high)
    return tuple(quantile_of(share, estimand.law, numbers, result.cumulative, within) for share in wanted)


def _at_most(estimand: DistributionEstimand, mean: MeanResult, at: Sequence[float | Fraction]) -> tuple[AtMost, ...]:
    if estimand.shares is None or mean.mean.estimate is None:
        return tuple(AtMost(at=float(number)) for number in at)
    law, fitted = estimand.law, numbers_of(estimand.law, estimand.shares)
    places = {number: Range(estimand.low, estimand.high).exact_place(number) for number in at}
    inside = [number for number in dict.fromkeys(at) if 0 <= places[number] < 1]
    limits = _limits(estimand, mean, [places[number] for number in inside])
    known = {
        number: _figures(number, share_at_most(places[number], law, fitted), low, high)
        for number, low, high in zip(inside, limits.low.tolist(), limits.high.tolist(), strict=True)
    }
    return tuple(known.get(number) or _certain(number, places[number]) for number in at)


def _limits(estimand: DistributionEstimand, mean: MeanResult, places: Sequence[float]) -> Limits:
    law = estimand.law
    if not places:
        return Limits(law.edges[:0], law.edges[:0])
    surely, possibly = ([side(place) for place in places] for side in (law.surely_at_most, law.possibly_at_most))

    def bounds(law: NumberLaw, size: int) -> Bounds:
        return bounds_between(law, surely, possibly, size)

    level = level_of_each(mean.level, mean.coverage, len(places))
    return cumulative_limits(law, estimand.counts, level, mean.coverage, bounds)


def _figures(number: float | Fraction, estimate: float, low: float, high: float) -> AtMost:
    least, most = (limit if math.isfinite(limit) else None for limit in (min(low, estimate), max(high, estimate)))
    return AtMost(at=float(number), estimate=estimate, low=least, high=most, method="gaffke")


def _certain(number: float | Fraction, place: float) -> AtMost:
    share = float(place >= 1)
    return AtMost(at=float(number), estimate=share, se=0.0, low=share, high=share, method="certain")
