"""From counts of near and far outputs to the distribution of a number, bin by bin, and to its mean.

The shares of the bins come from expectation maximisation with smoothing: stable, but biased. Their intervals come from
a parametric bootstrap: surveys are simulated from the estimate and estimated in the same way; the larger of the two
quantiles of their errors is the half-width. They hold for shapes that are smooth on the scale of the near outputs
(measured at n = 2000: .91 to .97) and not for narrow peaks, which the smoothing flattens (two peaks at epsilon .5:
.50); a warning says so. The mean comes straight from the counts and is unbiased, with each true number counted as the
middle of its bin.

The rule here: same counts, same figures (the bootstrap's seed is the counts themselves); one bootstrap gives the limits
at all levels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Self, SupportsIndex

import numpy as np

from hushpoll_server.estimate.distribution_em import NearFarModel
from hushpoll_server.estimate.means import MeanResult
from hushpoll_server.estimate.results import Json
from hushpoll_server.estimate.support import Figures

_BOOTSTRAP_REPLICATES = 200
_LEAST_SHARE = 1e-300
SMOOTHED = (
    "The distribution is smoothed: peaks narrower than the noise are flattened, and the limits of a bin do not allow "
    "for that. The mean is not smoothed."
)


@dataclass(frozen=True, kw_only=True)
class Bin:
    """The figures of one bin; all but its range are None without reports."""

    start: float
    end: float
    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def name(self) -> str:
        """Return the bin's range as text."""
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
    """The figures of a number question that reports its distribution."""

    mean: MeanResult
    bins: tuple[Bin, ...]

    def to_json(self) -> Json:
        """Return the question object of the contract."""
        return self.mean.to_json() | {"bins": [item.to_json() for item in self.bins]}

    @property
    def figures(self) -> int:
        """Return the number of bins and extras."""
        return len(self.bins) + self.mean.figures

    def with_warning(self, sentence: str) -> Self:
        """Return the same figures with one more warning."""
        return replace(self, mean=self.mean.with_warning(sentence))


@dataclass(frozen=True, eq=False)
class Fit:
    """The shares of the bins, and the errors of surveys simulated from them: limits at every level."""

    shares: Figures
    errors: Figures

    @cached_property
    def se(self) -> Figures:
        """Return the standard error of each share."""
        return np.asarray(self.errors.std(axis=0, ddof=1))

    def half_width(self, level: float) -> Figures:
        """Return the distance of each bin's limits from its share."""
        tail = (1 - level) / 2
        # The longer tail of the errors: the smoothing's bias can be on either side.
        return np.asarray(np.abs(np.quantile(self.errors, [tail, 1 - tail], axis=0)).max(axis=0))


def fit_distribution(counts: Sequence[SupportsIndex], model: NearFarModel) -> Fit | None:
    """Fit the shares of the bins to the counts of all outputs, in their order; at least one of them is not 0.

    With extras, whose outputs come last, the shares are those among the people who gave a number: None if nobody did.
    """
    histogram = np.array([int(count) for count in counts], np.int64)
    shares = model.smoothed_likelihood(histogram[np.newaxis].astype(np.float64))
    if not shares[0, : model.bins].any():
        return None
    chances = model.chances(shares)[0]
    random = np.random.default_rng(histogram.tolist())
    drawn = random.multinomial(int(histogram.sum()), chances / chances.sum(), size=_BOOTSTRAP_REPLICATES)
    replicates = model.smoothed_likelihood(drawn.astype(np.float64))
    [estimate], replicated = (_among_numbers(each, model) for each in (shares, replicates))
    return Fit(estimate, replicated - estimate)


def estimate_distribution(
    fit: Fit | None, mean: MeanResult, bins: int, low: Fraction, high: Fraction
) -> DistributionResult:
    """Combine the shares of the bins, from a fit if there is one, with the mean from the same counts."""
    edges = [float(low + (high - low) * Fraction(place, bins)) for place in range(bins + 1)]
    ranges = list(pairwise(edges))
    if fit is None:
        return DistributionResult(mean=mean, bins=tuple(Bin(start=start, end=end) for start, end in ranges))
    half = fit.half_width(mean.level)
    figures = np.column_stack((fit.shares, fit.se, fit.shares - half, fit.shares + half))
    filled = (
        Bin(start=start, end=end, estimate=share, se=se, low=least, high=most)
        for (start, end), (share, se, least, most) in zip(ranges, figures.tolist(), strict=True)
    )
    return DistributionResult(mean=replace(mean, warnings=(*mean.warnings, SMOOTHED)), bins=tuple(filled))


def _among_numbers(shares: Figures, model: NearFarModel) -> Figures:
    numbers = shares[:, : model.bins]
    # In a simulated survey where nobody gives a number every share is 0, and the error is the whole share.
    return np.asarray(numbers / np.maximum(numbers.sum(axis=1, keepdims=True), _LEAST_SHARE))
