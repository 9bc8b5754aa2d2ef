"""From counts of randomized reports to the mean of a number, with its interval.

The target is the population the respondents were drawn from. The rule here: the estimate is unbiased, and neither it
nor its interval is clipped to the question's range; a warning says where they are impossible.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, SupportsIndex

import numpy as np

from hushpoll_server.estimate.diagnosis import NO_REPORTS
from hushpoll_server.estimate.errors import EstimateError, check_epsilon, check_level, check_population, whole
from hushpoll_server.estimate.intervals import Interval, check_method, level_of_each
from hushpoll_server.estimate.manipulation import Band, check_beta
from hushpoll_server.estimate.numbers.mean_design import MeanDesign
from hushpoll_server.estimate.numbers.mean_limits import (
    CountedOutputs,
    cautious_limits,
    exact_limits,
    mixture_limits,
    score_limits,
    wald_limits,
)
from hushpoll_server.estimate.results import Coverage, Json, ShownMethod
from hushpoll_server.estimate.shares import check_coverage

_LIMITS = {
    "gaffke": cautious_limits,
    "wilson": score_limits,
    "exact": exact_limits,
    "wald": wald_limits,
    "mixture": mixture_limits,
}


@dataclass(frozen=True, kw_only=True)
class Mean:
    """The figures of a mean; all are None without reports."""

    estimate: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None

    def to_json(self) -> Json:
        """Return the figures by the names of the contract, with full precision."""
        return {"estimate": self.estimate, "se": self.se, "low": self.low, "high": self.high}


@dataclass(frozen=True, kw_only=True)
class MeanResult:
    """The figures of a number question that reports its mean."""

    n: int
    level: float
    method: ShownMethod
    coverage: Coverage
    epsilon: float
    population: int | None
    mean: Mean
    price_of_privacy: float | None = None
    band: Band | None = None
    warnings: tuple[str, ...] = ()

    def to_json(self) -> Json:
        """Return the question object of the contract."""
        band: Json = {} if self.band is None else {"band": self.band.to_json()}
        return {
            "n": self.n,
            "level": self.level,
            "method": self.method,
            "coverage": self.coverage,
            "epsilon": self.epsilon,
            "population": self.population,
            "mean": self.mean.to_json(),
            "price_of_privacy": self.price_of_privacy,
            **band,
            "warnings": list(self.warnings),
        }

    @property
    def figures(self) -> int:
        """Return the number of figures beside the mean."""
        return 0

    def with_warning(self, sentence: str) -> Self:
        """Return the same figures with one more warning."""
        return replace(self, warnings=(*self.warnings, sentence))


def estimate_mean(
    counts: Sequence[SupportsIndex],
    design: MeanDesign,
    *,
    epsilon: float,
    level: float = 0.95,
    method: str | None = None,
    coverage: str = "pointwise",
    population: SupportsIndex | None = None,
    families: int = 1,
    beta: float | None = None,
) -> MeanResult:
    """Estimate the mean from the counts of all outputs, in their order.

    Without a population the respondents are a sample of an infinite one; with population = n they are a census.
    `families` is that of `Options`. Without reports every figure is None and a warning says so.
    """
    check_level(level)
    check_epsilon(epsilon)
    histogram = read_counts(counts, len(design.values))
    n = sum(histogram)
    size = None if population is None else whole(population, "population")
    check_population(size, n)
    promise, chosen = choose_mean_method(method, coverage)
    empty = MeanResult(
        n=n, level=level, method=chosen, coverage=promise, epsilon=float(epsilon), population=size, mean=Mean()
    )
    if n == 0:
        return replace(empty, warnings=(NO_REPORTS,))
    sample = CountedOutputs(np.array(histogram, np.float64), design, 0.0 if size is None else n / size)
    return _filled(empty, sample, families, beta)


def read_counts(counts: Sequence[SupportsIndex], outputs: int) -> list[int]:
    """Return the counts as plain integers, one for each output."""
    if len(counts) != outputs:
        raise EstimateError(f"there are {len(counts)} counts for {outputs} outputs: give one for each")
    return [whole(count, "count") for count in counts]


def mean_interval(sample: CountedOutputs, level: float, method: ShownMethod) -> Interval:
    """Return the unclipped limits, from the score test where Wald's have no width."""
    if method == "wald" and sample.sample_variance == 0:
        return score_limits(sample, level)
    return _LIMITS[method](sample, level)


def choose_mean_method(method: str | None, coverage: str) -> tuple[Coverage, ShownMethod]:
    """Return what the limits promise, and the method that keeps it at every n."""
    promise = check_coverage(coverage)
    if promise != "anytime":
        return promise, "gaffke" if method is None else check_method(method)
    if method is not None:
        raise EstimateError("anytime-valid limits have a method of their own: leave the method out")
    return promise, "mixture"


def _filled(empty: MeanResult, sample: CountedOutputs, families: int, beta: float | None) -> MeanResult:
    interval = mean_interval(sample, level_of_each(empty.level, empty.coverage, families), empty.method)
    se = sample.error(sample.sample_variance)
    return replace(
        empty,
        mean=Mean(estimate=sample.average, se=se, low=interval.low, high=interval.high),
        price_of_privacy=sample.price_of_privacy(),
        band=None if beta is None else manipulation_band(sample, beta),
        warnings=tuple(sentence for sentence in _sentences(empty, sample, interval) if sentence),
    )


def manipulation_band(sample: CountedOutputs, beta: float) -> Band:
    """Return the means among the honest that are possible if a fraction beta of the reports is arbitrary."""
    check_beta(beta)
    least, most = float(sample.design.values.min()), float(sample.design.values.max())
    # ȳ = (1 - β) ȳ_honest + β y with y among the outputs, as is the average of the honest
    low, high = (sample.average - beta * most) / (1 - beta), (sample.average - beta * least) / (1 - beta)
    return Band(beta, max(low, least), min(high, most))


def _sentences(result: MeanResult, sample: CountedOutputs, interval: Interval) -> tuple[str, ...]:
    low, high = float(sample.design.points[0]), float(sample.design.points[-1])
    return (_outside(interval, low, high), _uninformative(interval, low, high, sample.n), _unused(result))


def _outside(interval: Interval, low: float, high: float) -> str:
    if interval.high >= low and interval.low <= high:
        return ""
    side = f"below {low:g}" if interval.high < low else f"above {high:g}"
    return (
        f"The whole interval lies {side}, outside the question's range, where no mean of honest answers can be: unless "
        f"it is chance, this is non-compliance or tampering."
    )


def _uninformative(interval: Interval, low: float, high: float, n: int) -> str:
    if interval.low > low or interval.high < high:
        return ""
    reports = "1 report does" if n == 1 else f"{n} reports do"
    return f"The interval covers every possible mean: {reports} not narrow it down yet. Collect more."


def _unused(result: MeanResult) -> str:
    if result.population is None or result.method not in ("exact", "mixture"):
        return ""
    return "These limits hold for a population of any size: they ignore its size and are wider than Wilson's."
