"""Padding and sampling for questions with few answers out of many."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import compress, product

import pytest
from tests.mechanisms import test_subset
from tests.mechanisms.cases import Case, Law, Vector, choices
from tests.mechanisms.laws import mixture, threshold_of
from tests.vectors.mechanisms import broken, mechanism_vectors, ticks

from hushpoll_server.mechanisms import Bound, mechanism_for
from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.padded import PaddedMechanism, _with_picks
from hushpoll_shared.mechanisms import Padded, Subset
from hushpoll_shared.question_types import MultiChoice

TWO_OF_FOUR = MultiChoice(choices(4).options, 2)
AT_MOST_TWO = tuple(bits for bits in product((0, 1), repeat=4) if sum(bits) <= 2)
CASES = (
    Case("padded", TWO_OF_FOUR, lambda bound: PaddedMechanism.of(bound, 4, 2), AT_MOST_TWO),
    Case("padded, many picks", TWO_OF_FOUR, lambda bound: _with_picks(bound, 4, 2, 3), AT_MOST_TWO),
)

STUDIED = {"padded": (MultiChoice(choices(12).options, 3), Padded(12, 3, 3, threshold_of(math.exp(2), 3, 12)))}


def law(design: Padded, code: tuple[int, ...]) -> Law:
    """Choose one of the ticked options and of the blanks by lot, and report it by subset selection."""
    ticked = list(compress(range(design.options), code))
    blanks = range(design.options + len(ticked), design.options + design.most)
    inner = Subset(design.options + design.most, design.picks, design.threshold)
    return mixture((Fraction(1, design.most), test_subset.law(inner, each)) for each in (*ticked, *blanks))


def vectors() -> Vector:
    sizes = (("1", 8, 2), ("1", 8, 3), ("0.1", 30, 2))
    designs = [PaddedMechanism.of(Bound.of_epsilon(epsilon), options, most) for epsilon, options, most in sizes]
    wrong = broken(designs[0], most=9, picks=9, options=1) + broken(designs[0], threshold="99")
    about = "uniform(most) chooses from the padded answer, then subset selection among options and blanks"
    return mechanism_vectors(about, ticks(designs, [[], [0], [1, 7]]), wrong)


@pytest.mark.parametrize(("options", "most", "wins"), [(30, 1, True), (8, 2, True), (8, 8, False)])
def test_it_is_better_than_the_ball_if_few_of_many_may_be_ticked(options: int, most: int, wins: bool) -> None:
    question, bound = MultiChoice(choices(options).options, most), Bound.of_epsilon("1")
    designs = PaddedMechanism.of(bound, options, most), BallMechanism.of(bound, options)
    padded, ball = (mechanism_for(question, design).compared_variance() for design in designs)
    assert (padded < ball) == wins
