"""Types of questions: invented answers are read back as their codes, and every answer has its words."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest
from tests.vectors.surveys import every_type

from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.mechanisms.domains import Categories, Code, Numbers, Ticks
from hushpoll_shared.question_types import (
    EXTRAS,
    QUESTION_TYPES,
    MultiChoice,
    Number,
    Option,
    Pair,
    Part,
    Scale,
    SingleChoice,
    YesNo,
)
from hushpoll_shared.questions import Question

WAYS = SingleChoice((Option("1", "Bus"), Option("car", "car")), EXTRAS)
QUESTIONS = every_type()


def codes_of(question: Question) -> Iterator[Code]:
    """List the codes of what can be answered; of numbers some."""
    extras = len(question.type.extras)
    match question.type.domain:
        case Categories(size):
            yield from range(size)
        case Ticks(cells, most):
            ticks = product((0, 1), repeat=cells - extras)
            yield from (code + (0,) * extras for code in ticks if most is None or sum(code) <= most)
            yield from (tuple(int(cell == cells - extras + extra) for cell in range(cells)) for extra in range(extras))
        case Numbers(points=points):
            steps = 8 if points is None else points - 1
            # A number that is an answer of its own has its own code, not its place.
            masses = {question.type.code_of(question.id, float(mass)) for mass in question.type.point_masses}
            places = (Fraction(place, steps) for place in range(steps + 1))
            yield from (each for each in places if not masses or 0 < each < 1)
            yield from range(len(masses) + extras)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_every_invented_answer_is_read_back_as_its_code(question: Question) -> None:
    codes = list(codes_of(question))
    assert len(codes) >= 2
    for code in codes:
        answers = question.type.invent_answers(question.id, code)
        assert tuple(answers) == question.answer_ids
        read = question.type.read_answers(question.id, answers)
        assert (type(read), read) == (type(code), code)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_every_cell_has_its_words(question: Question) -> None:
    assert len(question.type.words) == len(question.type.cells)
    assert len(set(question.type.words)) == len(question.type.words)


def test_an_extra_is_the_missing_answer_or_its_name() -> None:
    for question_type, last in ((WAYS, 2), (YesNo(EXTRAS), 2), (Scale(1, 3, (), "shares", EXTRAS), 3)):
        assert [question_type.answer_of(last + place) for place in (0, 1)] == [None, "does_not_apply"]
    for numbers in (Number("0", "9", "mean", EXTRAS), Scale(1, 3, (), "mean", EXTRAS)):
        assert [numbers.answer_of(place) for place in (0, 1)] == [None, "does_not_apply"]
    ticks = MultiChoice(WAYS.options, None, EXTRAS)
    assert [ticks.answer_of((0, 0, 1, 0)), ticks.answer_of((0, 0, 0, 1))] == [None, "does_not_apply"]


def test_a_number_outside_its_range_can_be_invented_and_is_read_as_the_end() -> None:
    hours = Number("0", "40")
    assert [hours.answer_of(Fraction(place)) for place in (-1, 2)] == [-40, 80]
    assert [hours.code_of("hours", answer) for answer in (-40, 80)] == [0, 1]


def test_a_point_mass_is_an_answer_of_its_own() -> None:
    drinks = Number("0", "20", "distribution", ("decline",), ("0", "0.1", "20"))
    codes = [drinks.code_of("drinks", answer) for answer in (0, 0.0, -0.0, 0.1, 20, None)]
    assert codes == [0, 0, 0, 1, 2, 3]
    # What is beyond the range is its end, which is a point mass here.
    assert [drinks.code_of("drinks", answer) for answer in (-5, 10**400, 1e308)] == [0, 2, 2]
    assert drinks.code_of("drinks", 10) == Fraction(1, 2)
    assert drinks.code_of("drinks", 5e-324) == Fraction(5e-324) / 20
    assert [drinks.answer_of(code) for code in range(4)] == [0.0, 0.1, 20.0, None]
    assert drinks.labels["0.1"] == "exactly 0.1"
    assert Number.read(drinks.to_json()) == drinks


@pytest.mark.parametrize(
    ("masses", "report", "words"),
    [
        (("0",), "mean", "report: distribution"),
        (("1", "0"), "distribution", "increasing order"),
        (("0", "0"), "distribution", "increasing order"),
        (("0", "1", "2", "3", "4"), "distribution", "at most 4"),
        (("21",), "distribution", "in the range"),
        (("00",), "distribution", "redundant zeros"),
        (("0.1", "0.10000000000001"), "distribution", None),
        (("1.00000000000001", "1.000000000000015"), "distribution", None),
    ],
)
def test_point_masses_that_cannot_be_are_refused(masses: tuple[str, ...], report: str, words: str | None) -> None:
    if words is None:
        assert Number("0", "20", report, (), masses).point_masses == masses
        return
    with pytest.raises(InvalidValue, match=words):
        Number("0", "20", report, (), masses)


def test_two_point_masses_that_are_one_float_are_refused() -> None:
    with pytest.raises(InvalidValue, match="too close"):
        Number("0", "999999999999999", "distribution", (), ("999999999999998.1", "999999999999998.11"))


def test_options_are_called_by_their_texts_and_extras_in_words() -> None:
    assert WAYS.words == ("Bus", "car", "prefer not to say", "does not apply")
    assert [WAYS.labels[cell] for cell in WAYS.cells] == list(WAYS.words)
    assert MultiChoice(WAYS.options, 1, EXTRAS).words == WAYS.words


def test_points_of_a_scale_have_their_number_and_their_label() -> None:
    assert Scale(1, 3, ((1, "none"), (3, "much"))).words == ("1 – none", "2", "3 – much")


def test_a_pair_joins_the_words_of_both_answers() -> None:
    pair = Pair((Part("a", "A?", YesNo(("decline",))), Part("b", "B?", WAYS)))
    assert pair.parts[0].type.words == ("no", "yes", "prefer not to say")
    assert list(pair.labels) == list(pair.cells)
    assert pair.labels["yes × 1"] == "yes × Bus"
    assert pair.labels["decline × does_not_apply"] == "prefer not to say × does not apply"


def test_only_questions_of_the_type_yes_no_are_answered_with_yes_or_no() -> None:
    assert [name for name, question_type in QUESTION_TYPES.items() if question_type.is_yes_no] == [YesNo.NAME]
