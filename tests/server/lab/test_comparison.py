"""Local, shuffled, central and none on the same people."""

from __future__ import annotations

import math

import pytest

from hushpoll_server.lab.comparison import Comparison, compare
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_server.plan.shuffling import Crowd, central_epsilon
from hushpoll_shared.errors import InvalidValue


@pytest.fixture(scope="module")
def found() -> Comparison:
    return compare(bound=Bound.of_epsilon("1"), n=1_000, seed=2)


def test_measured_errors_agree_with_theory(found: Comparison) -> None:
    for design in found.designs[1:]:
        # The RMSE of 2,000 repetitions has a relative standard deviation of 1/√4,000, larger with Laplace's tails
        assert design.rmse == pytest.approx(design.rmse_theory, rel=0.15)
        # The server's noise has steps of 1/n
        assert design.half_width == pytest.approx(design.half_width_theory, rel=0.15, abs=1 / found.n)


def test_whoever_trusts_more_errs_less(found: Comparison) -> None:
    errors = [design.rmse_theory for design in found.designs]
    assert errors == sorted(errors)
    none, server, shuffled, local = found.designs
    assert none.rmse == 0
    # √(2α)/(1 − α)/n and √(E/n)/(E − 1)
    assert server.rmse_theory == pytest.approx(math.sqrt(2 * math.exp(-1)) / (1 - math.exp(-1)) / 1_000)
    assert local.rmse_theory == pytest.approx(math.sqrt(math.e / 1_000) / (math.e - 1))
    assert local.trusted.startswith("nobody")
    assert shuffled.local is not None
    assert central_epsilon(shuffled.local, Crowd(1_000, 1e-6)) <= 1


def test_the_same_seed_gives_the_same_figures(found: Comparison) -> None:
    assert compare(bound=Bound.of_epsilon("1"), n=1_000, seed=2).to_json() == found.to_json()


@pytest.mark.parametrize(("n", "epsilon"), [(99, "1"), (1_000_001, "1"), (1_000, "0.001"), (1_000, "11")])
def test_sizes_beyond_the_limits_are_refused(n: int, epsilon: str) -> None:
    with pytest.raises(InvalidValue, match="from"):
        compare(bound=Bound.of_epsilon(epsilon), n=n)


@pytest.mark.parametrize("epsilon", ["0.01", "10"])
def test_extreme_epsilons_have_finite_figures(epsilon: str) -> None:
    result = compare(bound=Bound.of_epsilon(epsilon), n=100)
    assert all(math.isfinite(design.rmse) for design in result.designs)
