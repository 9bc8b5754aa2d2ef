"""From counts of square-wave reports to the distribution of a number, bin by bin, and to its mean.

The shares of the bins come from expectation maximisation with smoothing: steady, but biased. Their intervals come from
a parametric bootstrap: surveys are drawn anew from the estimate and estimated in the same way; the larger of the two
quantiles of their errors is the half-width. They hold for shapes that are smooth on the scale of the wave (measured at
n = 2000: .91 to .97) and not for narrow peaks, which the smoothing flattens (two peaks at epsilon .5: .50): a result
says so. The mean comes straight from the counts and is unbiased, each truth counting as the middle of its bin.

Law kept here: same counts, same figures (the bootstrap's seed is the counts themselves).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from hushpoll_server.estimate.distribution_em import SquareWave
from hushpoll_server.estimate.means import MeanResult
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
    counts: Sequence[SupportsIndex], mean: MeanResult, wave: SquareWave, low: Fraction, high: Fraction
) -> DistributionResult:
    """Estimate the shares of the bins from the counts of all outputs, in their order, beside the mean from them.

    With extras, whose outputs come last, the shares are those among the people who gave a number.
    """
    edges = [float(low + (high - low) * Fraction(place, wave.bins)) for place in range(wave.bins + 1)]
    ranges = list(pairwise(edges))
    if mean.n == 0:
        return DistributionResult(mean=mean, bins=tuple(Bin(start=start, end=end) for start, end in ranges))
    figures = _bootstrapped(np.array([int(count) for count in counts], np.float64), wave, mean.level)
    filled = (
        Bin(start=start, end=end, estimate=share, se=se, low=least, high=most)
        for (start, end), (share, se, least, most) in zip(ranges, figures.tolist(), strict=True)
    )
    return DistributionResult(mean=replace(mean, warnings=(*mean.warnings, SMOOTHED)), bins=tuple(filled))


def _bootstrapped(counts: Figures, wave: SquareWave, level: float) -> Figures:
    """Return estimate, standard error, lower and upper limit, a row for each bin."""
    shares = wave.smoothed_likelihood(counts[np.newaxis])
    random = np.random.default_rng(counts.astype(np.int64).tolist())
    chances = wave.chances(shares)[0]
    drawn = random.multinomial(int(counts.sum()), chances / chances.sum(), size=_REPLICATES)
    [estimate], replicates = (_among_numbers(each, wave) for each in (shares, _estimated(drawn, wave)))
    tail = (1 - level) / 2
    # Both tails of the errors, whichever reaches further: the smoothing's bias can be on either side.
    half = np.abs(np.quantile(replicates - estimate, [tail, 1 - tail], axis=0)).max(axis=0)
    return np.column_stack((estimate, replicates.std(axis=0, ddof=1), estimate - half, estimate + half))


def _estimated(drawn: NDArray[np.int64], wave: SquareWave) -> Figures:
    return wave.smoothed_likelihood(drawn.astype(np.float64))


def _among_numbers(shares: Figures, wave: SquareWave) -> Figures:
    numbers = shares[:, : wave.bins]
    return np.asarray(numbers / numbers.sum(axis=1, keepdims=True))
