"""From counts of square-wave reports to the distribution of a number, bin by bin, and to its mean.

The shares of the bins come from expectation maximisation with smoothing: steady, but biased. Their intervals come from
a parametric bootstrap: surveys are drawn anew from the estimate and estimated in the same way; the larger of the two
quantiles of their errors is the half-width. They hold for shapes that are smooth on the scale of the wave (measured at
n = 2000: .91 to .97) and not for narrow peaks, which the smoothing flattens (two peaks at epsilon .5: .50): a result
says so. The mean comes straight from the counts and is unbiased, each truth counting as the middle of its bin.

Law kept here: same counts, same figures (the bootstrap's seed is the counts themselves).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import SupportsIndex

import numpy as np

from hushpoll_server.estimate.distribution_em import smoothed_likelihood
from hushpoll_server.estimate.mean_design import MeanDesign
from hushpoll_server.estimate.means import MeanResult, estimate_mean
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures

_REPLICATES = 200
SMOOTHED = (
    "The distribution is smoothed: peaks narrower than the noise are flattened, and the limits of a bin do not allow "
    "for that. The mean is not smoothed."
)


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
    ranges = list(pairwise(edges))
    if mean.n == 0:
        return DistributionResult(mean=mean, bins=tuple(Bin(start=start, end=end) for start, end in ranges))
    estimated = partial(smoothed_likelihood, bins=bins, half=half, threshold=threshold)
    figures = _bootstrapped(np.array([int(count) for count in counts], np.float64), design.rows, level, estimated)
    filled = (
        Bin(start=start, end=end, estimate=share, se=se, low=least, high=most)
        for (start, end), (share, se, least, most) in zip(ranges, figures.tolist(), strict=True)
    )
    return DistributionResult(mean=replace(mean, warnings=(*mean.warnings, SMOOTHED)), bins=tuple(filled))


def _bootstrapped(counts: Figures, rows: Figures, level: float, estimated: Callable[[Figures], Figures]) -> Figures:
    """Return estimate, standard error, lower and upper limit, a row for each bin."""
    estimate = estimated(counts[np.newaxis])[0]
    random = np.random.default_rng(counts.astype(np.int64).tolist())
    chances = estimate @ rows
    drawn = random.multinomial(int(counts.sum()), chances / chances.sum(), size=_REPLICATES)
    replicates = estimated(drawn.astype(np.float64))
    tail = (1 - level) / 2
    # Both tails of the errors, whichever reaches further: the smoothing's bias can be on either side.
    half = np.abs(np.quantile(replicates - estimate, [tail, 1 - tail], axis=0)).max(axis=0)
    return np.column_stack((estimate, replicates.std(axis=0, ddof=1), estimate - half, estimate + half))
