"""Discrete Laplace noise has exactly its law, and its loss is exactly epsilon over all small tables."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import exp

import pytest
from tests.server.lab.noise.laws import real_law

from hushpoll_server.lab.noise.laplace import DiscreteLaplace, rate_of
from hushpoll_server.lab.noise.streams import SeededBytes
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SecureBytes

ONE = Epsilon.parse("1")


def chance(noise: int, rate: Fraction) -> float:
    alpha = exp(-rate)
    return (1 - alpha) / (1 + alpha) * alpha ** abs(noise)


@pytest.mark.parametrize("rate", [Fraction(2), Fraction(1), Fraction(3, 2), Fraction(1, 2)], ids=str)
def test_every_path_of_the_coins_together_has_the_law_of_the_formula(rate: Fraction) -> None:
    law, rest = real_law(DiscreteLaplace(rate).draw, least=Fraction(1, 20_000))
    assert rest < Fraction(1, 5)
    assert sum(law.values()) + rest == 1
    # What is not followed could have ended anywhere.
    for noise in range(-8, 9):
        assert float(law.get(noise, Fraction(0))) <= chance(noise, rate) + 1e-12
        assert chance(noise, rate) <= float(law.get(noise, Fraction(0)) + rest)
    assert all(law[noise] == law[-noise] for noise in law)


@pytest.mark.parametrize("epsilon", ["1", "0.1", "10", "0.000000001"])
@pytest.mark.parametrize(("low", "high"), [(0, 3), (-2, 1)])
def test_the_loss_over_all_neighbouring_small_tables_is_epsilon_exactly(epsilon: str, low: int, high: int) -> None:
    stated = Epsilon.parse(epsilon)
    rate = rate_of(stated, max(abs(low), abs(high)))
    losses = {
        rate * abs(abs(output - sum(table) - row) - abs(output - sum(table)))
        for rows in range(4)
        for table in product(range(low, high + 1), repeat=rows)
        for row in range(low, high + 1)
        for output in range(-20, 21)
    }
    # The constant of the law cancels, so each loss is a rational number.
    assert max(losses) == Fraction(stated.decimal)


@pytest.mark.parametrize("rate", [Fraction(1), Fraction(1, 10), Fraction(10), Fraction(7, 1000)], ids=str)
@pytest.mark.parametrize("beta", [Fraction(1, 20), Fraction(1, 1000), Fraction(9, 10)], ids=str)
def test_the_reach_is_the_least_that_holds_with_the_stated_chance(rate: Fraction, beta: Fraction) -> None:
    def above(limit: int) -> float:
        alpha = exp(-rate)
        return float(2 * alpha ** (limit + 1) / (1 + alpha))

    reach = DiscreteLaplace(rate).reach(beta)
    assert above(reach) <= beta
    assert reach == 0 or above(reach - 1) > beta


def test_a_tiny_epsilon_draws_at_once_and_hides_all_and_a_large_one_tells_the_truth() -> None:
    tiny = DiscreteLaplace.of(Epsilon.parse("0.00000000000000000001"), sensitivity=10**12)
    draws = [abs(tiny.draw(SeededBytes(seed))) for seed in range(50)]
    assert 10**31 < sorted(draws)[25] < 10**33
    assert tiny.reach(Fraction(1, 20)) > 10**32
    large = DiscreteLaplace.of(Epsilon.parse("100"))
    assert {large.draw(SeededBytes(seed)) for seed in range(50)} == {0}
    assert large.reach(Fraction(1, 10**6)) == 0


def test_the_deviation_is_that_of_the_law() -> None:
    for rate in (Fraction(1), Fraction(1, 5)):
        variance = sum(chance(noise, rate) * noise**2 for noise in range(-400, 401))
        assert DiscreteLaplace(rate).deviation == pytest.approx(variance**0.5)


def test_secure_draws_follow_the_law() -> None:
    # 4,000 draws: each share is further than 6 standard errors from its chance less than once in 50 million runs.
    noise, source = DiscreteLaplace(Fraction(1)), SecureBytes()
    counts = Counter(noise.draw(source) for _ in range(4000))
    for drawn in range(-2, 3):
        expected = chance(drawn, noise.rate)
        assert abs(counts[drawn] / 4000 - expected) < 6 * (expected * (1 - expected) / 4000) ** 0.5


def test_the_same_seed_gives_the_same_noise() -> None:
    first, second, other = SeededBytes(1), SeededBytes(1), SeededBytes(2)
    noise = DiscreteLaplace.of(Epsilon.parse("0.01"))
    draws = [noise.draw(first) for _ in range(20)]
    assert draws == [noise.draw(second) for _ in range(20)]
    assert draws != [noise.draw(other) for _ in range(20)]


def test_noise_without_epsilon_is_refused() -> None:
    with pytest.raises(InvalidValue, match="above 0"):
        rate_of(Epsilon(0))
    with pytest.raises(InvalidValue, match="above 0"):
        DiscreteLaplace(Fraction(0))
    assert rate_of(ONE, 3) == Fraction(Decimal(1)) / 3
