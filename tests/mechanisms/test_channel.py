"""The finite unbiased channel for means."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

import pytest
from tests.mechanisms.cases import TABLE_EPSILONS, Case, Law, Row, Studied, Vector, for_mean, places
from tests.mechanisms.laws import SPAN, hexadecimal, mixture, rounded
from tests.mechanisms.real_law import odds_of
from tests.vectors.mechanisms import broken, extras, mechanism_vectors, numbers

from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.channel_bound import variance_bound
from hushpoll_server.mechanisms.channel_table import variance_at_points
from hushpoll_server.mechanisms.closed_forms import duchi_variance, hybrid_variance, piecewise_variance
from hushpoll_server.plan.choose import choose_design, choose_mechanism
from hushpoll_shared.mechanisms import Channel, Design
from hushpoll_shared.question_types import EXTRAS, QuestionType, Scale

EPSILONS = ("0.1", "0.5", "1", "2", "4")
POINTS, DECLINABLE = Scale(1, 5, (), "mean"), Scale(1, 5, (), "mean", EXTRAS)


def of(question: QuestionType, bound: Bound) -> Design:
    return choose_design(question, bound)


STUDIED: Studied = {}
CASES = (
    Case("channel on points", POINTS, lambda bound: of(POINTS, bound), places(5)),
    Case("channel with extras", DECLINABLE, lambda bound: of(DECLINABLE, bound), (*places(5), 0, 1)),
)


def law(design: Channel, code: Fraction | int) -> Law:
    """Return the law: round to a point without bias, and draw from its row; an extra has a row of its own."""
    rows = [_row(design, place) for place in range(len(design.table))]
    if isinstance(code, int):
        return rows[design.inputs + code]
    return mixture((share, rows[point]) for point, share in rounded(code, design.inputs - 1).items())


def _row(design: Channel, place: int) -> Law:
    marks = [0, *design.table[place], SPAN]
    chances = [Fraction(end - start, SPAN) for start, end in pairwise(marks)]
    return {hexadecimal(output, len(chances) - 1): chance for output, chance in enumerate(chances)}


def exact_channel() -> Channel:
    """Return a channel whose table is exact: P(3) = (i + 1)/4 at point i, values −1 and 3."""
    return Channel((-1, 3), 1, tuple((SPAN * (3 - i) // 4,) for i in range(3)))


def wide_channel() -> Channel:
    """Return a channel with more rows and outputs, also exact, in units of half a step."""
    rows = [[5 - i, 7 - i, 3 + i, 1 + i] for i in range(5)]
    table = tuple(tuple(SPAN * sum(row[: j + 1]) // 16 for j in range(3)) for row in rows)
    return Channel((-8, 0, 8, 16), 2, table)


def channel_with_extras() -> Channel:
    """Return an exact channel with two extras: a quarter of the draws distinguishes a number from them."""
    telling = [[2, 1, 1]] * 3 + [[1, 2, 1], [1, 1, 2]]
    values = [[9, 3], [6, 6], [3, 9], [6, 6], [6, 6]]
    rows = [one + other for one, other in zip(telling, values, strict=True)]
    table = tuple(tuple(SPAN * sum(row[: j + 1]) // 16 for j in range(4)) for row in rows)
    return Channel((None, None, None, -1, 3), 1, table, 2)


def vectors() -> Vector:
    designs, telling = [exact_channel(), wide_channel()], channel_with_extras()
    wrong = broken(designs[1], inputs=4, values=[1, 2], unit=0, table=[["1"]])
    wrong += broken(designs[0], table=[["0"], ["5"], ["9"]], values=[-1, "3"])
    wrong += broken(telling, extras=1, values=[None, None, 0, -1, 3]) + broken(telling, extras=0, inputs=5)
    about = "row = point below + [u64 < fraction]; output = number of thresholds of the row not above a u64"
    return mechanism_vectors(about, numbers([*designs, telling]) + extras(telling), wrong)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_it_has_the_truth_as_its_mean_and_the_stated_variance(epsilon: str) -> None:
    design = CASES[0].design(epsilon)
    assert isinstance(design, Channel)
    for point, code in enumerate(places(5)):
        chances = [(int(drawn, 16), chance) for drawn, chance in law(design, code).items()]
        values = [(Fraction(design.values[output] or 0, design.unit), chance) for output, chance in chances]
        mean = sum((value * chance for value, chance in values), Fraction(0))
        assert abs(mean - point) < Fraction(1, 10**12)
        variance = float(sum((value - mean) ** 2 * chance for value, chance in values)) / 4
        assert variance <= variance_at_points(design) * (1 + 1e-12)


@pytest.mark.parametrize("channel", [exact_channel(), wide_channel()], ids=["exact", "wide"])
def test_a_number_between_two_points_has_no_larger_odds(channel: Channel) -> None:
    assert odds_of([law(channel, Fraction(i, 17)) for i in range(18)]) <= channel.odds


def test_an_epsilon_of_20_is_the_truth() -> None:
    design = CASES[0].design("20")
    assert isinstance(design, Channel)
    assert variance_at_points(design) < 1e-6


# --- the tables of its page ------------------------------------------------------------------------------------------


def channel_rows() -> Iterator[Row]:
    for epsilon in TABLE_EPSILONS:
        channel, e = for_mean(epsilon), float(epsilon)
        least, rivals = variance_bound(math.exp(e)), (duchi_variance(e), piecewise_variance(e), hybrid_variance(e))
        figures = (channel.variance(), least, *rivals, channel.variance() / least)
        yield [epsilon, str(channel.design.inputs), *(f"{figure:.4f}" for figure in figures)]


def scale_rows() -> Iterator[Row]:
    for points, epsilon in product((2, 5, 11), ("1", "2")):
        channel = choose_mechanism(Scale(1, points, report="mean"), Bound.of_epsilon(epsilon))
        variance, least = channel.variance(), variance_bound(float(channel.design.odds), points)
        assert channel.lower_bound() == least
        yield [str(points), epsilon, *(f"{figure:.4f}" for figure in (variance, least, variance / least))]


TABLES = {"ε | points | channel": channel_rows, "points | ε": scale_rows}
