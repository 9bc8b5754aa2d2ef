"""Search for the answers that an interval covers least: by enumeration where it is possible, else by simulation.

Every function returns the coverage of nominal 95 % intervals as `hushpoll estimate` gives them, without a method that
is asked for. Twenty populations are tried: everybody alike, one answer held by all but a few, halves, slopes. They are
the hard ones; the friendly ones are among them for comparison.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from tests.mechanisms.cases import choices, places
from tests.statistics.crossed import TwoLaws
from tests.statistics.laws import Law, chances_of_outputs, law_for
from tests.statistics.shapes import kolmogorov, shapes, wasserstein

from hushpoll_server.estimate.estimands import (
    DistributionEstimand,
    MeanEstimand,
    MeanOfSomeEstimand,
    QuestionResult,
    SharesEstimand,
)
from hushpoll_server.estimate.intervals import fewest_reports
from hushpoll_server.estimate.numbers.distribution import DistributionResult
from hushpoll_server.estimate.numbers.gaffke import gaffke_limits, ratio_high
from hushpoll_server.estimate.numbers.means import Mean
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.shares import estimate_shares, share_limits
from hushpoll_server.estimate.support import SupportDesign, Tally
from hushpoll_server.estimate.tables.cross_results import cross_limits
from hushpoll_server.mechanisms import Bound, Mechanism
from hushpoll_server.mechanisms.mechanism import TOTAL
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.plan.choose import choose_mechanism
from hushpoll_shared.mechanisms import Channel, Design, Laplace, SquareWave
from hushpoll_shared.question_types import MultiChoice, Number, Scale

Figures = NDArray[np.float64]
LEVEL = 0.95
# A limit that is missed by less is met: the last digits of a float.
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Worst:
    """The least coverage that was found, and where."""

    coverage: float
    where: str

    def __str__(self) -> str:
        return f"{self.coverage:.3f} ({self.where})"


def worst_of(found: Iterator[Worst]) -> Worst:
    """Return the worst of all."""
    return min(found, key=lambda each: each.coverage)


def twenty(size: int) -> dict[str, Figures]:
    """Return twenty distributions over ordered answers, by what they are."""
    low, high, middle = np.eye(size)[0], np.eye(size)[-1], np.eye(size)[size // 2]
    few = {f"{share:.1%} at the top": (1 - share) * low + share * high for share in (0.005, 0.01, 0.02, 0.03, 0.05)}
    more = {f"{share:.0%} at the top": (1 - share) * low + share * high for share in (0.1, 0.2, 0.5)}
    mirrored = {f"{share:.0%} at the bottom": (1 - share) * high + share * low for share in (0.01, 0.03, 0.1)}
    falling = 0.6 ** np.arange(size)
    shapes = {
        "all at the bottom": low,
        "all at the top": high,
        "all in the middle": middle,
        "1% beside the middle": 0.99 * middle + 0.01 * high,
        "5% at both ends": 0.9 * middle + 0.05 * low + 0.05 * high,
        "3% far from a quarter": 0.97 * np.eye(size)[size // 4] + 0.03 * high,
        "even": np.full(size, 1 / size),
        "falling": falling / falling.sum(),
        "rising": falling[::-1] / falling.sum(),
    }
    return few | more | mirrored | shapes


# --- shares -------------------------------------------------------------------------------------------------------


def yes_no(epsilon: float, n: int, shares: int = 400) -> Worst:
    """Return the worst coverage of a yes/no question over evenly spaced shares, by enumeration."""
    p = 1 / (1 + np.exp(-epsilon))
    return enumerated(SupportDesign(p, 1 - p), epsilon, n, np.linspace(0, 1, shares + 1))


def enumerated(design: SupportDesign, epsilon: float, n: int, shares: Figures) -> Worst:
    """Return the worst coverage of one cell whose count alone decides the method."""
    counts = np.arange(n + 1)
    cells = [
        estimate_shares([("yes", int(count), n)], design, epsilon=epsilon, level=LEVEL).cells[0] for count in counts
    ]
    low, high = (np.array([getattr(cell, name) for cell in cells]) for name in ("low", "high"))
    held = (low <= shares[:, np.newaxis] + _TOLERANCE) & (shares[:, np.newaxis] - _TOLERANCE <= high)
    covered = (stats.binom.pmf(counts, n, design.rate(shares)[:, np.newaxis]) * held).sum(axis=1)
    return Worst(float(covered.min()), f"share {shares[covered.argmin()]:.3g}")


def cells(support: SupportDesign, n: int, shares: int = 400) -> Worst:
    """Return a bound on the coverage of a cell among others, by enumeration over evenly spaced shares.

    A cell with enough reports has Wilson's limits or, if another cell has too few, the exact ones: it counts as covered
    if both do.
    """
    counts, true = np.arange(n + 1), np.linspace(0, 1, shares + 1)[:, np.newaxis]
    tally = Tally(counts, n, support)
    exact, wilson = (share_limits(tally, LEVEL, method) for method in ("exact", "wilson"))
    held, also = ((each.low <= true + _TOLERANCE) & (true - _TOLERANCE <= each.high) for each in (exact, wilson))
    enough = np.minimum(counts, n - counts) >= fewest_reports(LEVEL)
    covered = (stats.binom.pmf(counts, n, support.rate(true)) * np.where(enough, held & also, held)).sum(axis=1)
    return Worst(float(covered.min()), f"share {true[covered.argmin(), 0]:.3g}")


def choice_law(size: int, epsilon: str) -> Law:
    """Return the law of the best design for a choice."""
    return law_for(choices(size), SubsetMechanism.of(Bound.of_epsilon(epsilon), size))


def ticks_law(options: int, most: int | None, epsilon: str) -> Law:
    """Return the law of the best design for ticks."""
    mechanism = choose_mechanism(MultiChoice(choices(options).options, most), Bound.of_epsilon(epsilon))
    return Law(mechanism)  # type: ignore[arg-type]


def codebook(size: int, epsilon: str, n: int, surveys: int, seed: int = 1) -> float:
    """Return how often all intervals of a codebook hold at once; everybody holds the first answer.

    The counts of the others are drawn independently, which is no friendlier than the real law: Bonferroni's bound does
    not depend on how they are related.
    """
    mechanism = choose_mechanism(choices(size), Bound.of_epsilon(epsilon))
    estimand = mechanism.estimand({})
    assert isinstance(estimand, SharesEstimand)
    shares = np.eye(size)[0]
    rates, random, held = estimand.support.rate(shares), np.random.default_rng(seed), 0
    for _ in range(surveys):
        counts = random.binomial(n, rates)
        cells = [(name, int(count), n) for name, count in zip(estimand.shown, counts, strict=True)]
        result = replace(estimand, cells=cells, reports=n).estimate(Options(coverage="simultaneous"))
        held += all(_holds(cell.low, cell.high, share) for cell, share in zip(result.cells, shares, strict=True))
    return held / surveys


# --- means --------------------------------------------------------------------------------------------------------

NUMBER, SHAPE, POINTS = Number("0", "40"), Number("0", "40", "distribution"), Scale(1, 5, report="mean")
SOME, SOME_SHAPE = (
    Number("0", "40", "mean", ("decline",)),
    Number("0", "40", "distribution", ("decline",)),
)


def mean_mechanisms(epsilon: str) -> Iterator[tuple[str, Mechanism[Design]]]:
    """Return the mechanisms that estimate a mean, by name."""
    bound = Bound.of_epsilon(epsilon)
    yield "channel", choose_mechanism(NUMBER, bound)
    yield "scale", choose_mechanism(POINTS, bound)
    yield "laplace", choose_mechanism(NUMBER, bound, mechanism="laplace")
    yield "square wave", choose_mechanism(SHAPE, bound)
    yield "channel, some declined", choose_mechanism(SOME, bound)


def worst_mean(mechanism: Mechanism[Design], n: int, surveys: int) -> Worst:
    """Return the worst coverage of the mean of a number over twenty populations.

    The worst of twenty that are simulated is low by chance alone. So a search with an eighth of the surveys is only for
    the three lowest, and these are simulated again.
    """
    lowest = sorted(means(mechanism, n, surveys // 8), key=lambda each: each.coverage)[:3]
    return worst_of(means(mechanism, n, surveys, names=[each.where for each in lowest], seed=2))


def means(
    mechanism: Mechanism[Design], n: int, surveys: int, *, names: Collection[str] | None = None, seed: int = 1
) -> Iterator[Worst]:
    """Return the coverage of the mean of a number for each of the twenty populations, or for those with these names.

    If the question can be declined, a fifth of the people do.
    """
    points, chances = numbers_law(mechanism)
    extras = len(mechanism.type.extras)
    random = np.random.default_rng(seed)
    for name, truths in twenty(len(points)).items():
        if names is None or name in names:
            shares = np.append(0.8 * truths, np.full(extras, 0.2 / extras)) if extras else truths
            rates = shares @ chances
            drawn = random.multinomial(n, rates / rates.sum(), size=surveys)
            yield Worst(1 - _missed(mechanism, drawn, float(truths @ points)) / surveys, name)


def _missed(mechanism: Mechanism[Design], drawn: NDArray[np.int64], true: float) -> int:
    """Return how many surveys miss the true mean.

    The default limits are nowhere inside Gaffke's, which are fast for many surveys at once: only where those miss, the
    estimator itself is asked.
    """
    estimand = _mean_estimand(mechanism, {})
    if isinstance(estimand, MeanOfSomeEstimand):
        # Without enough numbers there are no limits, so that they cannot miss.
        drawn = drawn[drawn @ estimand.scores.answered > 0]
    low, high = _gaffke(estimand, drawn.T.astype(np.float64))
    suspects = drawn[(low > true) | (high < true)]
    return sum(not _holds(mean.low, mean.high, true) for mean in map(partial(_mean, mechanism), suspects))


def _gaffke(estimand: MeanEstimand | MeanOfSomeEstimand, counts: Figures) -> tuple[Figures, Figures]:
    tail = (1 - LEVEL) / 2
    if isinstance(estimand, MeanEstimand):
        limits = gaffke_limits(estimand.design.values[:, np.newaxis], counts, estimand.design.rows, LEVEL)
        return limits.low, limits.high
    scores = estimand.scores
    numbers, answered, far = (
        scores.numbers[:, np.newaxis],
        scores.answered[:, np.newaxis],
        50 * (scores.high - scores.low),
    )
    low, high = (sign * ratio_high(sign * numbers, answered, counts, scores.chances, tail, far=far) for sign in (-1, 1))
    return scores.centre + low, scores.centre + high


def _mean(mechanism: Mechanism[Design], counts: NDArray[np.int64]) -> Mean:
    return _mean_estimand(mechanism, counters_of(counts)).estimate(Options(level=LEVEL)).mean


def _mean_estimand(mechanism: Mechanism[Design], counters: dict[str, int]) -> MeanEstimand | MeanOfSomeEstimand:
    estimand = mechanism.estimand(counters)
    mean = estimand.mean if isinstance(estimand, DistributionEstimand) else estimand
    assert isinstance(mean, MeanEstimand | MeanOfSomeEstimand)
    return mean


def numbers_law(mechanism: Mechanism[Design]) -> tuple[Figures, Figures]:
    """Return the numbers that people can have, and the chances of the outputs, a row for each number and extra."""
    low, high = mechanism.type.range
    match mechanism.design:
        case SquareWave(bins=bins):
            codes, middle = places(bins + 1)[:-1], Fraction(1, 2 * bins)
        case Laplace(steps=steps):
            codes, middle = places(steps + 1), Fraction(0)
        case Channel() as channel:
            codes, middle = places(channel.inputs), Fraction(0)
    numbers = np.array([float(low + (high - low) * (place + middle)) for place in codes])
    return numbers, chances_of_outputs(mechanism.design, [*codes, *range(len(mechanism.type.extras))])


def counters_of(counts: NDArray[np.int64]) -> dict[str, int]:
    """Return the counters of numbered outputs."""
    digits = len(f"{len(counts) - 1:x}")
    outputs = {f"{output:0{digits}x}": int(count) for output, count in enumerate(counts) if count}
    return outputs | {TOTAL: int(counts.sum())}


# --- cross tables -------------------------------------------------------------------------------------------------

TABLES = ((2, 2), (2, 4), (4, 5))


def tables(rows: int, columns: int) -> dict[str, Figures]:
    """Return the populations of a cross table: one pair, nearly one pair, the diagonal, all pairs alike."""
    one = np.zeros((rows, columns))
    one[0, 0] = 1
    most = np.full((rows, columns), 0.01 / (rows * columns - 1))
    most[0, 0] = 0.99
    diagonal = np.zeros((rows, columns))
    for place in range(max(rows, columns)):
        diagonal[place % rows, place % columns] += 1 / max(rows, columns)
    return {"one pair": one, "99% one pair": most, "diagonal": diagonal, "even": np.full_like(one, 1 / one.size)}


@dataclass(frozen=True)
class CrossCoverage:
    """The worst coverage of a cell, and how often at most an empty cell is called present."""

    worst: Worst
    present: float


def cross_tables(size: tuple[int, int], epsilon: str, n: int, surveys: int, seed: int = 1) -> CrossCoverage:
    """Return the coverage of the cells of a cross table of two questions asked separately."""
    two = TwoLaws(*(choice_law(each, epsilon) for each in size))
    found, present = [], 0.0
    for name, truths in tables(*size).items():
        held, called = np.zeros(size), np.zeros(size)
        for table in two.surveys(truths, n, surveys, seed):
            limits = cross_limits(table, LEVEL, "gaffke")
            held += (limits.low <= truths + _TOLERANCE) & (truths - _TOLERANCE <= limits.high)
            called += (limits.low > 0) & (truths == 0)
        found.append(Worst(float(held.min()) / surveys, name))
        present = max(present, float(called.max()) / surveys)
    return CrossCoverage(worst_of(iter(found)), present)


def _holds(low: float | None, high: float | None, true: float) -> bool:
    """Return whether the limits contain the truth; a missing limit is infinite."""
    return (low is None or low <= true + _TOLERANCE) and (high is None or true - _TOLERANCE <= high)


# --- distributions ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShapeFigures:
    """What surveys of one shape give: mean distances of the bins, and coverage of what has limits."""

    wasserstein: float
    kolmogorov: float
    below: float
    worst_below: float
    median: float
    deviation: float
    half_width: float


def distribution(shape: str, epsilon: str, n: int, surveys: int, seed: int = 1) -> ShapeFigures:
    """Return the figures of simulated surveys of a shape; half the width is that of the share below the middle."""
    mechanism = choose_mechanism(SHAPE, Bound.of_epsilon(epsilon))
    (_, chances), truth = numbers_law(mechanism), shapes()[shape]
    rates = truth @ chances
    drawn = np.random.default_rng(seed).multinomial(n, rates / rates.sum(), size=surveys)
    return _figures_of(truth, [mechanism.estimand(counters_of(counts)).estimate(Options()) for counts in drawn])


def _figures_of(truth: Figures, results: list[QuestionResult]) -> ShapeFigures:
    numbers, true = (np.arange(len(truth)) + 0.5) / len(truth), np.cumsum(truth)[:-1]
    deviation = 40 * float(np.sqrt(truth @ numbers**2 - (truth @ numbers) ** 2))
    # Numbers lie anywhere in their bins, so the median is one of those in the bin where half of all is reached.
    bin_of_median = int(np.searchsorted(np.cumsum(truth), 0.5))
    start, end = (40 * (bin_of_median + place) / len(truth) for place in (0, 1))
    distances, below, medians, deviations, widths = [], [], [], [], []
    for result in results:
        assert isinstance(result, DistributionResult)
        fitted = np.array([each.estimate for each in result.bins], float)
        distances.append((wasserstein(fitted, truth), kolmogorov(fitted, truth)))
        below.append([_holds(each.low, each.high, share) for each, share in zip(result.cumulative, true, strict=True)])
        median = result.quantiles[1]
        medians.append((median.low or 0) <= end and start <= (median.high or 40))
        deviations.append(_holds(result.deviation.low, result.deviation.high, deviation))
        middle = result.cumulative[len(true) // 2]
        widths.append(((middle.high or 1) - (middle.low or 0)) / 2)
    held = np.mean(below, axis=0)
    near, far = np.mean(distances, axis=0)
    figures = (float(np.mean(medians)), float(np.mean(deviations)), float(np.mean(widths)))
    return ShapeFigures(float(near), float(far), float(held.mean()), float(held.min()), *figures)
