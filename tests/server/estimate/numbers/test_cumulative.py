"""The share below a number: bounds that hold for every distribution, and limits that cover whatever people answer."""

from __future__ import annotations

import numpy as np
import pytest
from tests.server.estimate import square_waves as waves
from tests.statistics.shapes import shapes

from hushpoll_server.estimate.numbers.cumulative import bounds_of, cumulative_limits

EXTRAS = pytest.mark.parametrize("extras", [(), ("decline",)], ids=len)


@EXTRAS
@pytest.mark.parametrize("epsilon", ["0.000000001", "0.1", "1", "8", "40"])
@pytest.mark.parametrize("size", [1, 1024, 2**20])
def test_the_bounds_hold_for_every_answer_and_so_for_every_distribution(
    epsilon: str, extras: tuple[str, ...], size: int
) -> None:
    law = waves.law(waves.small_wave(epsilon, 16, 4, *extras))
    bounds = bounds_of(law, size)
    below = np.column_stack([law.below(edge) for edge in law.edges[1:-1]])
    # The scores of those who gave a number are only as exact as a float can be at the smallest epsilon.
    exact = 1e-15 * np.abs(law.answered).max() + 1e-12
    assert (law.chances @ bounds.upper >= below - 1e-12).all()
    assert (law.chances @ bounds.lower <= below + 10 * exact).all()


def test_more_reports_make_the_bounds_steeper() -> None:
    law = waves.law(waves.wave("1"))
    few, many = (law.chances @ bounds_of(law, size).upper[:, 31] for size in (2**9, 2**18))
    # Just above the edge the bound falls from 1 to 0.
    assert few[36] > 0.3
    assert many[36] < 0.05


@pytest.mark.parametrize("shape", shapes())
def test_limits_of_the_share_below_a_number_cover_every_shape(shape: str) -> None:
    # Seeded; 100 surveys have a standard error of 2.2 points. Far from the edges of a shape there is no bias to allow
    # for, and the limits cover no more than they must; the least of 63 may be three standard errors off.
    mechanism, truth = waves.wave("2"), shapes()[shape]
    law, true = waves.law(mechanism), np.cumsum(truth)[:-1]
    limits = [
        cumulative_limits(law, counts, 0.95, "pointwise") for counts in waves.surveys(mechanism, truth, 2000, 100)
    ]
    held = np.mean([(each.low <= true) & (true <= each.high) for each in limits], axis=0)
    assert held.min() >= 0.885
    assert held.mean() >= 0.955


def test_limits_among_those_who_gave_a_number_cover_too() -> None:
    mechanism, truth = waves.small_wave("2", 16, 2, "decline"), shapes(16)["zero-inflated"]
    law, true = waves.law(mechanism), np.cumsum(truth)[:-1]
    people = np.append(0.7 * truth, 0.3)
    limits = [
        cumulative_limits(law, counts, 0.95, "pointwise") for counts in waves.surveys(mechanism, people, 2000, 50)
    ]
    held = np.mean([(each.low <= true) & (true <= each.high) for each in limits], axis=0)
    assert held.min() >= 0.88
    assert held.mean() >= 0.955


def test_limits_at_every_look_are_wider_and_are_never_all_missed() -> None:
    mechanism, truth = waves.small_wave("2", 16, 2), shapes(16)["zero-inflated"]
    law, true, missed = waves.law(mechanism), np.cumsum(truth)[:-1], 0
    for seed in range(20):
        looks = np.cumsum(waves.surveys(mechanism, truth, 600, 3, seed), axis=0)
        limits = [cumulative_limits(law, counts, 0.95, "anytime") for counts in looks]
        missed += any(not (each.low[7] <= true[7] <= each.high[7]) for each in limits)
        fixed = cumulative_limits(law, looks[-1], 0.95, "pointwise")
        assert (limits[-1].high - limits[-1].low > fixed.high - fixed.low).all()
    # At most Bin(20, .05): seeded.
    assert missed <= 3


@EXTRAS
def test_a_single_report_has_limits_that_are_numbers_or_none(extras: tuple[str, ...]) -> None:
    mechanism = waves.wave("8", *extras)
    counts = np.zeros(mechanism.design.outputs)
    counts[3] = 1
    for limits in (
        cumulative_limits(waves.law(mechanism), counts, 0.95, "pointwise"),
        cumulative_limits(waves.law(mechanism), counts, 0.95, "anytime"),
    ):
        assert not np.isnan(limits.low).any()
        assert not np.isnan(limits.high).any()
        assert (limits.low <= limits.high).all()
