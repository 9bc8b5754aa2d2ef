"""The sampled Hamming ball for questions with several answers."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from operator import eq

import pytest
from tests.mechanisms.cases import Case, Law, Vector, choices
from tests.mechanisms.laws import mixture, threshold_of, two_weights
from tests.vectors.mechanisms import broken, mechanism_vectors, ticks

from hushpoll_server.mechanisms import Bound, mechanism_for
from hushpoll_server.mechanisms.ball import BallMechanism, contrast, option_variance
from hushpoll_shared.mechanisms import Ball
from hushpoll_shared.mechanisms.ball import pattern
from hushpoll_shared.question_types import MultiChoice

EPSILONS = ("0.1", "0.5", "1", "2", "4")
CASES = (
    Case(
        "ball",
        MultiChoice(choices(4).options),
        lambda bound: BallMechanism.of(bound, 4),
        tuple(product((0, 1), repeat=4)),
    ),
)

STUDIED = {"ball": (MultiChoice(choices(12).options), Ball(12, 2, 2, threshold_of(math.exp(2), 1, 3)))}


def law(design: Ball, code: tuple[int, ...]) -> Law:
    """Return the law: the asked options are random; patterns that agree in enough places share the threshold."""
    chosen = list(combinations(range(design.options), design.asked))
    return mixture((Fraction(1, len(chosen)), _patterns(design, code, asked)) for asked in chosen)


def _patterns(design: Ball, code: tuple[int, ...], asked: tuple[int, ...]) -> Law:
    truth = [code[option] for option in asked]
    patterns = list(product((0, 1), repeat=design.asked))
    agreeing = [sum(map(eq, each, truth)) >= design.agree for each in patterns]
    marks = (dict(zip(asked, map(str, each), strict=True)) for each in patterns)
    draws = ["".join(each.get(option, "-") for option in range(design.options)) for each in marks]
    return two_weights(design.threshold, dict(zip(draws, agreeing, strict=True)))


def vectors() -> Vector:
    sizes = (("1", 8), ("2", 8), ("4", 8), ("20", 40), ("4", 3))
    designs = [BallMechanism.of(Bound.of_epsilon(epsilon), options) for epsilon, options in sizes]
    wrong = broken(designs[1], asked=0, agree=3, options=1000) + broken(designs[1], asked=33, threshold="7")
    about = "asked options by Fisher-Yates, sorted; keep; uniform(inside); uniform(outside); the pattern of flips"
    return mechanism_vectors(about, ticks(designs, [[], [0], [1, 2], list(range(40))]), wrong)


def of(epsilon: str, options: int) -> BallMechanism:
    design = BallMechanism.of(Bound.of_epsilon(epsilon), options)
    mechanism = mechanism_for(MultiChoice(choices(max(2, options)).options), design)
    assert isinstance(mechanism, BallMechanism)
    return mechanism


@pytest.mark.parametrize(
    ("epsilon", "asked", "agree", "variance"), [("1", 1, 1, 9.1154), ("2", 2, 2, 2.3941), ("4", 4, 4, 0.5931)]
)
def test_it_has_the_published_figures(epsilon: str, asked: int, agree: int, variance: float) -> None:
    mechanism = of(epsilon, 8)
    assert (mechanism.design.asked, mechanism.design.agree) == (asked, agree)
    assert mechanism.variance() == pytest.approx(variance, abs=5e-5)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("options", [1, 3, 8, 20])
def test_it_is_the_best_of_all_balls(options: int, epsilon: str) -> None:
    odds = math.exp(float(epsilon))
    sizes = [(asked, agree) for asked in range(1, options + 1) for agree in range(1, asked + 1)]
    least = min(option_variance(options, asked, contrast(asked, agree, odds)) for asked, agree in sizes)
    mechanism = of(epsilon, options)
    assert mechanism.variance() == pytest.approx(least, rel=1e-9)
    assert mechanism.variance() >= mechanism.lower_bound() * (1 - 1e-9)


@pytest.mark.parametrize("options", [2, 8, 32, 128])
@pytest.mark.parametrize("epsilon", ["6", "10", "15", "20"])
def test_its_bound_is_never_above_its_variance(options: int, epsilon: str) -> None:
    mechanism = of(epsilon, options)
    assert mechanism.lower_bound() <= mechanism.variance() * (1 + 1e-6)


@pytest.mark.parametrize("asked", [1, 4, 7])
def test_patterns_are_all_different_and_ordered_by_their_number_of_flips(asked: int) -> None:
    patterns = [pattern(asked, rank) for rank in range(2**asked)]
    assert sorted(patterns) == list(range(2**asked))
    assert [flips.bit_count() for flips in patterns] == sorted(flips.bit_count() for flips in patterns)


def test_an_epsilon_of_20_asks_about_all_of_few_options_and_reports_the_truth() -> None:
    design = of("20", 4).design
    assert design.asked == 4
    assert design.p > 1 - Fraction(1, 10**6)
