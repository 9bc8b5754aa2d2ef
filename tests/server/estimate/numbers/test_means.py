"""The mean of a number: unbiased by enumeration, the right variance, honest limits at every size and every look."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from hushpoll_server.estimate.anytime import anytime_limits
from hushpoll_server.estimate.errors import EstimateError
from hushpoll_server.estimate.numbers.mean_design import MeanDesign
from hushpoll_server.estimate.numbers.mean_limits import CountedOutputs, mixture_limits
from hushpoll_server.estimate.numbers.means import MeanResult, estimate_mean, mean_interval
from hushpoll_server.mechanisms import Bound, square_wave
from hushpoll_server.mechanisms import channel as channels
from hushpoll_server.mechanisms import laplace as noise
from hushpoll_server.mechanisms.channel_table import default_inputs, solve_channel
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_shared.mechanisms import SquareWave

LOW, HIGH = Fraction(0), Fraction(40)


def channel(epsilon: str, inputs: int | None = None) -> MeanDesign:
    odds = Bound.of_epsilon(epsilon).odds
    made = solve_channel(odds, default_inputs(odds) if inputs is None else inputs)
    return channels.mean_design_of(made, LOW, HIGH)


def laplace(epsilon: str) -> MeanDesign:
    return noise.mean_design_of(LaplaceMechanism.of(Bound.of_epsilon(epsilon)), LOW, HIGH)


def sixteen_bins() -> MeanDesign:
    return square_wave.mean_design_of(SquareWave(16, 4, 0, 11 * 2**60), LOW, HIGH)


DESIGNS = {
    "channel 1": channel("1"),
    "channel 4": channel("4"),
    "laplace 1": laplace("1"),
    "square wave": sixteen_bins(),
}


def estimate(counts: list[int], design: MeanDesign, **options: object) -> MeanResult:
    return estimate_mean(counts, design, epsilon=1, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", DESIGNS)
def test_every_row_averages_to_its_point(name: str) -> None:
    design = DESIGNS[name]
    assert design.rows @ design.values == pytest.approx(design.points, abs=1e-8)
    assert design.rows.sum(axis=1) == pytest.approx(1)


def test_estimate_and_variance_are_right_by_enumeration() -> None:
    design = channel("1", 3)
    truths = np.array([0.5, 0.2, 0.3])
    chances = truths @ design.rows
    mean, square = 0.0, 0.0
    for reports in itertools.product(range(len(chances)), repeat=3):
        counts = np.bincount(reports, minlength=len(chances)).tolist()
        chance = math.prod(chances[report] for report in reports)
        result = estimate(counts, design, method="wald").mean
        assert result.estimate is not None
        assert result.se is not None
        mean += chance * result.estimate
        square += chance * result.se**2
    assert mean == pytest.approx(truths @ design.points)
    true_variance = (truths @ design.squares - (truths @ design.points) ** 2) / 3
    assert square == pytest.approx(true_variance)


@pytest.mark.parametrize("part", [1.0, 0.5])
def test_a_finite_population_corrects_the_sampling_and_not_the_randomizing(part: float) -> None:
    design, random = DESIGNS["channel 4"], np.random.default_rng(3)
    population = np.repeat([4, 12, 20], 500)
    errors, variances = [], []
    for _ in range(200):
        asked = random.permutation(population)[: int(part * 1500)]
        draws = [random.multinomial(np.sum(asked == point), design.rows[point]) for point in (4, 12, 20)]
        result = estimate(np.sum(draws, axis=0).tolist(), design, population=1500).mean
        assert result.estimate is not None
        assert result.se is not None
        errors.append(result.estimate - design.points[population].mean())
        variances.append(result.se**2)
    # Five standard deviations of the variance of 200 errors: false alarm below 1e-6, and the seed is fixed.
    assert np.mean(np.square(errors)) / np.mean(variances) == pytest.approx(1, abs=5 * math.sqrt(2 / 200))


@pytest.mark.parametrize("n", [200, 2000])
@pytest.mark.parametrize("name", ["channel 1", "channel 4", "laplace 1", "square wave"])
@pytest.mark.parametrize("shape", ["end", "middle", "even"])
def test_the_default_interval_covers_as_often_as_it_says(name: str, n: int, shape: str) -> None:
    design = DESIGNS[name]
    k = len(design.points)
    truths = {"end": np.eye(k)[-1], "middle": np.eye(k)[k // 2], "even": np.full(k, 1 / k)}[shape]
    held = coverage(design, truths, n, "wilson", surveys=400)
    # Four and a half standard deviations of a count of 400: false alarm below 1e-5, and the seed is fixed.
    assert held > 0.95 - 4.5 * math.sqrt(0.95 * 0.05 / 400)


@pytest.mark.parametrize("name", ["channel 1", "channel 4", "laplace 1"])
def test_the_exact_interval_covers_even_few_reports(name: str) -> None:
    design = DESIGNS[name]
    assert coverage(design, np.eye(len(design.points))[-1], 12, "exact", surveys=20) >= 0.95


def test_exact_limits_are_not_much_wider_than_the_score() -> None:
    counts = np.random.default_rng(2).multinomial(1000, DESIGNS["channel 1"].rows[3]).astype(float)
    sample = CountedOutputs(counts, DESIGNS["channel 1"], 0.0)
    exact, score = mean_interval(sample, 0.95, "exact"), mean_interval(sample, 0.95, "wilson")
    assert 1 < (exact.high - exact.low) / (score.high - score.low) < 1.8


def test_limits_for_every_look_are_the_beta_mixture_when_there_are_two_outputs() -> None:
    sample = CountedOutputs(np.array([140.0, 60.0]), channel("1", 2), 0.0)
    interval, rates = mixture_limits(sample, 0.95), anytime_limits(60, 200, 0.95)
    low, high = sample.design.values
    assert interval.low == pytest.approx(low + (high - low) * float(rates.low), abs=1e-2)
    assert interval.high == pytest.approx(low + (high - low) * float(rates.high), abs=1e-2)


def test_many_looks_together_miss_no_more_often_than_one_promise_allows() -> None:
    design, random = DESIGNS["channel 1"], np.random.default_rng(5)
    chances = design.rows.mean(axis=0)
    missed = 0
    for _ in range(20):
        looks = np.cumsum(random.multinomial(60, chances, size=4), axis=0).astype(float)
        limits = [mixture_limits(CountedOutputs(counts, design, 0.0), 0.95) for counts in looks]
        missed += any(not limit.low <= 20 <= limit.high for limit in limits)
    # At most Bin(20, .05): more has a chance below 1e-6, and the seed is fixed.
    assert missed <= int(stats.binom.isf(1e-6, 20, 0.05))


def test_nothing_is_clipped_and_a_mean_outside_the_range_is_told() -> None:
    design = DESIGNS["channel 1"]
    counts = [0] * len(design.values)
    counts[-1] = 500
    for method in ("wilson", "exact", "wald"):
        result = estimate(counts, design, method=method)
        assert result.mean.low is not None
        assert result.mean.high is not None
        assert 40 < result.mean.low < result.mean.high
        assert any("tampering" in sentence for sentence in result.warnings)


def test_without_reports_there_are_no_figures_but_a_word() -> None:
    design = DESIGNS["channel 1"]
    result = estimate([0] * len(design.values), design).to_json()
    assert result["mean"] == {"estimate": None, "se": None, "low": None, "high": None}
    assert "No reports" in str(result["warnings"])


def test_one_report_says_that_it_says_little() -> None:
    design = DESIGNS["channel 1"]
    result = estimate([1, *[0] * (len(design.values) - 1)], design)
    assert any("every possible mean" in sentence for sentence in result.warnings)


def test_band_is_what_dishonest_reports_could_have_moved() -> None:
    design = DESIGNS["channel 1"]
    honest = np.random.default_rng(1).multinomial(950, design.rows[3])
    mixed = honest.copy()
    mixed[-1] += 50
    result = estimate(mixed.tolist(), design, beta=0.05)
    assert result.band is not None
    assert result.band.low == pytest.approx(float(honest @ design.values) / 950)
    assert result.band.high > result.band.low


@pytest.mark.parametrize("name", DESIGNS)
def test_price_of_privacy_is_the_noises_part_of_the_variance(name: str) -> None:
    design = DESIGNS[name]
    k = len(design.points)
    truths = np.full(k, 1 / k)
    counts = np.round(1e6 * truths @ design.rows).astype(int).tolist()
    noise = float(truths @ design.noise)
    total = noise + float(np.var(design.points))
    price = estimate(counts, design).price_of_privacy
    assert price == pytest.approx(noise / total, rel=0.05)
    assert estimate(counts, design, population=sum(counts)).price_of_privacy == 1


def test_wrong_counts_are_refused() -> None:
    design = DESIGNS["channel 1"]
    with pytest.raises(EstimateError, match="one for each"):
        estimate([1, 2], design)
    with pytest.raises(EstimateError, match="population"):
        estimate([9] * len(design.values), design, population=3)
    with pytest.raises(EstimateError, match="leave the method out"):
        estimate([9] * len(design.values), design, coverage="anytime", method="wald")


def coverage(design: MeanDesign, truths: np.ndarray, n: int, method: str, *, surveys: int) -> float:
    chances = truths @ design.rows
    counts = np.random.default_rng(n).multinomial(n, chances / chances.sum(), size=surveys).astype(float)
    mean = float(truths @ design.points)
    limits = [mean_interval(CountedOutputs(row, design, 0.0), 0.95, method) for row in counts]  # type: ignore[arg-type]
    return float(np.mean([limit.low <= mean <= limit.high for limit in limits]))
