"""Reading the truth: every form of every type, and errors that name the question and the cure."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from tests.mechanisms.test_channel import channel_with_extras
from tests.samples.surveys import two_questions
from tests.vectors.surveys import every_type

from hushpoll_server.simulate.population import ChoiceTruth, TicksTruth, Truth, UniformTruth, ValuesTruth
from hushpoll_server.simulate.population_file import read_truth
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import EXTRAS, Scale
from hushpoll_shared.questions import Question

QUESTIONS = {question.id: question for question in every_type()}


def read(name: str, given: Any) -> Truth:
    """Read the truth about the only question of a survey."""
    manifest = Manifest("survey", "Survey", "Please.", (QUESTIONS[name],))
    return read_truth(json.dumps({name: given}).encode(), manifest)[name]


def shares(name: str, given: Any) -> list[float]:
    truth = read(name, given)
    assert isinstance(truth, ChoiceTruth | TicksTruth | ValuesTruth)
    assert not isinstance(truth, ChoiceTruth) or sum(truth.shares) == 1
    return [float(share) for share in truth.shares]


def test_a_number_is_the_share_of_yes() -> None:
    truth = read_truth(b'{"helped": 1, "cheated": 0.5}', two_questions())
    assert list(truth) == ["cheated", "helped"]
    assert [about.shown for about in truth.values()] == [0.5, 1.0]


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("cheated", {"yes": 0.25}, [0.75, 0.25]),
        ("cheated", {"no": 0.75, "yes": 0.25}, [0.75, 0.25]),
        ("asked", 0.25, [0.75, 0.25, 0, 0]),
        ("asked", {"yes": 0.25, "decline": 0.5}, [0.25, 0.25, 0.5, 0]),
        ("way", {"1": 0.5, "decline": 0.5}, [0.5, 0, 0, 0, 0.5]),
        ("way", [0, 0, 0.5, 0.25, 0.25], [0, 0, 0.5, 0.25, 0.25]),
        ("stress", {"-1": 0.5, "4": 0.5}, [0.5, 0, 0, 0, 0, 0.5]),
        ("stress", {"mean": 1.5}, [0.5, 0, 0, 0, 0, 0.5]),
        ("stress", {"values": [0, 0, 1, 4]}, [0, 0.5, 0.25, 0, 0, 0.25]),
        ("stress", {"low": 0.5, "high": 2}, [0, 0, 0.5, 0.5, 0, 0]),
        ("pain", {"mean": 1.5}, [0.25, 0, 0.75]),
        ("pain", [0.5, 0.25, 0.25], [0.5, 0.25, 0.25]),
        ("ways", {"1": 1, "car": 0.5, "decline": 0.25}, [1, 0, 0.5, 0, 0.25, 0]),
        ("hours", {"mean": 10}, [0.75, 0.25]),
        ("hours", {"values": [1, 2, 2.5, 40]}, [0.25] * 4),
        ("both", {"yes × blue": 0.5, "decline × red": 0.5}, [0, 0, 0, 0, 0, 0.5, 0.5, 0, 0]),
    ],
)
def test_every_form_gives_its_shares(name: str, given: Any, expected: list[float]) -> None:
    assert shares(name, given) == expected


def test_extras_stand_beside_numbers() -> None:
    assert read("age", {"mean": 33, "decline": 0.25}).shown == {"mean": 33.0, "decline": 0.25}
    assert read("income", {"values": [1, 2]}).shown == {"mean": 1.5, "decline": 0.0, "does_not_apply": 0.0}
    question = Question("q", "q?", Scale(0, 2, (), "mean", EXTRAS), channel_with_extras())
    manifest = Manifest("survey", "Survey", "Please.", (question,))
    for given in ({"mean": 1.5, "decline": 0.5}, {"0": 0.125, "2": 0.375, "decline": 0.5}):
        truth = read_truth(json.dumps({"q": given}).encode(), manifest)["q"]
        assert truth.shown == {"mean": 1.5, "decline": 0.5, "does_not_apply": 0.0}


def test_a_range_is_uniform() -> None:
    assert read("hours", {"low": 5, "high": 7.5}) == UniformTruth("hours", 5, 7.5)


def test_parts_of_a_pair_are_independent() -> None:
    manifest = Manifest("survey", "Survey", "Please.", (QUESTIONS["both"],))
    given = {"smokes": {"yes": 0.5, "decline": 0.25}, "colour": {"red": 0.5, "blue": 0.5}}
    truth = read_truth(json.dumps(given).encode(), manifest)["both"]
    assert isinstance(truth, ChoiceTruth)
    assert truth.shares == tuple(Fraction(eighths, 8) for eighths in (1, 0, 1, 2, 0, 2, 1, 0, 1))


def test_shares_with_few_digits_are_made_to_add_up() -> None:
    assert shares("stress", [0.1, 0.2, 0.3, 0.2, 0.1, 0.1]) == pytest.approx([0.1, 0.2, 0.3, 0.2, 0.1, 0.1])


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (b"", "must be JSON such as"),
        (b"\xff", "not UTF-8"),
        (b'{"cheated": 0.5, "cheated": 0.4, "helped": 0}', "same key twice"),
        (b'{"cheated": NaN, "helped": 0}', "must be JSON"),
        (b"[" * 100_000, "must be JSON"),
        (b"[0.5, 0.5]", "exactly these entries: cheated, helped"),
        (b'{"cheated": 0.5}', "exactly these entries: cheated, helped"),
        (b'{"cheated": 0.5, "helped": 0.5, "other": 0.5}', "exactly these entries: cheated, helped"),
        (b'{"cheated": 1.01, "helped": 0.5}', "question cheated: shares are numbers between 0 and 1"),
        (b'{"cheated": -0.01, "helped": 0.5}', "question cheated: shares are numbers between 0 and 1"),
        (b'{"cheated": 0.5, "helped": 1e999}', "question helped: give the share of yes between 0 and 1"),
        (b'{"cheated": "0.5", "helped": 0.5}', "question cheated: give the share of yes between 0 and 1"),
        (b'{"cheated": true, "helped": 0.5}', "question cheated: give the share of yes between 0 and 1"),
        (b'{"cheated": null, "helped": 0.5}', "question cheated: give the share of yes between 0 and 1"),
        (b'{"cheated": [0.5], "helped": 0.5}', "question cheated: give the share of yes between 0 and 1"),
    ],
)
def test_a_truth_that_is_none_is_refused_with_the_cure(written: bytes, words: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        read_truth(written, two_questions())
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("asked", {"yes": 0.7, "decline": 0.4}, "above 1 together"),
        ("asked", {"maybe": 0.7}, "no such answer: give shares for no, yes, decline, does_not_apply"),
        ("way", {"1": 0.5}, "its shares add up to 0.5: they must add up to 1"),
        ("way", [0.5, 0.5], "a list must give 5 shares"),
        ("way", 0.5, 'give shares by answer, such as {"1": 0.5}'),
        ("way", {"1": True}, "shares are numbers between 0 and 1"),
        ("code", {"nowhere": 1}, "c11 and so on"),
        ("stress", {"mean": 5}, "give numbers from -1 to 4"),
        ("stress", {"values": [0.5]}, "values must be points of the scale, -1 to 4"),
        ("stress", {"low": 1.2, "high": 1.8}, "nothing between low and high"),
        ("ways", {"boat": 0.5}, "no such answer"),
        ("ways", [0.5], "give shares by answer"),
        ("ways", {"decline": 0.7, "does_not_apply": 0.7}, "the extras have shares above 1 together"),
        ("few", {"1": 1, "0": 1, "car": 1}, "hardly anybody would tick so few"),
        ("hours", 20, 'give {"mean": …}'),
        ("hours", {"mean": 20, "low": 0}, 'give {"mean": …}'),
        ("hours", {"mean": "20"}, "give numbers from 0 to 40"),
        ("hours", {"mean": 10**400}, "give numbers from 0 to 40"),
        ("hours", {"values": []}, "values must be a list of numbers"),
        ("hours", {"low": 7, "high": 5}, "give the lower one first"),
        ("hours", {"mean": 7, "decline": 0.5}, 'give {"mean": …}'),
        ("income", {"mean": 7, "decline": 0.7, "does_not_apply": 0.7}, "above 1 together"),
        ("income", {"mean": 7, "decline": "0.7"}, "shares are numbers between 0 and 1"),
        ("both", {"yes × blue": 0.5}, "they must add up to 1"),
    ],
)
def test_an_error_names_the_question_and_the_cure(name: str, given: Any, words: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        read(name, given)
    assert str(caught.value).startswith(f"question {name}: ")
    assert words in str(caught.value)


def test_a_survey_with_a_pair_asks_for_its_parts() -> None:
    manifest = Manifest("survey", "Survey", "Please.", (QUESTIONS["both"], QUESTIONS["few"]))
    with pytest.raises(InvalidValue, match="exactly these entries: colour, few, smokes"):
        read_truth(b"{}", manifest)
