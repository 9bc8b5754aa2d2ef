"""A coin of the lab falls with exactly its chance."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import exp

import pytest
from tests.server.lab.noise.laws import real_law

from hushpoll_server.lab.noise.coins import falls, survives
from hushpoll_server.lab.noise.streams import SeededBytes


@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(4)], ids=str)
def test_every_path_of_its_tosses_together_survives_with_the_chance_of_the_formula(rate: Fraction) -> None:
    law, rest = real_law(partial(survives, rate), least=Fraction(1, 10**7))
    assert rest < Fraction(1, 10**4)
    assert law[True] - Fraction(1, 10**12) <= exp(-rate) <= law[True] + rest


def test_what_is_sure_needs_no_chance() -> None:
    assert all(survives(Fraction(0), SeededBytes(seed)) for seed in range(20))
    assert all(falls(Fraction(1), SeededBytes(seed)) for seed in range(20))
    assert not any(falls(Fraction(0), SeededBytes(seed)) for seed in range(20))


def test_a_hopeless_coin_is_decided_at_once() -> None:
    assert not any(survives(Fraction(10**30), SeededBytes(seed)) for seed in range(20))
