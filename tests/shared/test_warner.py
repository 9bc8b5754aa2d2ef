"""Warner's design: exact odds, rounding toward privacy, the published numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.vectors import vectors

from hushpoll_shared.designs import Warner, read_design
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.randomness import SPAN

VECTORS = vectors("warner")

# Computed apart from this code, before it was written.
PUBLISHED = {"0.5": 11482347978973021681, "1": 13485650502877570762, "2": 16247838278329192790}


@pytest.mark.parametrize(("epsilon", "threshold"), PUBLISHED.items())
def test_the_threshold_is_the_published_one(epsilon: str, threshold: int) -> None:
    assert Warner.from_epsilon(epsilon).threshold == threshold


def test_three_to_one_is_exact() -> None:
    assert Warner.from_odds("3:1") == Warner(3 * 2**62)
    assert Warner.from_odds("3:1").odds == 3


@pytest.mark.parametrize("case", VECTORS["designs"], ids=lambda case: str(case["privacy"]))
def test_each_parameterisation_gives_the_design_of_the_vectors(case: dict[str, Any]) -> None:
    design = Warner.from_privacy(case["privacy"])
    assert design.to_json() == case["mechanism"]
    assert design.times_in_100 == case["times_in_100"]
    assert read_design(case["mechanism"]) == design


@pytest.mark.parametrize("privacy", VECTORS["refused"], ids=str)
def test_a_privacy_that_means_nothing_is_refused(privacy: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue):
        Warner.from_privacy(privacy)


@pytest.mark.parametrize("same", [{"odds": "3:1"}, {"p": "3/4"}, {"p": "0.75"}, {"truth": "1/2"}, {"truth": "0.5"}])
def test_two_fair_coins_can_be_written_in_many_ways(same: dict[str, object]) -> None:
    assert Warner.from_privacy(same) == Warner(3 * 2**62)


def test_one_die_is_odds_of_five_to_one() -> None:
    # 1 → yes, 6 → no, else the truth: truth with probability 4/6.
    design = Warner.from_truth("2/3")
    assert design.odds <= 5
    assert design.epsilon <= Epsilon.of_odds(Fraction(5))
    assert 5 - design.odds < Fraction(1, 10**17)


@given(st.integers(1, 40 * 10**6))
def test_the_realised_epsilon_is_never_above_the_stated_one_and_the_next_threshold_would_be(millionths: int) -> None:
    stated = Epsilon.parse(f"{millionths}/1000000")
    design = Warner.from_epsilon(f"{millionths}/1000000")
    assert design.epsilon <= stated
    if design.threshold + 1 < SPAN:
        assert Warner(design.threshold + 1).epsilon > stated


@given(st.integers(1, SPAN - 1).filter(lambda t: 2 * t != SPAN))
def test_epsilon_bounds_every_ratio_over_all_answers_and_reports(threshold: int) -> None:
    design = Warner(threshold)
    probability = {
        (answer, report): design.p if answer == report else design.q for answer in (0, 1) for report in (0, 1)
    }
    ratios = [probability[a, report] / probability[1 - a, report] for a in (0, 1) for report in (0, 1)]
    assert max(ratios) == design.odds
    assert all(sum(probability[answer, report] for report in (0, 1)) == 1 for answer in (0, 1))
    assert Epsilon.of_odds(max(ratios)) == design.epsilon


@given(st.fractions(min_value=0, max_value=1).filter(lambda p: p not in (0, 1) and p != Fraction(1, 2)))
def test_any_probability_is_rounded_toward_one_half(p: Fraction) -> None:
    if not 0 < p * SPAN < SPAN - 1 or abs(p - Fraction(1, 2)) * SPAN <= 1:
        return
    design = Warner.from_p(f"{p.numerator}/{p.denominator}")
    assert abs(design.p - Fraction(1, 2)) <= abs(p - Fraction(1, 2))
    assert abs(design.p - p) < Fraction(1, SPAN)


def test_a_spinner_below_one_half_keeps_its_meaning() -> None:
    below, above = Warner.from_p("1/4"), Warner.from_p("3/4")
    assert (below.p, below.q) == (above.q, above.p)
    assert below.epsilon == above.epsilon


def test_epsilon_of_twenty_is_nearly_the_truth_and_a_tiny_one_nearly_a_coin() -> None:
    assert 1 - Warner.from_epsilon("20").p < Fraction(1, 10**8)
    assert Warner.from_epsilon("0.000000001").p - Fraction(1, 2) < Fraction(1, 10**9)


@pytest.mark.parametrize("value", [2, -1, True, False, None, "1", 1.0, [1]])
def test_only_the_integers_0_and_1_are_draws(value: object) -> None:
    assert not Warner.from_odds("3:1").is_draw(value)
    assert Warner.from_odds("3:1").is_draw(0)
    assert Warner.from_odds("3:1").is_draw(1)
