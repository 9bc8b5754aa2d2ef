"""From the counts of all outputs to the distribution of a number: bins, shares below a number, quantiles, deviation.

The bins are a picture: the most plausible shares (distribution_fit.py), without limits. No limits of single bins would
be of use at the epsilons of surveys. Shares below a number and quantiles have limits that hold whatever the shape is
(cumulative.py), and the standard deviation has limits like those of the mean (deviation.py).

The rule here: same counts, same figures. All limits are at the level that is asked for, in its coverage: with
`simultaneous` a third of the error probability is for the mean and the extras, a third for the deviation, a third for
all shares below a number; with `anytime` the deviation has no limits, because none are known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Self

import numpy as np

from hushpoll_server.estimate.intervals import Limits, level_of_each
from hushpoll_server.estimate.numbers.cumulative import cumulative_limits
from hushpoll_server.estimate.numbers.deviation import deviation
from hushpoll_server.estimate.numbers.means import Mean, MeanResult
from hushpoll_server.estimate.numbers.number_law import NumberLaw
from hushpoll_server.estimate.results import Coverage, Json
from hushpoll_server.estimate.support import Figures

QUANTILES = (0.25, 0.5, 0.75)
# With `simultaneous`: the mean with the extras, the deviation, the shares below a number.
FAMILIES = 3


@dataclass(frozen=True, kw_only=True)
class Bin:
    """The share of one bin; None without reports."""

    start: float
    end: float
    estimate: float | None = None

    @property
    def name(self) -> str:
        """Return the bin's range as text."""
        return f"{self.start:g}–{self.end:g}"

    def to_json(self) -> Json:
        """Return the share by name; it has no limits."""
        limits: Json = {"se": None, "low": None, "high": None}
        return {"name": self.name, "from": self.start, "to": self.end, "estimate": self.estimate, **limits}


@dataclass(frozen=True, kw_only=True)
class Below:
    """The share of numbers below an edge; all but the edge is None without reports."""

    edge: float
    estimate: float | None = None
    low: float | None = None
    high: float | None = None

    def to_json(self) -> Json:
        """Return the figures by name, with full precision."""
        return {"below": self.edge, "estimate": self.estimate, "low": self.low, "high": self.high}


@dataclass(frozen=True, kw_only=True)
class Quantile:
    """The number below which a share of all numbers lies; its limits are edges of bins."""

    share: float
    estimate: float | None = None
    low: float | None = None
    high: float | None = None

    def to_json(self) -> Json:
        """Return the figures by name, with full precision."""
        return {"share": self.share, "estimate": self.estimate, "low": self.low, "high": self.high}


@dataclass(frozen=True, kw_only=True)
class DistributionResult:
    """The figures of a number question that reports its distribution."""

    mean: MeanResult
    deviation: Mean
    bins: tuple[Bin, ...]
    cumulative: tuple[Below, ...]
    quantiles: tuple[Quantile, ...]

    def to_json(self) -> Json:
        """Return the question object of the contract."""
        return self.mean.to_json() | {
            "sd": self.deviation.to_json(),
            "quantiles": [each.to_json() for each in self.quantiles],
            "cumulative": [each.to_json() for each in self.cumulative],
            "bins": [each.to_json() for each in self.bins],
        }

    @property
    def figures(self) -> int:
        """Return the number of bins, edges and extras."""
        return len(self.bins) + len(self.cumulative) + self.mean.figures

    def with_warning(self, sentence: str) -> Self:
        """Return the same figures with one more warning."""
        return replace(self, mean=self.mean.with_warning(sentence))


@dataclass(frozen=True)
class Range:
    """The range of a question, in its own unit."""

    low: Fraction
    high: Fraction

    def number(self, place: float) -> float:
        """Return the number at a place from 0 to 1."""
        return float(self.low + (self.high - self.low) * Fraction(place))

    def exact_place(self, number: float | Fraction) -> float:
        """Return the place of a number, without an error where it is an edge."""
        return float((Fraction(number) - self.low) / (self.high - self.low))

    def place(self, number: float | None) -> float | None:
        """Return the place of a number."""
        return None if number is None else (number - float(self.low)) / float(self.high - self.low)


def estimate_distribution(
    counts: Figures, law: NumberLaw, shares: Figures | None, mean: MeanResult, within: Range
) -> DistributionResult:
    """Combine the mean with the other figures of the same counts.

    `shares` are the fitted shares of all answers, None without reports. If too few gave a number for a mean, there are
    no other figures either.
    """
    edges = [within.number(edge) for edge in law.edges.tolist()]
    if shares is None or mean.mean.estimate is None:
        return _empty(edges, mean)
    numbers = numbers_of(law, shares)
    cumulative = _cumulative(edges, law, numbers, _limits(law, counts, mean))
    return DistributionResult(
        mean=mean,
        deviation=_deviation(counts, law, mean, within),
        bins=tuple(
            Bin(start=start, end=end, estimate=share)
            for (start, end), share in zip(pairwise(edges), numbers[: law.bins].tolist(), strict=True)
        ),
        cumulative=cumulative,
        quantiles=tuple(quantile_of(share, law, numbers, cumulative, within) for share in QUANTILES),
    )


def numbers_of(law: NumberLaw, shares: Figures) -> Figures:
    """Return the fitted shares of the bins and the point masses, among those who gave a number."""
    numbers = shares[: len(law.points)]
    return np.asarray(numbers / numbers.sum())


def _empty(edges: Sequence[float], mean: MeanResult) -> DistributionResult:
    return DistributionResult(
        mean=mean,
        deviation=Mean(),
        bins=tuple(Bin(start=start, end=end) for start, end in pairwise(edges)),
        cumulative=tuple(Below(edge=edge) for edge in edges[1:-1]),
        quantiles=tuple(Quantile(share=share) for share in QUANTILES),
    )


def _limits(law: NumberLaw, counts: Figures, mean: MeanResult) -> Limits:
    """Return the limits of the shares below all edges, at the level of each or of all together."""
    limits = cumulative_limits(
        law, counts, level_of_each(mean.level, mean.coverage, FAMILIES * (law.bins - 1)), mean.coverage
    )
    if mean.coverage != "simultaneous":
        return limits
    # Shares below a number rise with it, so that limits which hold together help each other.
    return Limits(np.maximum.accumulate(limits.low), np.minimum.accumulate(limits.high[::-1])[::-1])


def _cumulative(edges: Sequence[float], law: NumberLaw, numbers: Figures, limits: Limits) -> tuple[Below, ...]:
    estimates = [float(numbers @ (law.points < edge)) for edge in law.edges[1:-1].tolist()]
    rows = zip(edges[1:-1], estimates, limits.low.tolist(), limits.high.tolist(), strict=True)
    return tuple(
        Below(edge=edge, estimate=estimate, low=_known(min(low, estimate)), high=_known(max(high, estimate)))
        for edge, estimate, low, high in rows
    )


def _known(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None


def quantile_of(share: float, law: NumberLaw, numbers: Figures, cumulative: Sequence[Below], within: Range) -> Quantile:
    """Return a quantile; beyond its limits are the edges at which the share is rejected, without a gap from the end."""
    low, high = float(within.low), float(within.high)
    for each in cumulative:
        if each.high is None or each.high >= share:
            break
        low = each.edge
    for each in reversed(cumulative):
        if each.low is None or each.low < share:
            break
        high = each.edge
    estimate = within.number(_inverse(share, law, numbers))
    return Quantile(share=share, estimate=estimate, low=min(low, estimate), high=max(high, estimate))


def share_at_most(place: float, law: NumberLaw, numbers: Figures) -> float:
    """Return the share of the fitted distribution at or below a place; numbers are even within a bin."""
    in_bins = float(np.interp(place, law.edges, np.append(0.0, np.cumsum(numbers[: law.bins]))))
    return in_bins + float(numbers[law.bins :] @ (law.masses <= place))


def _inverse(share: float, law: NumberLaw, numbers: Figures) -> float:
    """Return the place below which a share of the fitted distribution lies; numbers are even within a bin."""
    places = np.union1d(law.edges, law.masses)
    in_bins = np.interp(places, law.edges, np.append(0.0, np.cumsum(numbers[: law.bins])))
    # At a point mass the share rises by a step.
    before, after = (
        in_bins + compare.outer(law.masses, places).T @ numbers[law.bins :] for compare in (np.less, np.less_equal)
    )
    return float(np.interp(share, np.column_stack((before, after)).ravel(), np.repeat(places, 2)))


def _deviation(counts: Figures, law: NumberLaw, mean: MeanResult, within: Range) -> Mean:
    """Return the standard deviation in the question's unit."""
    coverage: Coverage = mean.coverage
    places = Mean(**{name: within.place(getattr(mean.mean, name)) for name in ("estimate", "low", "high")})
    level = None if coverage == "anytime" else level_of_each(mean.level, coverage, FAMILIES)
    figures, width = deviation(counts, law, places, level), float(within.high - within.low)
    return Mean(**{name: None if figure is None else figure * width for name, figure in vars(figures).items()})
