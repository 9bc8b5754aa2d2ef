"""The square wave for distributions of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from tests.mechanisms.cases import TABLE_EPSILONS, Case, Law, Row, Studied, Vector, for_mean, places
from tests.mechanisms.laws import hexadecimal, two_weights
from tests.vectors.mechanisms import broken, exact, extras, mechanism_vectors, numbers

from hushpoll_server.mechanisms import Bound, Mechanism
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.plan.choose import choose_mechanism
from hushpoll_shared.mechanisms import SquareWave
from hushpoll_shared.question_types import EXTRAS, Number

PLAIN, DECLINABLE = Number("0", "1", "distribution"), Number("0", "1", "distribution", EXTRAS)
STUDIED: Studied = {}
CASES = (
    Case("square wave", PLAIN, lambda bound: SquareWaveMechanism.of(bound, 6, 1), places(6)),
    Case(
        "square wave with extras", DECLINABLE, lambda bound: SquareWaveMechanism.of(bound, 5, 1, 2), (*places(5), 0, 1)
    ),
)


def law(design: SquareWave, code: Fraction | int) -> Law:
    """Return the law: outputs near the answer share the threshold, the others the rest; extras follow the numbers."""
    width, numbers_ = 2 * design.half + 1, design.bins + 2 * design.half
    outputs = numbers_ + design.extras * width
    first = numbers_ + code * width if isinstance(code, int) else min(int(code * design.bins), design.bins - 1)
    near = {hexadecimal(output, outputs - 1): first <= output < first + width for output in range(outputs)}
    return two_weights(design.threshold, near)


def vectors() -> Vector:
    one, two = Bound.of_epsilon("1"), Bound.of_epsilon("2")
    designs = [SquareWaveMechanism.of(one, 16, 4), SquareWaveMechanism.of(two, 64, 9)]
    telling = SquareWaveMechanism.of(one, 16, 4, 2)
    wrong = broken(designs[0], bins=1, half=5000, threshold="3", extras=1) + broken(telling, extras=3)
    about = "keep; near = bin + uniform(2 half + 1); far = uniform of the others, skipping the near ones"
    return mechanism_vectors(about, numbers([*designs, telling]) + extras(telling), wrong, exact(CASES))


@pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2", "4"])
def test_the_mean_output_rises_by_the_slope(epsilon: str) -> None:
    design = SquareWaveMechanism.of(Bound.of_epsilon(epsilon), 6, 1)
    means = [sum(int(drawn, 16) * chance for drawn, chance in law(design, code).items()) for code in places(6)]
    assert {after - before for before, after in pairwise(means)} == {design.slope}


@pytest.mark.parametrize("extras_", [0, 1, 2])
def test_every_number_and_every_extra_has_as_many_near_outputs(extras_: int) -> None:
    design = SquareWaveMechanism.of(Bound.of_epsilon("1"), 8, 2, extras_)
    assert design.outputs == design.inside + design.outside == 12 + 5 * extras_


def test_an_epsilon_of_20_is_the_truth() -> None:
    assert SquareWaveMechanism.of(Bound.of_epsilon("20"), 6, 0).keep > 1 - Fraction(1, 10**6)


# --- the tables of its page ------------------------------------------------------------------------------------------


def square_wave_rows() -> Iterator[Row]:
    for epsilon in TABLE_EPSILONS:
        wave: Mechanism[Any] = choose_mechanism(Number("-1", "1", "distribution"), Bound.of_epsilon(epsilon))
        design, variance = wave.design, wave.variance()
        sizes = (str(design.half), str(design.outputs))
        figures = (f"{float(design.keep):.6f}", f"{float(design.slope):.6f}", f"{variance:.4f}")
        yield [epsilon, *sizes, *figures, f"{variance / for_mean(epsilon).variance():.2f}"]


TABLES = {"ε | h": square_wave_rows}
