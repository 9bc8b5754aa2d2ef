"""Confidence limits for a mean of randomized reports.

- `gaffke`: Clopper and Pearson's idea for any values (gaffke.py), and nowhere inside the limits of `wilson`; used if no
  method is asked for. The first allows for rare answers that nobody has given yet, the second for noise that happened
  to be small. With a declared population the distance of Gaffke's limits from the average shrinks as the standard error
  does.
- `wald`: the average plus and minus z standard errors.
- `wilson`: the means that a score test does not reject. As with a share, the variance is at least what the hypothesis
  itself implies: the randomizer's noise is known, whatever the true numbers are. Quantiles are Student's.
- `exact`: holds at every n: the means inside two pairs of limits, each with half of the error probability. The first is
  Chernoff's: P(average ≥ a) ≤ inf_θ [max E e^(θ(y−a))]^n, the maximum over all true numbers with the mean in question.
  It lies on the upper concave hull of the rows' own E e^(θy). The true numbers need not be equal (their product is
  largest when all are) nor drawn with replacement (Hoeffding 1963, section 6), so a census is covered too. The second
  is `mixture`.
- `mixture`: holds at every look. With z in [0, 1] the report's position between the least and the greatest value, and m
  that of the mean in question, Π [z s/m + (1−z)(1−s)/(1−m)] is a fair bet for every s; mixed over s by the arcsine law
  it ever exceeds 1/α with probability at most α (Ville 1939). For two outputs it is anytime.py's Beta(½, ½) mixture.
  It does not use the rows but adapts to the variance of the true numbers, so it complements Chernoff's limits; unequal
  true numbers and draws without replacement only lower the bet's mean (the factors are monotone, the draws negatively
  associated).

The rule here: the average is always within its limits, and nothing is clipped to the question's range.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from hushpoll_server.estimate.intervals import Interval, Limits, normal_quantile
from hushpoll_server.estimate.numbers.gaffke import gaffke_limits
from hushpoll_server.estimate.numbers.mean_design import MeanDesign, upper_hull
from hushpoll_server.estimate.support import Figures

_HALVINGS = 32
# Up to this many reports every fifth bet is enough; those are as symmetric as all of them.
_MOST_REPORTS_FOR_FEWER_BETS = 10_000
# The mean's position between the least and the greatest value stays this far from both.
_LEAST_DISTANCE = 1e-12
# θ times the range of the values: neighbours differ by a factor 1.17, which widens a limit by less than 0.4 %.
_TILTS = np.geomspace(1e-5, 100, 104)
# Values of s, by the arcsine law; any values give a fair bet, and this many lose nothing up to some hundred thousand
# reports.
_NUMBER_OF_BETS = 600
_BETS = np.sin(np.pi * (np.arange(_NUMBER_OF_BETS) + 0.5) / (2 * _NUMBER_OF_BETS))[:, np.newaxis] ** 2
_FEWER_BETS = _BETS[2::5]


@dataclass(frozen=True, eq=False)
class CountedOutputs:
    """The counts of the outputs, the design, and the fraction of the population that was asked."""

    counts: Figures
    design: MeanDesign
    sampled: float

    @property
    def n(self) -> int:
        """Return the number of reports."""
        return int(self.counts.sum())

    @property
    def average(self) -> float:
        """Return the unbiased estimate of the mean."""
        return float(self.counts @ self.design.values / self.counts.sum())

    @property
    def sample_variance(self) -> float:
        """Return the sample variance of the reports' values; 0 for a single report."""
        squares = float(self.counts @ (self.design.values - self.average) ** 2)
        return squares / max(1, self.n - 1)

    @cached_property
    def likely_shares(self) -> Figures:
        """Return shares of the points that make the counts likely."""
        return self.design.likely_shares(self.counts)

    @cached_property
    def privacy(self) -> float:
        """Return the variance for each respondent that the randomizing alone causes, at likely true numbers."""
        return float(self.likely_shares @ self.design.noise)

    def price_of_privacy(self) -> float:
        """Return the fraction of the variance that the randomizing causes, at likely true numbers."""
        shares, points = self.likely_shares, self.design.points
        centre = float(shares @ points)
        # V̄ / (V̄ + (1 - n/N) Var(x)): 1 in a census
        return self.privacy / (self.privacy + (1 - self.sampled) * float(shares @ (points - centre) ** 2))

    @property
    def uncertain_part(self) -> float:
        """Return the standard error in this population as a fraction of that in an infinite one."""
        if not self.sampled:
            return 1.0
        privacy = min(1.0, self.privacy / self.sample_variance) if self.sample_variance else 1.0
        return math.sqrt(1 - self.sampled * (1 - privacy))

    def error(self, variance: float) -> float:
        """Return the standard error of the average for this variance of a report."""
        # Var = (1 - n/N) s²/n + V̄/N: the correction for the population's size does not reduce the noise.
        noise = self.sampled * self.privacy if self.sampled else 0.0
        return math.sqrt(((1 - self.sampled) * variance + noise) / self.n)


def wald_limits(sample: CountedOutputs, level: float) -> Interval:
    """Return the average plus and minus its normal margin."""
    half = normal_quantile(level) * sample.error(sample.sample_variance)
    return Interval(sample.average - half, sample.average + half)


def cautious_limits(sample: CountedOutputs, level: float) -> Interval:
    """Return Gaffke's limits or the score's, on each side those that are further away."""
    values, counts = sample.design.values[:, np.newaxis], sample.counts[:, np.newaxis]
    limits, average = gaffke_limits(values, counts, sample.design.rows, level), sample.average
    below, above = average - float(limits.low[0]), float(limits.high[0]) - average
    score, part = score_limits(sample, level), sample.uncertain_part
    return Interval(min(score.low, average - part * below), max(score.high, average + part * above))


def score_limits(sample: CountedOutputs, level: float) -> Interval:
    """Return the means that a score test with the known noise does not reject."""
    observed, average = sample.sample_variance, sample.average
    quantile = -float(special.stdtrit(max(1, sample.n - 1), (1 - level) / 2))
    noise = sample.sampled * sample.privacy if sample.sampled else 0.0

    def rejected(mean: float) -> bool:
        variance = (1 - sample.sampled) * max(observed, sample.design.least_variance(mean)) + noise
        return (average - mean) ** 2 > quantile**2 * variance / sample.n

    reach = quantile * math.sqrt((observed + float(sample.design.squares.max()) + noise) / sample.n)
    reach += abs(average - float(np.clip(average, sample.design.points[0], sample.design.points[-1])))
    return Interval(_edge(rejected, average, average - reach), _edge(rejected, average, average + reach))


def exact_limits(sample: CountedOutputs, level: float) -> Interval:
    """Return the means that neither the Chernoff tails nor the bets reject, each at half of the error probability."""
    half = (1 + level) / 2
    chernoff, bets = chernoff_limits(sample, half), mixture_limits(sample, half)
    return Interval(max(chernoff.low, bets.low), min(chernoff.high, bets.high))


def chernoff_limits(sample: CountedOutputs, level: float) -> Interval:
    """Return the means that neither Chernoff tail rejects."""
    values, points = sample.design.values, sample.design.points
    low = _chernoff_low(values, points, sample.design.rows, sample, level)
    mirrored = _chernoff_low(-values, -points[::-1], sample.design.rows[::-1], sample, level)
    return Interval(min(low, sample.average), max(-mirrored, sample.average))


def mixture_limits(sample: CountedOutputs, level: float) -> Interval:
    """Return the means against which the mixture of bets has not yet won 1/α times its stake."""
    values = sample.design.values
    least, most = float(values.min()), float(values.max())

    def rejected(mean: float) -> bool:
        return mixture_rejects(sample.counts, values, mean, level)

    return Interval(_edge(rejected, sample.average, least), _edge(rejected, sample.average, most))


def mixture_rejects(counts: Figures, values: Figures, mean: float, level: float) -> bool:
    """Return whether the mixture of bets against a mean of reported values has won 1/α times its stake."""
    least, most = float(values.min()), float(values.max())
    m = (mean - least) / (most - least)
    if not 0 < m < 1:
        return True
    seen = counts > 0
    z = (values[seen] - least) / (most - least)
    wealth = special.logsumexp(np.log(z * _BETS / m + (1 - z) * (1 - _BETS) / (1 - m)) @ counts[seen])
    return bool(wealth - math.log(_NUMBER_OF_BETS) >= -math.log1p(-level))


def mixture_limits_of_many(counts: Figures, values: Figures, level: float) -> Limits:
    """Return `mixture_limits` of many samples at once; a column of counts for each sample, a row for each value.

    With up to some thousand reports fewer bets are placed: the limits stay valid, and hardly widen.
    """
    least, most = float(values.min()), float(values.max())
    average, places = values @ counts / counts.sum(axis=0), (values - least) / (most - least)
    bets = _BETS if counts.sum(axis=0).max() > _MOST_REPORTS_FOR_FEWER_BETS else _FEWER_BETS

    def rejected(mean: Figures) -> NDArray[np.bool_]:
        m = np.clip((mean - least) / (most - least), _LEAST_DISTANCE, 1 - _LEAST_DISTANCE)
        wealth = np.zeros((len(bets), mean.size))
        for number, z in zip(counts, places, strict=True):
            wealth += number * np.log(z * bets / m + (1 - z) * (1 - bets) / (1 - m))
        return np.asarray(special.logsumexp(wealth, axis=0) - math.log(len(bets)) >= -math.log1p(-level))

    def edge(far: Figures) -> Figures:
        inside = average
        for _ in range(_HALVINGS):
            middle = (inside + far) / 2
            out = rejected(middle)
            inside, far = np.where(out, inside, middle), np.where(out, middle, far)
        return far

    return Limits(edge(np.full_like(average, least)), edge(np.full_like(average, most)))


def _edge(rejected: Callable[[float], bool], inside: float, far: float) -> float:
    """Return where rejection begins between a mean inside the limits and one further out."""
    if not rejected(far):
        return far
    for _ in range(_HALVINGS):
        middle = (inside + far) / 2
        inside, far = (inside, middle) if rejected(middle) else (middle, far)
    return far


def _chernoff_low(values: Figures, points: Figures, rows: Figures, sample: CountedOutputs, level: float) -> float:
    """Return the largest mean at which an average this high has a chance of at most α/2."""
    least, most = float(values.min()), float(values.max())
    place = (float(sample.counts @ values) / sample.n - least) / (most - least)
    raised = np.exp(_TILTS[:, np.newaxis] * (values - least) / (most - least)) @ rows.T
    limits = [least]
    for tilt, row in zip(_TILTS.tolist(), raised, strict=True):
        x, hull = upper_hull(points, row)
        # Outside the question's range the last row and the last output are mixed, to extend the limits.
        means = np.concatenate(([least], x, [most]))
        bounds = np.maximum.accumulate(np.concatenate(([1.0], hull, [math.exp(tilt)])))
        # E e^(θy) ≤ e^(θa)·(α/2)^(1/n) is rejected
        limits.append(float(np.interp(math.exp(tilt * place + math.log((1 - level) / 2) / sample.n), bounds, means)))
    return max(limits)
