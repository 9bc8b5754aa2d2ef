"""Epsilon and odds are exact; claims round up, statements round down."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.vectors.read import vectors

from hushpoll_shared.epsilon import UNITS, Epsilon, format_odds, parse_odds
from hushpoll_shared.errors import InvalidValue

VECTORS = vectors("epsilons")


@pytest.mark.parametrize("case", VECTORS["of_odds"], ids=lambda case: case["odds"])
def test_the_epsilon_of_odds_is_their_logarithm_rounded_up(case: dict[str, str]) -> None:
    assert str(Epsilon.of_odds(parse_odds(case["odds"]))) == case["epsilon"]


@pytest.mark.parametrize("case", VECTORS["parsed"], ids=lambda case: case["text"])
def test_a_stated_epsilon_is_read_exactly_and_put_into_words(case: dict[str, str]) -> None:
    epsilon = Epsilon.parse(case["text"])
    assert (str(epsilon), epsilon.band) == (case["epsilon"], case["band"])


def test_the_strength_makes_a_phrase() -> None:
    assert Epsilon.parse("1").protection == "strong protection"
    assert Epsilon.parse("5").protection == "little protection"


@pytest.mark.parametrize("text", VECTORS["refused"])
def test_what_is_no_number_is_refused_with_a_cure(text: str) -> None:
    with pytest.raises(InvalidValue, match=r"must (be a positive number such as|not divide by zero)"):
        Epsilon.parse(text)


@pytest.mark.parametrize("value", [0.5, True, None, ["1"], b"1"])
def test_only_texts_and_whole_numbers_are_read_never_floats(value: object) -> None:
    with pytest.raises(InvalidValue, match="in quotes"):
        Epsilon.parse(value)


@given(top=st.integers(1, 2**64), bottom=st.integers(1, 2**64))
def test_the_claimed_epsilon_is_above_the_true_one_by_less_than_a_unit(top: int, bottom: int) -> None:
    odds = max(Fraction(top, bottom), Fraction(bottom, top))
    with localcontext(prec=120):
        true = (Decimal(odds.numerator) / Decimal(odds.denominator)).ln() * UNITS
        assert 0 <= Epsilon.of_odds(odds).units - true <= 1


@given(st.integers(0, 10**22), st.integers(0, 10**22))
def test_epsilons_add_up_exactly(one: int, other: int) -> None:
    assert (Epsilon(one) + Epsilon(other)).units == one + other


@given(st.integers(0, 10**23))
def test_writing_and_reading_an_epsilon_changes_nothing(units: int) -> None:
    assert Epsilon.parse(str(Epsilon(units))) == Epsilon(units)


@pytest.mark.parametrize("text", ["3:1", "3", "6:2"])
def test_odds_are_reduced(text: str) -> None:
    assert format_odds(parse_odds(text)) == "3:1"


@pytest.mark.parametrize("value", ["3:0", "a:b", "3:-1", 1.5, "3 : 1", ""])
def test_odds_that_are_none_are_refused(value: object) -> None:
    with pytest.raises(InvalidValue, match="odds must"):
        parse_odds(value)


def test_odds_below_one_have_no_epsilon() -> None:
    with pytest.raises(InvalidValue, match="larger side first"):
        Epsilon.of_odds(Fraction(1, 3))


def test_a_negative_loss_does_not_exist() -> None:
    with pytest.raises(InvalidValue, match="negative"):
        Epsilon(-1)
