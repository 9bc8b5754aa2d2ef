"""Quantiles of a number at any share, and the share at most any number."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.server.estimate import square_waves as waves
from tests.statistics.shapes import shapes
from tests.statistics.worst_cases import counters_of

from hushpoll_server.estimate.estimands import DistributionEstimand
from hushpoll_server.estimate.quantiles.distributions import quantiles_of_distribution
from hushpoll_server.estimate.support import Figures
from hushpoll_server.mechanisms import Bound, Mechanism
from hushpoll_server.plan.choose import choose_mechanism
from hushpoll_shared.mechanisms import SquareWave
from hushpoll_shared.question_types import Number

NORMAL = shapes()["normal"]


def estimand_of(mechanism: Mechanism[SquareWave], counts: Figures) -> DistributionEstimand:
    """Return what the counts of a survey estimate."""
    estimand = mechanism.estimand(counters_of(np.asarray(counts, np.int64)))
    assert isinstance(estimand, DistributionEstimand)
    return estimand


def one(mechanism: Mechanism[SquareWave], truth: Figures, n: int, seed: int = 1) -> DistributionEstimand:
    """Return what one simulated survey estimates."""
    return estimand_of(mechanism, waves.surveys(mechanism, truth, n, 1, seed)[0])


def test_quartiles_mean_and_deviation_are_those_of_the_distribution() -> None:
    mechanism = waves.wave("1", low="0", high="40")
    counts = waves.surveys(mechanism, NORMAL, 2000, 1)[0]
    result, known = quantiles_of_distribution(estimand_of(mechanism, counts)), waves.estimate(mechanism, counts)
    assert result.quantiles == known.quantiles
    assert (result.mean, result.deviation) == (known.mean.mean, known.deviation)


def test_a_share_at_most_a_number_has_the_limits_of_the_edges_around_it() -> None:
    mechanism = waves.wave("2", low="0", high="64")
    counts = waves.surveys(mechanism, NORMAL, 2000, 1)[0]
    known = {each.edge: each for each in waves.estimate(mechanism, counts).cumulative}
    inside, edge = quantiles_of_distribution(estimand_of(mechanism, counts), at=(30.5, 31)).at
    # The scores were searched for from another start, so they are not quite the same.
    assert inside.low == pytest.approx(known[30].low, abs=0.005)
    assert inside.high == pytest.approx(known[31].high, abs=0.005)
    # A bin begins with its lower edge, so that somebody with exactly this number is in it.
    assert edge.low == pytest.approx(known[31].low, abs=0.005)
    assert edge.high == pytest.approx(known[32].high, abs=0.005)
    assert inside.estimate == pytest.approx(((known[30].estimate or 0) + (known[31].estimate or 0)) / 2)
    assert edge.estimate == pytest.approx(known[31].estimate)


def test_an_answer_of_its_own_is_counted_at_its_number() -> None:
    number = Number("0", "40", "distribution", (), ("0", "40"))
    mechanism = choose_mechanism(number, Bound.of_epsilon("3"))
    truth = np.append(0.5 * NORMAL, [0.3, 0.2])
    estimand = one(mechanism, truth, 20_000)  # type: ignore[arg-type]
    zero, almost, top = quantiles_of_distribution(estimand, at=(0, 39.999, 40)).at
    # Nobody else is at 0: the bin above it is not counted.
    assert (zero.low or 0) > 0.25
    assert (zero.low or 9) <= 0.3 <= (zero.high or 0) < 0.36
    assert (almost.low or 9) <= 0.8 <= (almost.high or 0)
    assert (top.estimate, top.method) == (1.0, "certain")


def test_outside_the_range_a_share_is_certain_and_exact_numbers_are_read_exactly() -> None:
    estimand = one(waves.wave("2", low="0", high="1"), NORMAL, 500)
    below, third, above = quantiles_of_distribution(estimand, at=(-1, Fraction(1, 3), 7)).at
    assert (below.estimate, above.estimate) == (0.0, 1.0)
    assert third.at == pytest.approx(1 / 3)
    assert third.se is None


def test_limits_of_a_quantile_hold_as_often_as_promised() -> None:
    # Seeded, 60 surveys. The 90th percentile is in a bin, and so is .3.
    mechanism, truth = waves.small_wave("2", 16, 2), shapes(16)["beta(2, 5)"]
    edges, rising = np.arange(17) / 16, np.append(0, np.cumsum(truth))
    ninth, at_most = np.interp(0.9, rising, edges), np.interp(0.3, edges, rising)
    held = []
    for counts in waves.surveys(mechanism, truth, 500, 60):
        result = quantiles_of_distribution(estimand_of(mechanism, counts), shares=(0.9,), at=(0.3,))
        [quantile], [share] = result.quantiles, result.at
        holds = (share.low or 0) <= at_most <= (share.high or 9)
        held.append(((quantile.low or 0) <= ninth <= (quantile.high or 1), holds))
    assert (np.mean(held, axis=0) >= 0.93).all()


@pytest.mark.parametrize("n", [0, 1])
def test_without_reports_or_with_one_nothing_is_claimed(n: int) -> None:
    mechanism = waves.wave("1", "decline", low="0", high="40")
    counts = np.zeros(mechanism.outputs)
    counts[0] = n
    result = quantiles_of_distribution(estimand_of(mechanism, counts), shares=(0.9,), at=(10,))
    [ninth], [share] = result.quantiles, result.at
    if n == 0:
        assert (ninth.estimate, share.estimate, result.mean.estimate) == (None, None, None)
    else:
        assert (ninth.low, ninth.high) == (0, 40)
    assert result.warnings
