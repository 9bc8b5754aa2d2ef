"""The distribution of a number: recovered within a stated error, the same for the same counts, with a mean."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.statistics.laws import chances_of_outputs

from hushpoll_server.estimate.distribution import SMOOTHED, DistributionResult, estimate_distribution, fit_distribution
from hushpoll_server.estimate.distribution_em import NearFarModel
from hushpoll_server.estimate.means import estimate_mean
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.square_wave import BINS, SquareWaveMechanism, choose_half, mean_design_of
from hushpoll_shared.mechanisms import SquareWave

MIDDLES = (np.arange(BINS) + 0.5) / BINS
SKEWED = MIDDLES * (1 - MIDDLES) ** 4 / (MIDDLES * (1 - MIDDLES) ** 4).sum()


def square_wave(epsilon: str, bins: int = BINS) -> SquareWave:
    bound = Bound.of_epsilon(epsilon)
    return SquareWaveMechanism.of(bound, bins, choose_half(bins, float(bound.odds)))


def survey(design: SquareWave, truths: NDArray[np.float64], n: int, seed: int = 1) -> NDArray[np.int64]:
    chances = truths @ rows_of(design)
    return np.random.default_rng(seed).multinomial(n, chances / chances.sum())


def rows_of(design: SquareWave) -> NDArray[np.float64]:
    """Return the chances of the outputs for a number in each bin, by the law of the square wave."""
    return chances_of_outputs(design, [Fraction(place, design.bins) for place in range(design.bins)])


def estimate(counts: NDArray[np.int64], design: SquareWave) -> DistributionResult:
    low, high = Fraction(0), Fraction(40)
    mean = estimate_mean(counts.tolist(), mean_design_of(design, low, high), epsilon=float(design.epsilon))
    fit = fit_distribution(counts.tolist(), model_of(design)) if mean.n else None
    return estimate_distribution(fit, mean, design.bins, low, high)


def model_of(design: SquareWave) -> NearFarModel:
    return NearFarModel(bins=design.bins, half=design.half, extras=design.extras, threshold=design.threshold)


@pytest.mark.parametrize("half", [0, 1, 5])
@pytest.mark.parametrize("extras", [0, 1, 2])
def test_the_model_has_the_chances_of_the_draw(half: int, extras: int) -> None:
    design = SquareWave(6, half, extras, 3 * 2**62)
    codes = [*(Fraction(place, 6) for place in range(6)), *range(extras)]
    assert model_of(design).chances(np.eye(6 + extras)) == pytest.approx(chances_of_outputs(design, codes))


@pytest.mark.parametrize(("epsilon", "error"), [("1", 0.04), ("2", 0.02), ("4", 0.012)])
def test_a_skewed_distribution_is_recovered(epsilon: str, error: float) -> None:
    design = square_wave(epsilon)
    shares = np.array([item.estimate for item in estimate(survey(design, SKEWED, 5000), design).bins], float)
    # Wasserstein distance on a range of 1
    assert np.abs(np.cumsum(shares - SKEWED)).sum() / BINS < error
    assert shares.sum() == pytest.approx(1)


def test_endless_reports_of_a_smooth_distribution_leave_little_error() -> None:
    design = square_wave("4")
    shares = model_of(design).smoothed_likelihood((SKEWED @ rows_of(design))[np.newaxis])[0]
    assert np.abs(shares - SKEWED).sum() < 0.02


def test_limits_hold_the_bins_of_a_smooth_distribution() -> None:
    design = square_wave("2")
    held = []
    for seed in range(4):
        bins = estimate(survey(design, SKEWED, 3000, seed), design).bins
        limits = np.array([(item.low, item.high) for item in bins], float)
        held += list((limits[:, 0] <= SKEWED) & (limits[:, 1] >= SKEWED))
    assert np.mean(held) > 0.88


def test_the_mean_is_unbiased() -> None:
    design = square_wave("1", 8)
    truths = np.arange(1.0, 9.0) / 36
    whole = np.round(truths @ rows_of(design) * 10**9).astype(np.int64)
    mean = estimate(whole, design).mean.mean.estimate
    assert mean == pytest.approx(float(truths @ (np.arange(8) + 0.5) * 5), abs=1e-5)


def test_the_same_counts_give_the_same_figures() -> None:
    design = square_wave("1", 16)
    counts = survey(design, np.full(16, 1 / 16), 500)
    assert estimate(counts, design) == estimate(counts, design)


def test_json_names_the_bins_and_says_that_they_are_smoothed() -> None:
    design = square_wave("1", 8)
    result = estimate(survey(design, np.full(8, 1 / 8), 500), design).to_json()
    bins, warnings = result["bins"], result["warnings"]
    assert isinstance(bins, list)
    assert [item["name"] for item in bins][:2] == ["0–5", "5–10"]
    assert bins[0].keys() == {"name", "from", "to", "estimate", "se", "low", "high"}
    assert isinstance(warnings, list)
    assert SMOOTHED in warnings


def test_without_reports_there_are_bins_without_figures() -> None:
    design = square_wave("1", 8)
    result = estimate(np.zeros(design.outputs, np.int64), design)
    assert all(item.estimate is None for item in result.bins)
    assert result.mean.mean.estimate is None


def test_sixty_four_bins_do_not_keep_a_reader_waiting() -> None:
    design = square_wave("1")
    start = time.process_time()
    estimate(survey(design, SKEWED, 100_000), design)
    assert time.process_time() - start < 5
