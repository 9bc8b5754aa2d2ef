"""The shares of all combinations of answers, with the second moments of what one report is worth for each of them.

However the questions were asked, a report has a value x for each cell of the table, and E[x] is 1 for the cell that its
author is in and 0 for all others. The estimates are the means of x, and E[x xᵀ] says how they vary together:

    Cov(f̂) = (E[x xᵀ] - f̂f̂ᵀ)/n        noise = E[x xᵀ] - diag(f̂)

The noise is what the randomizing alone causes: true answers are 0 or 1, so without it E[x xᵀ] would be diag(f). The
rule here: everything is a plug-in figure of the same reports (divisor n), for respondents who are a sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.finite import score_limits
from hushpoll_server.estimate.intervals import Limits, normal_quantile
from hushpoll_server.estimate.support import Figures

# A smaller part of a mean square is that of rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class JointShares:
    """The estimated shares, with an axis for each question; `moments` has a row and a column for each cell."""

    axes: tuple[tuple[str, ...], ...]
    n: int
    shares: Figures
    moments: Figures

    def __post_init__(self) -> None:
        """Refuse figures that do not belong to one table."""
        cells = prod(map(len, self.axes))
        if self.shares.shape != tuple(map(len, self.axes)) or self.moments.shape != (cells, cells) or self.n < 1:
            raise EstimateError("the shares and their moments are not those of one table with reports: give both")

    @classmethod
    def of_covariances(
        cls, axes: tuple[tuple[str, ...], ...], n: int, shares: Figures, covariances: Figures
    ) -> JointShares:
        """Return the table of estimates with a known covariance matrix."""
        flat = shares.ravel()
        return cls(axes, n, flat.reshape(tuple(map(len, axes))), n * covariances + np.outer(flat, flat))

    @cached_property
    def covariances(self) -> Figures:
        """Return the covariance matrix of all estimates, the last axis varying fastest, never with a variance of 0."""
        plug_in = _covariances(self.shares.ravel(), self.moments, self.n)
        # Agreement within rounding is agreement.
        if (np.diag(plug_in) > _ROUNDING * np.diag(self.moments) / self.n).all():
            return plug_in
        # The plug-in claims certainty. One respondent is added, who is spread over all cells and not randomized.
        cells = self.shares.size
        shares = (self.n * self.shares.ravel() + 1 / cells) / (self.n + 1)
        return _covariances(shares, (self.n * self.moments + np.eye(cells) / cells) / (self.n + 1), self.n)

    @property
    def errors(self) -> Figures:
        """Return the standard errors."""
        return np.sqrt(np.diag(self.covariances)).reshape(self.shares.shape)

    @cached_property
    def noise(self) -> Figures:
        """Return the covariances that the randomizing causes within one report, on average."""
        return self.moments - np.diag(self.shares.ravel())

    def limits(self, level: float, method: str = "wilson") -> Limits:
        """Return the unclipped limits of all cells."""
        flat, z = self.shares.ravel(), normal_quantile(level)
        # V̄ = E[x²] - f is what the randomizing adds; the sampling part f(1 - f) depends on the share that is tested
        noise = np.maximum(0.0, np.diag(self.noise))
        score = score_limits(flat, (noise, noise), np.asarray(z * z / self.n), np.asarray(1.0))
        # At 0 and 1 there is noise alone, at a large epsilon a report or two: half a report more is allowed for.
        reach = z * np.sqrt(noise / self.n) + 0.5 / self.n
        low = np.where((score.low > 0) & (flat <= reach) & (noise > 0), 0.0, score.low)
        high = np.where((score.high < 1) & (1 - flat <= reach) & (noise > 0), 1.0, score.high)
        if method == "wald":
            half = z * self.errors.ravel()
            low, high = flat - half, flat + half
        return Limits(low.reshape(self.shares.shape), high.reshape(self.shares.shape))

    def margin(self, *kept: int) -> JointShares:
        """Return the table of some of the questions: the others are summed over."""
        return self.of_values(self._summed(kept), tuple(self.axes[axis] for axis in kept))

    def given(self, axis: int, place: int) -> JointShares:
        """Return the part of the table with one answer to a question; its shares add up to that answer's share."""
        numbers = np.arange(self.shares.size).reshape(self.shares.shape)
        cells = np.take(numbers, place, axis).ravel()
        return self.of_values(np.eye(self.shares.size)[cells], (*self.axes[:axis], *self.axes[axis + 1 :]))

    def of_values(self, weights: Figures, axes: tuple[tuple[str, ...], ...]) -> JointShares:
        """Return the table whose cells are sums of cells, by a row of weights for each."""
        shares = (weights @ self.shares.ravel()).reshape(tuple(map(len, axes)))
        return JointShares(axes, self.n, shares, weights @ self.moments @ weights.T)

    def _summed(self, kept: tuple[int, ...]) -> Figures:
        """Return, for every cell of the margin, 1 for the cells that it is the sum of."""
        shape = self.shares.shape
        places = np.indices(shape).reshape(len(shape), -1)
        sizes = tuple(shape[axis] for axis in kept)
        target = np.ravel_multi_index(tuple(places[axis] for axis in kept), sizes)
        return np.asarray(np.arange(prod(sizes))[:, np.newaxis] == target, np.float64)


def _covariances(shares: Figures, moments: Figures, n: int) -> Figures:
    return np.asarray((moments - np.outer(shares, shares)) / n)
