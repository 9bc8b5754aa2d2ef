"""The bound for all unbiased mechanisms, and the closed forms that the channel is compared with."""

import math

import numpy as np
import pytest

from hushpoll_server.plan import closed_forms
from hushpoll_server.plan.channel_bound import variance_bound
from hushpoll_server.plan.channels import solve_channel
from hushpoll_shared.designs import Bound

# Epsilon, then the worst variances of mechanisms.md: Duchi, Piecewise, Hybrid, Laplace.
TABLE = [
    (0.5, 16.67079, 21.22257, 16.67079, 32),
    (1, 4.68269, 5.22360, 4.28899, 8),
    (2, 1.72406, 1.22756, 1.04234, 2),
    (4, 1.07602, 0.24135, 0.21898, 0.5),
]


@pytest.mark.parametrize(("epsilon", "duchi", "piecewise", "hybrid", "laplace"), TABLE)
def test_closed_forms_give_the_values_of_the_table(
    epsilon: float, duchi: float, piecewise: float, hybrid: float, laplace: float
) -> None:
    assert closed_forms.duchi_variance(epsilon) == pytest.approx(duchi, abs=1e-5)
    assert closed_forms.piecewise_variance(epsilon) == pytest.approx(piecewise, abs=1e-5)
    assert closed_forms.hybrid_variance(epsilon) == pytest.approx(hybrid, abs=1e-5)
    assert closed_forms.laplace_variance(epsilon) == pytest.approx(laplace)


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "2", "4"])
@pytest.mark.parametrize("inputs", [3, 5, 9])
def test_the_bound_is_below_the_channel_and_near_it(epsilon: str, inputs: int) -> None:
    odds = Bound.of_epsilon(epsilon).odds
    reached = solve_channel(odds, inputs, between=False).variance_at_points()
    assert variance_bound(float(odds), inputs) <= reached <= 1.01 * variance_bound(float(odds), inputs)


@pytest.mark.parametrize("epsilon", [0.1, 1, 4, 11, 15, 20])
def test_for_two_points_the_bound_is_what_warner_reaches(epsilon: float) -> None:
    # B² − 1 = 1/sinh²(ε/2); above epsilon 2 the bound's own allowance for floats is 1e-9
    assert variance_bound(math.exp(epsilon), 2) == pytest.approx(1 / math.sinh(epsilon / 2) ** 2, rel=1e-5)


def test_more_points_never_lower_the_bound() -> None:
    bounds = [variance_bound(math.exp(2), inputs) for inputs in (2, 3, 5, 9, 17)]
    assert np.all(np.diff(bounds) >= 0)


@pytest.mark.parametrize(("epsilon", "hybrid"), [(row[0], row[3]) for row in TABLE])
def test_no_known_mechanism_goes_below_the_bound(epsilon: float, hybrid: float) -> None:
    assert variance_bound(math.exp(epsilon)) < hybrid
