"""The distribution of a number: bins as a picture, shares below a number, quantiles and deviation with limits."""

from __future__ import annotations

import json
import math
import time

import numpy as np
import pytest
from tests.server.estimate import square_waves as waves
from tests.statistics.shapes import shapes

from hushpoll_server.estimate.numbers.distribution import DistributionResult, Range, estimate_distribution
from hushpoll_server.estimate.support import Figures
from hushpoll_server.mechanisms import Mechanism
from hushpoll_shared.mechanisms import SquareWave

NORMAL = shapes()["normal"]


def one(mechanism: Mechanism[SquareWave], truth: Figures, n: int, **options: object) -> DistributionResult:
    """Return the figures of one simulated survey."""
    return waves.estimate(mechanism, waves.surveys(mechanism, truth, n, 1)[0], **options)


def test_bins_have_shares_without_limits() -> None:
    result = one(waves.wave("1", low="0", high="40"), NORMAL, 2000)
    assert sum(each.estimate or 0 for each in result.bins) == pytest.approx(1)
    assert result.bins[0].name == "0–0.625"
    written = result.bins[3].to_json()
    assert (written["low"], written["high"], written["se"]) == (None, None, None)


def test_shares_below_a_number_rise_and_are_within_their_limits() -> None:
    result = one(waves.wave("1", low="-8", high="8"), NORMAL, 2000)
    estimates = [each.estimate or 0 for each in result.cumulative]
    assert [each.edge for each in result.cumulative] == [-8 + place / 4 for place in range(1, 64)]
    assert estimates == sorted(estimates)
    assert estimates == pytest.approx(np.cumsum([each.estimate or 0 for each in result.bins])[:-1])
    assert all((each.low or 0) <= (each.estimate or 0) <= (each.high or 0) for each in result.cumulative)


def test_quantiles_are_where_the_shares_are_and_their_limits_are_edges() -> None:
    result = one(waves.wave("4", low="0", high="64"), NORMAL, 20_000)
    lower, median, upper = result.quantiles
    assert [each.share for each in result.quantiles] == [0.25, 0.5, 0.75]
    # The quartiles of a normal law are .6745 deviations from its mean.
    assert median.estimate == pytest.approx(32, abs=1)
    assert lower.estimate == pytest.approx(32 - 0.6745 * 9.6, abs=1)
    assert upper.estimate == pytest.approx(32 + 0.6745 * 9.6, abs=1)
    below = {each.edge: each for each in result.cumulative}
    assert median.low is not None
    assert median.high is not None
    assert (below[median.low].high or 1) < 0.5 <= (below[median.low + 1].high or 0)
    assert (below[median.high - 1].low or 1) < 0.5 <= (below[median.high].low or 0)


def test_quantiles_and_the_deviation_hold_the_truth_for_all_shapes() -> None:
    # Seeded; 20 surveys of each shape.
    mechanism = waves.small_wave("4", 16, 1)
    middles = (np.arange(16) + 0.5) / 16
    held: list[bool] = []
    for truth in shapes(16).values():
        median = (np.searchsorted(np.cumsum(truth), 0.5) + 1) / 16
        deviation = math.sqrt(float(truth @ middles**2) - float(truth @ middles) ** 2)
        for counts in waves.surveys(mechanism, truth, 1000, 20):
            result = waves.estimate(mechanism, counts)
            quantile, spread = result.quantiles[1], result.deviation
            held += [bool((quantile.low or 0) <= median and median - 1 / 16 <= (quantile.high or 1))]
            held += [(spread.low or 0) <= deviation <= (spread.high or 9)]
    assert np.mean(held) >= 0.95


def test_the_deviation_is_that_of_the_numbers_in_their_own_unit() -> None:
    mechanism = waves.wave("2", low="100", high="200")
    counts = 10**7 * NORMAL @ waves.enumerated(mechanism.design)
    result = waves.estimate(mechanism, np.rint(counts))
    middles = 100 + 100 * (np.arange(64) + 0.5) / 64
    true = math.sqrt(float(NORMAL @ middles**2) - float(NORMAL @ middles) ** 2)
    assert result.deviation.estimate == pytest.approx(true, rel=1e-3)
    assert (result.deviation.low or 0) < true < (result.deviation.high or 0)


def test_the_standard_error_of_the_deviation_is_the_spread_of_its_estimates() -> None:
    mechanism = waves.small_wave("4", 16, 1)
    surveys = waves.surveys(mechanism, shapes(16)["normal"], 4000, 60)
    results = [waves.estimate(mechanism, counts) for counts in surveys]
    estimates = np.array([result.deviation.estimate for result in results], float)
    errors = np.array([result.deviation.se for result in results], float)
    # The standard deviation of 60 values is known to 9 %.
    assert estimates.std() == pytest.approx(errors.mean(), rel=0.35)


def test_all_figures_together_are_wider_than_each_alone() -> None:
    mechanism = waves.wave("2")
    alone, together = (one(mechanism, NORMAL, 5000, coverage=each) for each in ("pointwise", "simultaneous"))
    assert together.mean.level == 0.95
    assert (together.mean.mean.low or 0) < (alone.mean.mean.low or 0)
    assert (together.deviation.high or 0) > (alone.deviation.high or 0)
    lows = [each.low or 0 for each in together.cumulative]
    assert lows == sorted(lows)
    widths = [
        (wide.high or 0) - (wide.low or 0) - (narrow.high or 0) + (narrow.low or 0)
        for wide, narrow in zip(together.cumulative, alone.cumulative, strict=True)
    ]
    assert np.mean(widths) > 0


def test_all_figures_hold_together_as_often_as_promised() -> None:
    mechanism, truth = waves.small_wave("2", 16, 2), shapes(16)["zero-inflated"]
    true, middles = np.cumsum(truth)[:-1], (np.arange(16) + 0.5) / 16
    mean = float(truth @ middles)
    deviation = math.sqrt(float(truth @ middles**2) - mean**2)
    missed = 0
    for counts in waves.surveys(mechanism, truth, 1000, 60):
        result = waves.estimate(mechanism, counts, coverage="simultaneous")
        held = [
            (each.low or 0) <= share <= (each.high or 9) for each, share in zip(result.cumulative, true, strict=True)
        ]
        held += [(result.mean.mean.low or 0) <= mean <= (result.mean.mean.high or 9)]
        held += [(result.deviation.low or 0) <= deviation <= (result.deviation.high or 9)]
        missed += not all(held)
    # At most Bin(60, .05): more than 12 has a chance below 1e-4, and the seed is fixed.
    assert missed <= 8


def test_at_every_look_the_deviation_has_no_limits_and_the_other_figures_have() -> None:
    result = one(waves.wave("2"), NORMAL, 1000, coverage="anytime")
    assert result.deviation.estimate is not None
    assert (result.deviation.low, result.deviation.high) == (None, None)
    assert result.mean.method == "mixture"
    assert all(each.low is not None and each.high is not None for each in result.cumulative)


def test_extras_are_left_out_of_the_distribution() -> None:
    mechanism = waves.wave("4", "decline")
    people = np.append(0.5 * NORMAL, 0.5)
    result = waves.estimate(mechanism, np.rint(10**6 * people @ waves.enumerated(mechanism.design)))
    assert sum(each.estimate or 0 for each in result.bins) == pytest.approx(1)
    assert result.quantiles[1].estimate == pytest.approx(0.5, abs=0.01)
    assert result.deviation.estimate == pytest.approx(0.15, abs=0.005)
    assert np.abs([each.estimate or 0 for each in result.cumulative] - np.cumsum(NORMAL)[:-1]).max() < 0.02


def test_without_reports_there_are_no_figures() -> None:
    result = waves.estimate(waves.wave("1"), [0] * 98)
    assert {each.estimate for each in result.bins} == {each.estimate for each in result.cumulative} == {None}
    assert {each.estimate for each in result.quantiles} == {None}
    assert result.deviation.estimate is None


@pytest.mark.parametrize("epsilon", ["4", "8", "30"])
@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_the_first_reports_with_decline_give_numbers_or_nothing(epsilon: str, n: int) -> None:
    # At epsilon 4 and more the first reports gave NaN, which is no JSON.
    mechanism = waves.wave(epsilon, "decline")
    outputs = mechanism.design.outputs
    for output in (0, outputs // 2, outputs - 1):
        for coverage in ("pointwise", "simultaneous", "anytime"):
            counts = [n if place == output else 0 for place in range(outputs)]
            json.dumps(waves.estimate(mechanism, counts, coverage=coverage).to_json(), allow_nan=False)


def test_if_nobody_gave_a_number_there_is_no_distribution() -> None:
    mechanism = waves.wave("8", "decline")
    counts = [0] * (mechanism.design.outputs - 1) + [1000]
    result = waves.estimate(mechanism, counts)
    assert result.bins[0].estimate is None
    assert result.mean.mean.estimate is None
    law = waves.law(mechanism)
    empty = estimate_distribution(np.array(counts, float), law, None, result.mean, Range(*mechanism.type.range))
    assert empty.bins == result.bins


def test_sixty_four_bins_are_estimated_in_a_moment() -> None:
    mechanism = waves.wave("1")
    one(mechanism, NORMAL, 2000)
    start = time.monotonic()
    one(mechanism, NORMAL, 2000)
    # About a tenth of a second on a quiet machine.
    assert time.monotonic() - start < 3
