"""The channel for means: private and unbiased in exact arithmetic, as good as the linear program, small, stable."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.channel_program import Program, Solution
from hushpoll_server.mechanisms.channel_table import default_inputs, solve_channel, variance_at_points, worst_variance
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms import Channel
from hushpoll_shared.randomness import SPAN

# The best worst-case variance on [-1, 1] by linear programming with 17 inputs and 81 outputs.
PROGRAM = {"0.5": 16.0062, "1": 3.9906, "2": 0.8653, "4": 0.1264}


def channel(epsilon: str, inputs: int | None = None, *, between: bool = True) -> Channel:
    odds = Bound.of_epsilon(epsilon).odds
    return solve_channel(odds, default_inputs(odds) if inputs is None else inputs, between=between)


@pytest.mark.parametrize("epsilon", PROGRAM)
def test_a_numbers_channel_is_within_two_percent_of_the_program_rounding_included(epsilon: str) -> None:
    assert worst_variance(channel(epsilon)) <= 1.02 * PROGRAM[epsilon]


@pytest.mark.parametrize("epsilon", PROGRAM)
def test_a_channel_on_seventeen_points_is_as_good_as_the_program(epsilon: str) -> None:
    assert variance_at_points(channel(epsilon, 17, between=False)) <= 1.003 * PROGRAM[epsilon]


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "2", "4", "11.6", "20"])
@pytest.mark.parametrize("inputs", [2, 3, 4, 5, 11])
def test_promises_hold_in_exact_arithmetic(epsilon: str, inputs: int) -> None:
    check_promises(channel(epsilon, inputs), epsilon)


def test_promises_hold_when_most_rows_are_mixtures_of_neighbours() -> None:
    check_promises(channel("0.5", 101), "0.5")


def check_promises(made: Channel, epsilon: str) -> None:
    for output in range(len(made.values)):
        column = [row[output] for row in made.weights]
        assert min(column) >= 1
        assert Epsilon.of_odds(Fraction(max(column), min(column))) <= Epsilon.parse(epsilon)
    for place, row in enumerate(made.weights):
        assert sum(row) == SPAN
        assert abs(made.moment(place, 1) - place) < Fraction(1, 10**12)


@pytest.mark.parametrize("epsilon", ["0.01", "1", "4"])
def test_little_of_the_allowed_epsilon_is_left_unused(epsilon: str) -> None:
    assert channel(epsilon).odds >= Bound.of_epsilon(epsilon).odds * (1 - Fraction(1, 10**11))


@pytest.mark.parametrize("epsilon", ["0.01", "1", "4", "20"])
def test_two_points_are_warners_design(epsilon: str) -> None:
    odds = Bound.of_epsilon(epsilon).odds
    made = channel(epsilon, 2)
    threshold = SPAN - -(-SPAN * odds.denominator // (odds.numerator + odds.denominator))
    assert made.table == ((threshold,), (SPAN - threshold,))


@pytest.mark.parametrize("points", [5, 7, 11])
def test_a_scale_of_few_points_gets_outputs_beyond_its_ends(points: int) -> None:
    made = channel("1", points, between=False)
    values = [value for value in made.values if value is not None]
    assert values[0] < 0
    assert values[-1] > (points - 1) * made.unit


@pytest.mark.parametrize("inputs", [2, 5, 101])
def test_at_epsilon_twenty_a_point_is_reported_as_it_is(inputs: int) -> None:
    assert variance_at_points(channel("20", inputs, between=False)) < 1e-6


def test_a_channel_is_mirrored_at_the_middle_up_to_the_last_unit() -> None:
    made = channel("2", 9)
    for row, mirrored in zip(made.weights, reversed(made.weights), strict=True):
        assert all(abs(left - right) <= 1 for left, right in zip(row, reversed(mirrored), strict=True))


def test_the_same_wish_gives_the_same_table() -> None:
    odds = Bound.of_epsilon("2").odds
    assert solve_channel.__wrapped__(odds, 9) == solve_channel.__wrapped__(odds, 9)


@pytest.mark.parametrize("epsilon", ["0.5", "1", "4"])
def test_another_processors_last_bits_give_the_same_table(monkeypatch: pytest.MonkeyPatch, epsilon: str) -> None:
    odds, rng = Bound.of_epsilon(epsilon).odds, np.random.default_rng(1)
    made, solve = solve_channel.__wrapped__(odds, 9), Program.solve

    def elsewhere(*args: Any, **options: Any) -> Solution:
        solution = solve(*args, **options)
        noise = 1 + 1e-15 * rng.standard_normal(solution.weights.size)
        return replace(solution, weights=solution.weights * noise)

    monkeypatch.setattr(Program, "solve", elsewhere)
    assert solve_channel.__wrapped__(odds, 9) == made


@pytest.mark.parametrize("epsilon", PROGRAM)
def test_a_default_table_travels_in_twenty_kilobytes(epsilon: str) -> None:
    assert len(json.dumps(channel(epsilon).parameters())) <= 20_000


@pytest.mark.parametrize(("odds", "inputs"), [(Fraction(1), 5), (Fraction(3), 1), (Fraction(3), 1002)])
def test_a_channel_that_cannot_be_is_refused(odds: Fraction, inputs: int) -> None:
    with pytest.raises(InvalidValue):
        solve_channel(odds, inputs)
