"""Discrete Laplace noise: the textbook mechanism for a mean."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest
from tests.mechanisms.cases import TABLE_EPSILONS, Case, Law, Row, Studied, Vector, for_mean
from tests.mechanisms.laws import SPAN, hexadecimal, mixture, rounded
from tests.mechanisms.real_law import odds_of
from tests.vectors.mechanisms import broken, mechanism_vectors, numbers

from hushpoll_server.mechanisms import Bound, mechanism_for
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_shared.epsilon import format_odds
from hushpoll_shared.mechanisms import Laplace
from hushpoll_shared.question_types import Number

# A geometric number has no largest value, so the real draws cannot be enumerated; vectors and samples compare them.
STUDIED: Studied = {}
CASES: tuple[Case, ...] = ()


def law(design: Laplace, code: Fraction) -> Law:
    """Return the law: round to a point without bias and add the difference of two geometric numbers."""
    return mixture((share, _noisy(design, point)) for point, share in rounded(code, design.steps).items())


def _noisy(design: Laplace, point: int) -> Law:
    """Return (1 − a)/(1 + a)·a^|z| around a point; each end has all of the tail beyond it."""
    a, last = Fraction(design.threshold, SPAN), design.steps + 2 * design.reach
    chances = [_power(a, abs(output - design.reach - point)) / (1 + a) for output in range(last + 1)]
    inner = {hexadecimal(output, last): chance * (1 - a) for output, chance in enumerate(chances)}
    return inner | {hexadecimal(end, last): chances[end] for end in (0, last)}


def _power(a: Fraction, exponent: int) -> Fraction:
    # Exact powers of a 64-bit ratio would have thousands of digits.
    return a**exponent if exponent < 40 else Fraction(float(a) ** exponent)


def vectors() -> Vector:
    designs = [LaplaceMechanism.of(Bound.of_epsilon("1")), LaplaceMechanism.of(Bound.of_epsilon("4"), 4)]
    wrong = broken(designs[1], steps=0, reach=0, threshold="0")
    # This takes so many coins that a device would never finish.
    fields = {**designs[1].to_json(), "threshold": str(SPAN - 1), "odds": format_odds(Fraction(SPAN, SPAN - 1) ** 4)}
    wrong.append({"mechanism": {**fields, "epsilon": "1"}, "why": "too many coins"})
    about = "row as in channel; plus a geometric number, minus another; clamped"
    return mechanism_vectors(about, numbers(designs), wrong)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_it_has_exactly_the_claimed_odds_over_the_whole_range(epsilon: str) -> None:
    threshold = LaplaceMechanism.of(Bound.of_epsilon(epsilon)).threshold
    design = Laplace(16, 5, threshold)
    laws = [law(design, Fraction(point, 16)) for point in range(17)]
    assert all(sum(each.values()) == 1 for each in laws)
    assert odds_of(laws) == design.odds
    assert design.epsilon <= Bound.of_epsilon(epsilon).epsilon


def test_it_has_nearly_the_variance_of_the_textbook() -> None:
    for epsilon in ("0.5", "1", "2"):
        mechanism = mechanism_for(Number("0", "1"), LaplaceMechanism.of(Bound.of_epsilon(epsilon)))
        # 8/ε² on [−1, 1], and the rounding to a grid of 16 steps
        assert mechanism.variance() == pytest.approx(8 / float(epsilon) ** 2, rel=0.005)


# --- the tables of its page ------------------------------------------------------------------------------------------


def laplace_rows() -> Iterator[Row]:
    for epsilon in TABLE_EPSILONS:
        laplace = for_mean(epsilon, "laplace")
        design, variance = laplace.design, laplace.variance()
        size = (str(design.threshold), str(design.reach), f"{design.outputs:,}")
        yield [epsilon, *size, f"{variance:.4f}", f"{variance / for_mean(epsilon).variance():.2f}"]


TABLES = {"ε | A": laplace_rows}
