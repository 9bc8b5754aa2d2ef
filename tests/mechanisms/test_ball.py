"""The sampled Hamming ball for questions with several answers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from operator import eq

import numpy as np
import pytest
from tests.mechanisms.cases import TABLE_EPSILONS, Case, Law, Row, Vector, choices
from tests.mechanisms.laws import mixture, threshold_of, two_weights
from tests.vectors.mechanisms import broken, exact, mechanism_vectors, ticks

from hushpoll_server.mechanisms import Bound, mechanism_for
from hushpoll_server.mechanisms.ball import BallMechanism, ball_variance, contrast
from hushpoll_server.mechanisms.variance import AtShare
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
    return mechanism_vectors(about, ticks(designs, [[], [0], [1, 2], list(range(40))]), wrong, exact(CASES))


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
    balls = (ball_variance(options, asked, contrast(asked, agree, odds)) for asked, agree in sizes)
    least = min(ball.at(0.5, 0.0) for ball in balls)
    mechanism = of(epsilon, options)
    assert mechanism.variance() == pytest.approx(least, rel=1e-9)
    assert mechanism.variance() >= mechanism.lower_bound() * (1 - 1e-9)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("share", [0.01, 0.1, 0.3, 0.9, None])
def test_it_is_the_best_of_all_balls_at_the_share_that_it_is_chosen_for(share: float | None, epsilon: str) -> None:
    odds = math.exp(float(epsilon))
    for options in (3, 8, 20):
        sizes = [(asked, agree) for asked in range(1, options + 1) for agree in range(1, asked + 1)]
        balls = (ball_variance(options, asked, contrast(asked, agree, odds)) for asked, agree in sizes)
        design = BallMechanism.of(Bound.of_epsilon(epsilon), options, AtShare(share))
        chosen = mechanism_for(MultiChoice(choices(options).options), design)
        least = min(ball.at(share, 1.0) for ball in balls)
        assert chosen.variance_by_answer().at(share, 1.0) == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize(("epsilon", "asked", "saved"), [("3", (3, 2), 0.113), ("4", (4, 3), 0.152)])
def test_at_a_share_of_a_tenth_one_asked_option_fewer_is_better(
    epsilon: str, asked: tuple[int, int], saved: float
) -> None:
    designs = [BallMechanism.of(Bound.of_epsilon(epsilon), 8, AtShare(share)) for share in (0.5, 0.1)]
    assert tuple(design.asked for design in designs) == asked
    question = MultiChoice(choices(8).options)
    half, tenth = (mechanism_for(question, design).variance_by_answer().at(0.1, 1.0) for design in designs)
    assert half / tenth - 1 == pytest.approx(saved, abs=5e-4)


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


# --- the tables of its page ------------------------------------------------------------------------------------------


def least_of_all_sets(m: int, odds: float) -> float:
    """Return the least variance of any design on m options: try every set of answers that a report could favour."""
    answers = np.array(list(product((-1, 1), repeat=m)))
    sets = (np.arange(1, 2 ** len(answers) - 1)[:, np.newaxis] >> np.arange(len(answers)) & 1).astype(np.int8)
    centres, shares = sets @ answers / len(answers), sets.mean(axis=1)
    told = ((odds - 1) / (1 + (odds - 1) * shares)) ** 2 * (centres**2).sum(axis=1)
    return float(m / (4 * told.max()) - 0.25)


def ball_of(epsilon: str, m: int) -> BallMechanism:
    ball = mechanism_for(MultiChoice(choices(m).options), BallMechanism.of(Bound.of_epsilon(epsilon), m))
    assert isinstance(ball, BallMechanism)
    return ball


def ball_exact_rows() -> Iterator[Row]:
    for m, epsilon in product((2, 3, 4), TABLE_EPSILONS):
        ball = ball_of(epsilon, m)
        design, least = ball.design, least_of_all_sets(m, float(ball.design.odds))
        assert ball.variance() == pytest.approx(least, rel=1e-9)
        figures = (ball.variance(), least, ball.lower_bound())
        yield [str(m), epsilon, str(design.asked), str(design.agree), *(f"{figure:.4f}" for figure in figures)]


def ball_rows() -> Iterator[Row]:
    for m, epsilon in product((8, 32, 128), TABLE_EPSILONS):
        ball, odds = ball_of(epsilon, m), math.exp(float(epsilon))
        design = ball.design
        one = ball_variance(m, 1, contrast(1, 1, odds)).at(0.5, 0.0)
        divided = 1 / (4 * math.sinh(float(epsilon) / m / 2) ** 2)
        figures = (f"{float(design.p - design.q):.6f}", f"{ball.variance():.4f}", f"{one:.4f}", f"{divided:.4f}")
        size = (str(m), epsilon, str(design.asked), str(design.agree))
        yield [*size, *figures, f"{ball.variance() / ball.lower_bound():.3f}"]


def share_rows() -> Iterator[Row]:
    for share, m, epsilon in product((0.1, 0.02), (8, 32), ("1", "2", "3", "4")):
        question, bound = MultiChoice(choices(m).options), Bound.of_epsilon(epsilon)
        designs = [BallMechanism.of(bound, m, AtShare(each)) for each in (0.5, share)]
        half, own = (mechanism_for(question, design).variance_by_answer().at(share, 1.0) for design in designs)
        asked = (str(design.asked) for design in designs)
        yield [f"{share:g}", str(m), epsilon, *asked, f"{half:.4f}", f"{own:.4f}", f"{half / own:.3f}"]


TABLES = {
    "m | ε | t | τ | ball": ball_exact_rows,
    "m | ε | t | τ | c": ball_rows,
    "f | m | ε | t for ½": share_rows,
}
