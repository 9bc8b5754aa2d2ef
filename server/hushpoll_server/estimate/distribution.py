"""From counts of square-wave reports to the distribution of a number, bin by bin, and to its mean.

The shares of the bins come from expectation maximisation with smoothing: steady, but biased, so their intervals come
from a parametric bootstrap: surveys are drawn anew from the estimate, estimated in the same way, and their errors taken
off the estimate. The mean comes straight from the counts and is unbiased, each truth counting as the middle of its bin.

Law kept here: same counts, same figures (the bootstrap's seed is the counts themselves).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsIndex

import numpy as np

from hushpoll_server.estimate.distribution_em import smoothed_likelihood
from hushpoll_server.estimate.mean_design import MeanDesign
from hushpoll_server.estimate.means import MeanResult, estimate_mean
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures

_REPLICATES = 200


@dataclass(frozen=True, kw_only=True)
class Bin:
    """Hold the figures of one bin; all but its place are None without reports."""

    start: float
    end: float
    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def name(self) -> str:
        """Return the bin's range in words."""
        return f"{self.start:g}–{self.end:g}"

    def to_json(self) -> Json:
        """Return the figures by name, with full precision."""
        return {
            "name": self.name,
            "from": self.start,
            "to": self.end,
            "estimate": self.estimate,
            "se": self.se,
            "low": self.low,
            "high": self.high,
        }


@dataclass(frozen=True, kw_only=True)
class DistributionResult:
    """Hold the figures of a number question that reports its distribution."""

    mean: MeanResult
    bins: tuple[Bin, ...]

    def to_json(self) -> Json:
        """Return the question object of the contract."""
        return self.mean.to_json() | {"bins": [item.to_json() for item in self.bins]}


def estimate_distribution(
    counts: Sequence[SupportsIndex],
    *,
    bins: int,
    half: int,
    threshold: int,
    low: Fraction,
    high: Fraction,
    epsilon: float,
    level: float = 0.95,
    method: str | None = None,
    coverage: str = "pointwise",
    population: SupportsIndex | None = None,
    beta: float | None = None,
) -> DistributionResult:
    """Estimate the shares of the bins, and the mean, from the counts of all outputs, in their order."""
    design = MeanDesign.of_wave(bins, half, threshold, low, high)
    mean = estimate_mean(
        counts,
        design,
        epsilon=epsilon,
        level=level,
        method=method,
        coverage=coverage,
        population=population,
        beta=beta,
    )
    edges = [float(low + (high - low) * Fraction(place, bins)) for place in range(bins + 1)]
    ranges = list(zip(edges, edges[1:], strict=False))
    if mean.n == 0:
        return DistributionResult(mean=mean, bins=tuple(Bin(start=start, end=end) for start, end in ranges))
    figures = _bootstrapped(np.array([int(count) for count in counts], np.float64), design.rows, level)
    filled = (
        Bin(start=start, end=end, estimate=share, se=se, low=least, high=most)
        for (start, end), (share, se, least, most) in zip(ranges, figures.tolist(), strict=True)
    )
    return DistributionResult(mean=mean, bins=tuple(filled))


def _bootstrapped(counts: Figures, rows: Figures, level: float) -> Figures:
    """Return estimate, standard error, lower and upper limit, a row for each bin."""
    estimate = smoothed_likelihood(counts[np.newaxis], rows)[0]
    random = np.random.default_rng(counts.astype(np.int64).tolist())
    chances = estimate @ rows
    drawn = random.multinomial(int(counts.sum()), chances / chances.sum(), size=_REPLICATES)
    replicates = smoothed_likelihood(drawn.astype(np.float64), rows)
    errors = replicates - estimate
    tail = (1 - level) / 2
    # estimate - error, the error between its quantiles: the bias of the smoothing is in the errors and goes off too
    least, most = estimate - np.quantile(errors, 1 - tail, axis=0), estimate - np.quantile(errors, tail, axis=0)
    return np.column_stack((estimate, replicates.std(axis=0, ddof=1), least, most))
