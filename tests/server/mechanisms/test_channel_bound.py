"""The bound for all unbiased mechanisms, and how near the channel comes to it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.channel_bound import variance_bound
from hushpoll_server.mechanisms.channel_table import solve_channel, variance_at_points
from hushpoll_server.mechanisms.closed_forms import hybrid_variance


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "2", "4"])
@pytest.mark.parametrize("inputs", [3, 5, 9])
def test_the_bound_is_below_the_channel_and_near_it(epsilon: str, inputs: int) -> None:
    odds = Bound.of_epsilon(epsilon).odds
    reached = variance_at_points(solve_channel(odds, inputs, between=False))
    assert variance_bound(float(odds), inputs) <= reached <= 1.01 * variance_bound(float(odds), inputs)


@pytest.mark.parametrize("epsilon", [0.1, 1, 4, 11, 15, 20])
def test_for_two_points_the_bound_is_what_warner_reaches(epsilon: float) -> None:
    # B² − 1 = 1/sinh²(ε/2); above epsilon 2 the bound's own allowance for floats is 1e-9
    assert variance_bound(math.exp(epsilon), 2) == pytest.approx(1 / math.sinh(epsilon / 2) ** 2, rel=1e-5)


def test_more_points_never_lower_the_bound() -> None:
    bounds = [variance_bound(math.exp(2), inputs) for inputs in (2, 3, 5, 9, 17)]
    assert np.all(np.diff(bounds) >= 0)


@pytest.mark.parametrize("epsilon", [0.5, 1, 2, 4])
def test_no_known_mechanism_goes_below_the_bound(epsilon: float) -> None:
    assert variance_bound(math.exp(epsilon)) < hybrid_variance(epsilon)
