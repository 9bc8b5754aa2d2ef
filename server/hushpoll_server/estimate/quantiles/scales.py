"""Quantiles of a scale whose points are reported as shares.

P(X ≤ t) is the sum of the shares of the points up to t, with the covariances that `combine.total` knows; where some
people gave no point it is a ratio (weighted_shares.py). Unbiased sums of shares need not rise, and can lie outside
[0, 1]. So the estimate of a quantile comes from the nearest possible shares (projection.py), and its limits from the
raw counts: the quantile is above t if P(X ≤ t) < p, and at most t otherwise.

The rule here: only one test decides on each side, that at the true quantile, because the search begins at the ends of
the scale and stops at the first point that is not excluded. So the limits hold at their level however many points there
are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from hushpoll_server.estimate.combine import total
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.numbers.deviation import root_of
from hushpoll_server.estimate.numbers.distribution import Quantile
from hushpoll_server.estimate.numbers.mean_of_some import TOO_FEW_NUMBERS
from hushpoll_server.estimate.numbers.means import Mean
from hushpoll_server.estimate.projection import simplex_projection
from hushpoll_server.estimate.quantiles.results import (
    AtMost,
    QuantilesResult,
    ScaleQuantile,
    check_numbers,
    check_shares,
)
from hushpoll_server.estimate.quantiles.weighted_shares import WeightedShares
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.support import Figures

NO_SPREAD = (
    "The reports differ less than those of any answers would, so the standard deviation has no limits: unless it is "
    "chance, this is non-compliance or tampering."
)
# Shares that add up to p but for rounding reach p.
_ROUNDING = 1e-12


def quantiles_of_scale(
    result: Result,
    points: Sequence[float],
    *,
    shares: Sequence[float] | None = None,
    at: Sequence[float | Fraction] | None = None,
) -> QuantilesResult:
    """Return the quantiles of some shares, and the shares at most some numbers: by default quartiles, and every point.

    The first cells of the result are those of the points, in increasing order. Others are answers without a point; all
    figures are of those who gave one.
    """
    wanted, scale = check_shares(shares), _Scale(result, _check_points(points, result))
    numbers = scale.points[:-1].tolist() if at is None else [float(number) for number in check_numbers(at)]
    if not result.n or (tidy := scale.tidy) is None:
        return _empty(result, wanted, numbers)
    # A number has the share of the last point that is not above it.
    cumulative = [scale.up_to(count) for count in range(scale.points.size + 1)]
    mean = scale.mean()
    deviation = scale.deviation(mean)
    return QuantilesResult(
        n=result.n,
        level=result.level,
        quantiles=tuple(_quantile(share, tidy, cumulative[1:], scale.points) for share in wanted),
        at=tuple(replace(cumulative[int((scale.points <= number).sum())], at=number) for number in numbers),
        mean=mean,
        deviation=deviation,
        warnings=(*result.warnings, *_sentences(mean, deviation)),
    )


@dataclass(frozen=True, eq=False)
class _Scale:
    """The result of a scale, and the points of its first cells."""

    result: Result
    points: Figures

    @cached_property
    def shares(self) -> WeightedShares:
        return WeightedShares(self.result)

    @cached_property
    def names(self) -> list[str]:
        return [cell.name for cell in self.result.cells]

    @cached_property
    def tidy(self) -> Figures | None:
        """Return the nearest possible shares of the points among those who gave one; None if nobody did."""
        possible = simplex_projection(self.shares.tally.share)[: self.points.size]
        exists = possible.sum() > 0 and self._answered @ self.shares.tally.share > 0
        return possible / possible.sum() if exists else None

    @cached_property
    def _answered(self) -> Figures:
        """Return which answers are points: 1 or 0."""
        return self._of_points(np.ones(self.points.size))

    def _of_points(self, figures: Figures) -> Figures:
        return np.append(figures, np.zeros(len(self.names) - self.points.size))

    def up_to(self, count: int) -> AtMost:
        """Return the share of answers that are one of the first points."""
        number = float(self.points[max(0, count - 1)])
        if count in (0, self.points.size):
            certain = float(count > 0)
            return AtMost(at=number, estimate=certain, se=0.0, low=certain, high=certain, method="certain")
        chosen = self._of_points((np.arange(self.points.size) < count).astype(np.float64))
        if self.points.size < len(self.names):
            ratio = self.shares.ratio(chosen, self._answered, self.result.level)
            return AtMost(at=number, method=self.shares.method, **vars(ratio))
        summed = total(self.result, self.names[:count])
        figures = {name: getattr(summed, name) for name in ("estimate", "low", "high", "method")}
        # Where all reports agree the plug-in standard error would be 0.
        return AtMost(at=number, se=summed.se or self.shares.error(chosen, self._answered), **figures)

    def mean(self) -> Mean:
        return self.shares.ratio(self._of_points(self.points), self._answered, self.result.level)

    def deviation(self, mean: Mean) -> Mean:
        """Return the standard deviation, from the mean square of the distance from the mean."""
        if mean.estimate is None:
            return Mean()
        squares = self._of_points((self.points - mean.estimate) ** 2)
        return root_of(self.shares.ratio(squares, self._answered, self.result.level), mean)


def _quantile(share: float, tidy: Figures, cumulative: Sequence[AtMost], points: Figures) -> Quantile:
    """Return the least point up to which the share is reached; the limits are the outermost points not excluded."""
    rising = np.cumsum(tidy)
    estimate = float(points[min(points.size - 1, int((rising < share - _ROUNDING).sum()))])
    low, high = float(points[0]), float(points[-1])
    for each, following in zip(cumulative, points[1:].tolist(), strict=False):
        if each.high is None or each.high >= share:
            break
        low = following
    for each in reversed(cumulative[:-1]):
        if each.low is None or each.low < share:
            break
        high = each.at
    return ScaleQuantile(
        share=share,
        estimate=estimate,
        low=min(low, estimate),
        high=max(high, estimate),
        interpolated=_interpolated(share, rising, cumulative, points),
    )


def _interpolated(share: float, rising: Figures, cumulative: Sequence[AtMost], points: Figures) -> Mean:
    """Return the quantile if the answers at each point are spread evenly around it."""
    gaps = np.diff(points)
    middles = (points[:-1] + points[1:]) / 2
    edges = np.concatenate(([points[0] - gaps[0] / 2], middles, [points[-1] + gaps[-1] / 2]))
    estimate = _crossing(share, edges, np.append(0.0, rising))
    inner = cumulative[:-1]
    lows = np.array([0.0, *(-np.inf if each.low is None else each.low for each in inner), 1.0])
    highs = np.array([0.0, *(np.inf if each.high is None else each.high for each in inner), 1.0])
    # Between two edges a limit of the share is between theirs: P(X ≤ x) is a mean of the two. Where limits do not rise
    # the outermost crossing counts, as for the quantile itself.
    low = _crossing(share, edges, np.maximum.accumulate(highs))
    high = _crossing(share, edges, np.minimum.accumulate(lows[::-1])[::-1])
    return Mean(estimate=estimate, low=min(low, estimate), high=max(high, estimate))


def _crossing(share: float, edges: Figures, rising: Figures) -> float:
    """Return where a line through rising shares at the edges first reaches a share."""
    for (start, end), (before, after) in zip(pairwise(edges.tolist()), pairwise(rising.tolist()), strict=True):
        if after >= share:
            # Without a limit the whole distance between two edges is possible.
            part = (share - before) / (after - before) if np.isfinite(after - before) else float(np.isfinite(after))
            return float(start + (end - start) * min(1.0, max(0.0, part)))
    return float(edges[-1])


def _sentences(mean: Mean, deviation: Mean) -> tuple[str, ...]:
    if None in (mean.low, mean.high):
        return (TOO_FEW_NUMBERS,)
    return (NO_SPREAD,) if deviation.high is None else ()


def _check_points(points: Sequence[float], result: Result) -> Figures:
    numbers = np.asarray(points, np.float64)
    if not 2 <= numbers.size <= len(result.cells):
        raise EstimateError(f"{numbers.size} points do not belong to {len(result.cells)} cells: give one for each")
    if not np.isfinite(numbers).all() or (np.diff(numbers) <= 0).any():
        raise EstimateError("the points do not increase: give them in the order of the scale, as finite numbers")
    return numbers


def _empty(result: Result, shares: Sequence[float], at: Sequence[float]) -> QuantilesResult:
    return QuantilesResult(
        n=result.n,
        level=result.level,
        quantiles=tuple(ScaleQuantile(share=share) for share in shares),
        at=tuple(AtMost(at=number) for number in at),
        mean=Mean(),
        deviation=Mean(),
        warnings=(*result.warnings, *((TOO_FEW_NUMBERS,) if result.n else ())),
    )
