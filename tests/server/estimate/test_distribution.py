"""The distribution of a number: recovered within a stated error, the same for the same counts, with a mean."""

import time
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from hushpoll_server.estimate.distribution import SMOOTHED, DistributionResult, estimate_distribution, fit_distribution
from hushpoll_server.estimate.distribution_em import SquareWave
from hushpoll_server.estimate.mean_design import MeanDesign, wave_rows
from hushpoll_server.estimate.means import estimate_mean
from hushpoll_server.plan.waves import BINS, choose_half
from hushpoll_shared.designs import Bound, Wave

MIDDLES = (np.arange(BINS) + 0.5) / BINS
SKEWED = MIDDLES * (1 - MIDDLES) ** 4 / (MIDDLES * (1 - MIDDLES) ** 4).sum()


def wave(epsilon: str, bins: int = BINS) -> Wave:
    bound = Bound.of_epsilon(epsilon)
    return Wave.from_bound(bound, bins, choose_half(bins, float(bound.odds)))


def survey(design: Wave, truths: NDArray[np.float64], n: int, seed: int = 1) -> NDArray[np.int64]:
    chances = truths @ wave_rows(design.bins, design.half, design.threshold)
    return np.random.default_rng(seed).multinomial(n, chances / chances.sum())


def estimate(counts: NDArray[np.int64], design: Wave) -> DistributionResult:
    low, high = Fraction(0), Fraction(40)
    known = MeanDesign.of_wave(design.bins, design.half, design.threshold, low, high)
    mean = estimate_mean(counts.tolist(), known, epsilon=float(design.epsilon))
    fit = fit_distribution(counts.tolist(), square(design)) if mean.n else None
    return estimate_distribution(fit, mean, design.bins, low, high)


def square(design: Wave) -> SquareWave:
    return SquareWave(bins=design.bins, half=design.half, extras=design.extras, threshold=design.threshold)


@pytest.mark.parametrize("half", [0, 1, 5])
def test_rows_are_what_the_draw_does(half: int) -> None:
    threshold, bins = 3 * 2**62, 6
    rows = wave_rows(bins, half, threshold)
    for x in range(bins):
        expected = np.zeros(bins + 2 * half)
        for a in range(2 * half + 1):
            expected[x + a] += 0.75 / (2 * half + 1)
        for c in range(bins - 1):
            expected[c if c < x else c + 2 * half + 1] += 0.25 / (bins - 1)
        assert rows[x] == pytest.approx(expected)


@pytest.mark.parametrize(("epsilon", "error"), [("1", 0.04), ("2", 0.02), ("4", 0.012)])
def test_a_skewed_distribution_is_recovered(epsilon: str, error: float) -> None:
    design = wave(epsilon)
    shares = np.array([item.estimate for item in estimate(survey(design, SKEWED, 5000), design).bins], float)
    # Wasserstein distance on a range of 1
    assert np.abs(np.cumsum(shares - SKEWED)).sum() / BINS < error
    assert shares.sum() == pytest.approx(1)


def test_endless_reports_of_a_smooth_distribution_leave_little_error() -> None:
    design = wave("4")
    rows = wave_rows(design.bins, design.half, design.threshold)
    shares = square(design).smoothed_likelihood((SKEWED @ rows)[np.newaxis])[0]
    assert np.abs(shares - SKEWED).sum() < 0.02


def test_limits_hold_the_bins_of_a_smooth_distribution() -> None:
    design = wave("2")
    held = []
    for seed in range(4):
        bins = estimate(survey(design, SKEWED, 3000, seed), design).bins
        limits = np.array([(item.low, item.high) for item in bins], float)
        held += list((limits[:, 0] <= SKEWED) & (limits[:, 1] >= SKEWED))
    assert np.mean(held) > 0.88


def test_the_mean_is_unbiased() -> None:
    design = wave("1", 8)
    rows = wave_rows(design.bins, design.half, design.threshold)
    truths = np.arange(1.0, 9.0) / 36
    whole = np.round(truths @ rows * 10**9).astype(np.int64)
    mean = estimate(whole, design).mean.mean.estimate
    assert mean == pytest.approx(float(truths @ (np.arange(8) + 0.5) * 5), abs=1e-5)


def test_the_same_counts_give_the_same_figures() -> None:
    design = wave("1", 16)
    counts = survey(design, np.full(16, 1 / 16), 500)
    assert estimate(counts, design) == estimate(counts, design)


def test_json_names_the_bins_and_says_that_they_are_smoothed() -> None:
    design = wave("1", 8)
    result = estimate(survey(design, np.full(8, 1 / 8), 500), design).to_json()
    bins, warnings = result["bins"], result["warnings"]
    assert isinstance(bins, list)
    assert [item["name"] for item in bins][:2] == ["0–5", "5–10"]
    assert bins[0].keys() == {"name", "from", "to", "estimate", "se", "low", "high"}
    assert isinstance(warnings, list)
    assert SMOOTHED in warnings


def test_without_reports_there_are_bins_without_figures() -> None:
    design = wave("1", 8)
    result = estimate(np.zeros(design.outputs, np.int64), design)
    assert all(item.estimate is None for item in result.bins)
    assert result.mean.mean.estimate is None


def test_sixty_four_bins_do_not_keep_a_reader_waiting() -> None:
    design = wave("1")
    start = time.process_time()
    estimate(survey(design, SKEWED, 100_000), design)
    assert time.process_time() - start < 5
