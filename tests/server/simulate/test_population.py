"""The truth about a question: answers drawn from it, and what is shown beside the estimate."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod, sqrt

import pytest
from tests.vectors.surveys import every_type

from hushpoll_server.simulate.population import ChoiceTruth, ExtrasTruth, TicksTruth, UniformTruth, ValuesTruth, Wheel
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.question_types import MultiChoice, Option

HALF, FIFTH, NONE = Fraction(1, 2), Fraction(1, 5), Fraction(0)
QUESTIONS = {question.id: question for question in every_type()}
OPTIONS = tuple(Option(name, name) for name in ("bus", "tram", "car"))
DRAWS = 3000


def near(count: int, share: float) -> bool:
    """Return whether a count is within five standard errors of its share: one false alarm in 1.7 million."""
    return abs(count / DRAWS - share) <= 5 * sqrt(share * (1 - share) / DRAWS)


def test_a_wheel_stops_at_each_place_as_often_as_its_share_says() -> None:
    wheel = Wheel((NONE, FIFTH, 4 * FIFTH, NONE))
    places = Counter(wheel.spin() for _ in range(DRAWS))
    assert places.keys() == {1, 2}
    assert near(places[1], 0.2)


def test_a_pair_is_answered_under_the_ids_of_its_parts() -> None:
    shares = tuple(HALF if cell in (1, 5) else NONE for cell in range(9))
    truth = ChoiceTruth(QUESTIONS["both"], shares)
    answers = {(answer["smokes"], answer["colour"]) for answer in (truth.draw() for _ in range(100))}
    assert answers == {(False, "green"), (True, "blue")}
    assert truth.shown == {**dict.fromkeys(QUESTIONS["both"].type.cells, 0.0), "no × green": 0.5, "yes × blue": 0.5}


def test_extras_are_answers_too() -> None:
    truth = ChoiceTruth(QUESTIONS["asked"], (NONE, NONE, HALF, HALF))
    assert {truth.draw()["asked"] for _ in range(100)} == {None, "does_not_apply"}
    assert truth.shown == {"no": 0.0, "yes": 0.0, "decline": 0.5, "does_not_apply": 0.5}


def test_plain_yes_or_no_shows_the_share_of_yes() -> None:
    assert ChoiceTruth(QUESTIONS["cheated"], (4 * FIFTH, FIFTH)).shown == 0.2


def test_ticks_are_independent() -> None:
    truth = TicksTruth("q", MultiChoice(OPTIONS, None, ("decline",)), (HALF, FIFTH, NONE, FIFTH))
    answers = [truth.draw()["q"] for _ in range(DRAWS)]
    assert near(answers.count(None), 0.2)
    assert near(sum(answer == ["bus", "tram"] for answer in answers), 0.8 * 0.5 * 0.2)
    assert truth.shown == pytest.approx({"bus": 0.4, "tram": 0.16, "car": 0.0, "decline": 0.2})


def test_too_many_ticks_are_drawn_again_and_the_shown_shares_say_so() -> None:
    shares = (HALF, FIFTH, HALF)
    truth = TicksTruth("q", MultiChoice(OPTIONS, 2), shares)
    ways = {ticks: float(prod(f if t else 1 - f for t, f in zip(ticks, shares, strict=True)))
            for ticks in product((0, 1), repeat=3) if sum(ticks) <= 2}  # fmt: skip
    expected = [sum(p for ticks, p in ways.items() if ticks[place]) / sum(ways.values()) for place in range(3)]
    assert truth.shown == pytest.approx(dict(zip(("bus", "tram", "car"), expected, strict=True)))
    answers = [truth.draw()["q"] for _ in range(DRAWS)]
    assert all(isinstance(answer, list) and len(answer) <= 2 for answer in answers)
    assert near(sum("bus" in answer for answer in answers if isinstance(answer, list)), expected[0])


def test_ticks_that_hardly_ever_keep_to_the_limit_are_refused() -> None:
    options = tuple(Option(f"o{place}", f"o{place}") for place in range(30))
    with pytest.raises(InvalidValue, match="question q: hardly anybody would tick so few"):
        TicksTruth("q", MultiChoice(options, 2), (HALF,) * 30)


def test_extras_beside_numbers_do_not_count_into_the_mean() -> None:
    truth = ExtrasTruth("q", ("decline", "does_not_apply"), (FIFTH, NONE), ValuesTruth("q", (3,), (Fraction(1),)))
    assert truth.shown == {"mean": 3.0, "decline": 0.2, "does_not_apply": 0.0}
    answers = Counter(truth.draw()["q"] for _ in range(DRAWS))
    assert answers.keys() == {None, 3}
    assert near(answers[None], 0.2)


def test_values_and_ranges_show_their_mean() -> None:
    values = ValuesTruth("q", (1, 2.5), (FIFTH, 4 * FIFTH))
    assert values.shown == pytest.approx({"mean": 2.2})
    assert {values.draw()["q"] for _ in range(200)} == {1, 2.5}
    uniform = UniformTruth("q", 5, 10)
    assert uniform.shown == {"mean": 7.5}
    drawn = [uniform.draw()["q"] for _ in range(DRAWS)]
    assert all(isinstance(value, float) and 5 <= value < 10 for value in drawn)
    # Standard error of the mean: 5/√12/√n.
    total = sum(value for value in drawn if isinstance(value, float))
    assert abs(total / DRAWS - 7.5) < 5 * 5 / sqrt(12 * DRAWS)
