"""Permute-and-flip has exactly its law, costs exactly epsilon, and errs no more than the exponential mechanism."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import product
from math import exp

import pytest
from tests.server.lab.noise.laws import is_never_negative, law_of_choice, minus_x_times, real_law, value

from hushpoll_server.lab.noise.choice import margin, permute_and_flip
from hushpoll_server.lab.noise.streams import SeededBytes
from hushpoll_shared.errors import InvalidValue

# Tables of up to so many rows in two to four categories.
TABLES = [
    counts
    for categories, rows in ((2, 6), (3, 5), (4, 3))
    for counts in product(range(rows + 1), repeat=categories)
    if sum(counts) <= rows
]


def test_every_path_of_the_coins_together_has_the_law_of_the_formula() -> None:
    for counts in ((0, 1), (2, 2, 1), (3, 0, 1)):
        law, rest = real_law(partial(permute_and_flip, counts, Fraction(1)), least=Fraction(1, 100_000))
        assert rest < Fraction(1, 500)
        for index, polynomial in enumerate(law_of_choice(counts)):
            expected = value(polynomial, Fraction(exp(-1)))
            assert law[index] - Fraction(1, 10**12) <= expected <= law[index] + rest


@pytest.mark.parametrize("counts", [table for table in TABLES if min(table) == 0], ids=str)
def test_no_row_changes_a_chance_by_more_than_the_factor_whatever_epsilon_is(counts: tuple[int, ...]) -> None:
    before = law_of_choice(counts)
    for changed in range(len(counts)):
        after = law_of_choice([count + (place == changed) for place, count in enumerate(counts)])
        for first, second in zip(before, after, strict=True):
            # first ≥ exp(−ε) · second and the reverse, for every x = exp(−ε) from 0 to 1.
            assert is_never_negative(minus_x_times(first, second))
            assert is_never_negative(minus_x_times(second, first))


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(Decimal(-1).exp())], ids=["odds 3:1", "epsilon 1"])
def test_the_largest_ratio_over_all_neighbouring_small_tables_is_the_stated_one(x: Fraction) -> None:
    ratios = [
        max(value(first, x) / value(second, x), value(second, x) / value(first, x))
        for counts in TABLES
        for changed in range(len(counts))
        for first, second in zip(
            law_of_choice(counts),
            law_of_choice([count + (place == changed) for place, count in enumerate(counts)]),
            strict=True,
        )
    ]
    assert max(ratios) == 1 / x


def test_it_errs_no_more_than_the_exponential_mechanism_and_up_to_half_as_much() -> None:
    x = Fraction(1, 3)
    shares = []
    for counts in TABLES:
        gaps = [max(counts) - count for count in counts]
        flipped = sum(gap * value(chance, x) for gap, chance in zip(gaps, law_of_choice(counts), strict=True))
        weights = [x**gap for gap in gaps]
        exponential = sum(gap * weight for gap, weight in zip(gaps, weights, strict=True)) / sum(weights)
        assert flipped <= exponential
        shares += [flipped / exponential] if exponential else []
    assert 0.5 <= min(shares) < 0.6


def test_the_margin_holds_for_the_worst_small_tables() -> None:
    for counts, beta in product(TABLES, (Fraction(1, 20), Fraction(1, 4))):
        x = Fraction(1, 3)
        allowed = margin(len(counts), Fraction(1.0986122886681098), beta)
        beyond = sum(
            value(chance, x)
            for count, chance in zip(counts, law_of_choice(counts), strict=True)
            if max(counts) - count > allowed
        )
        assert beyond <= beta


def test_a_large_epsilon_chooses_the_highest_and_a_tiny_one_any() -> None:
    counts = (5, 9, 7)
    assert {permute_and_flip(counts, Fraction(100), SeededBytes(seed)) for seed in range(20)} == {1}
    assert {permute_and_flip(counts, Fraction(1, 10**12), SeededBytes(seed)) for seed in range(40)} == {0, 1, 2}
    assert margin(3, Fraction(1, 10**9), Fraction(1, 20)) > 10**9


def test_one_category_is_chosen_without_doubt_and_none_is_refused() -> None:
    assert permute_and_flip([0], Fraction(1), SeededBytes(0)) == 0
    assert margin(1, Fraction(1), Fraction(1, 20)) == 0
    with pytest.raises(InvalidValue, match="at least one category"):
        permute_and_flip([], Fraction(1), SeededBytes(0))
