"""What answers cost together, exactly, and never less than they do."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import exp, log, sqrt

import pytest

from hushpoll_server.lab.database.composition import Budget, Spent, parse_delta
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue

ONE = Epsilon.parse("1")
TENTH = Epsilon.parse("0.1")
MILLIONTH = Fraction(1, 10**6)


def advanced(epsilons: list[float], delta: float) -> float:
    squares = sum(epsilon**2 for epsilon in epsilons)
    return sqrt(2 * log(1 / delta) * squares) + squares / 2


def test_ten_tenths_are_the_whole_budget_and_nothing_more_is_allowed() -> None:
    budget = Budget(ONE)
    spent = Spent.of([TENTH] * 10)
    assert budget.allows(spent)
    assert budget.loss(spent) == ONE
    assert budget.left(spent) == Epsilon(0)
    assert not budget.allows(spent + Epsilon(1))


def test_advanced_composition_is_used_where_it_is_better_and_only_with_a_delta() -> None:
    many, few = [Epsilon.parse("0.01")] * 300, [Epsilon.parse("0.3")] * 3
    with_delta = Budget(ONE, MILLIONTH)
    assert not Budget(ONE).allows(Spent.of(many))
    assert with_delta.allows(Spent.of(many))
    assert float(with_delta.loss(Spent.of(many))) == pytest.approx(advanced([0.01] * 300, 1e-6))
    assert with_delta.loss(Spent.of(few)) == Epsilon.parse("0.9")


def test_the_filter_stops_where_the_formula_reaches_the_budget() -> None:
    budget, small = Budget(ONE, MILLIONTH), Epsilon.parse("0.01")
    most = max(k for k in range(1000) if budget.allows(Spent.of([small] * k)))
    assert advanced([0.01] * most, 1e-6) <= 1 < advanced([0.01] * (most + 1), 1e-6)
    assert most == 349


def test_questions_of_different_epsilon_are_composed_by_their_squares() -> None:
    spent = Spent.of([TENTH, Epsilon.parse("0.05")] * 5)
    assert spent == Spent(Fraction(3, 4), Fraction(1, 16))
    assert float(Budget(ONE, Fraction(1, 1000))._advanced(spent.squares)) == pytest.approx(
        advanced([0.1, 0.05] * 5, 1e-3)
    )


@pytest.mark.parametrize("delta", [Fraction(0), MILLIONTH])
def test_what_is_left_is_the_most_that_is_allowed(delta: Fraction) -> None:
    budget = Budget(ONE, delta)
    for spent in (Spent(), Spent.of([TENTH] * 7), Spent.of([Epsilon.parse("0.01")] * 200)):
        left = budget.left(spent)
        assert budget.allows(spent + left) or left == Epsilon(0)
        assert not budget.allows(spent + Epsilon(left.units + 1))


def test_no_rounding_is_in_favour_of_the_analyst() -> None:
    with_delta = Budget(ONE, MILLIONTH)
    for count in (1, 7, 349):
        loss = with_delta.loss(Spent.of([Epsilon.parse("0.01")] * count))
        squares = Decimal(count) / 10_000
        exact = min(Decimal(count) / 100, (2 * Decimal(10**6).ln() * squares).sqrt() + squares / 2)
        assert exact <= loss.decimal < exact + Decimal("1e-18")


def test_several_people_lose_several_times_as_much() -> None:
    assert Budget(ONE).for_group(5) == (Epsilon.parse("5"), Fraction(0))
    epsilon, delta = Budget(ONE, MILLIONTH).for_group(3)
    assert epsilon == Epsilon.parse("3")
    assert float(delta) == pytest.approx(3 * exp(2) * 1e-6)
    assert Budget(Epsilon.parse("100"), MILLIONTH).for_group(9)[1] == 1


def test_a_delta_is_read_exactly_and_a_large_one_refused() -> None:
    assert parse_delta("1e-6") == parse_delta("0.000001") == parse_delta("1/1000000") == MILLIONTH
    assert parse_delta("0") == 0
    for text in ("0.01", "1", "-1", "x", "nan"):
        with pytest.raises(InvalidValue, match="delta"):
            parse_delta(text)
    with pytest.raises(InvalidValue, match="above 0"):
        Budget(Epsilon(0))
