"""The sentences about each mechanism follow from its integers."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, asdict

import pytest
from tests.mechanisms.cases import every_case
from tests.samples.designs import warner
from tests.samples.every_type import AGREEMENT, ONE, PAY, TABLE, TWO, WAYS, every_type, options
from tests.vectors.read import vectors

from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.privset import PrivSetMechanism
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.mechanisms import DESIGNS, Ball, Channel, Design
from hushpoll_shared.question_types import AnyQuestionType, MultiChoice, Number, Pair, Part, Scale, SingleChoice, YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.signing import verify
from hushpoll_shared.words import known
from hushpoll_shared.words.languages import _read

LOT = SingleChoice(options(*map(str, range(3000))))
SIXTEEN = SingleChoice(options(*map(str, range(16))))
PAIR = Pair((Part("a", "?", YesNo()), Part("b", "?", YesNo())))
SENTENCES = [
    (YesNo(), warner(odds="3:1"), "sends your real answer 75 times in 100, the other one 25 times."),
    (YesNo(), warner(p="0.99"), "sends your real answer 99 times in 100, the other one once."),
    (
        YesNo(),
        warner(epsilon="9"),
        "sends your real answer more than 99 times in 100, the other one less than once.",
    ),
    (YesNo(), SubsetMechanism.of(ONE, 2), "sends your real answer 73 times in 100, the other one 27 times."),
    (SIXTEEN, SubsetMechanism.of(ONE, 16, 1), "sends your real answer 15 times in 100, one of the 15 others 85 times."),
    (
        SIXTEEN,
        SubsetMechanism.of(ONE, 16),
        (
            "sends a set of 4 of the 16 answers, with your real one 48 times in 100, "
            "without it 52 times. A set drawn blindly would hold it 25 times."
        ),
    ),
    (PAIR, SubsetMechanism.of(TWO, 4), "sends your real answer pair 71 times in 100, one of the 3 others 29 times."),
    (
        LOT,
        ProjectiveMechanism.of(ONE, 3000),
        (
            "sends a number that stands for about 1,000 of the 3,000 answers, with "
            "your real one 58 times in 100, without it 42 times. A set drawn blindly would hold it 33 times."
        ),
    ),
    (
        MultiChoice(options(*WAYS)),
        Ball(6, 1, 1, SubsetMechanism.of(ONE, 2).threshold),
        (
            "sends a tick or none for 1 of "
            "the 6 options, chosen at random: as you chose 73 times in 100, the opposite 27 times."
        ),
    ),
    (
        MultiChoice(options(*WAYS)),
        Ball(6, 3, 2, SubsetMechanism.of(ONE, 2).threshold),
        (
            "sends a tick or none for 3 of the 6 options, chosen at random: at least 2 are as you chose 73 times in "
            "100, fewer 27 times. Drawn blindly, at least 2 would be so 50 times."
        ),
    ),
    (
        MultiChoice(options("a", "b")),
        BallMechanism.of(Bound.of_epsilon("6"), 2),
        (
            "sends a tick or none for each of the "
            "2 options: both are as you chose 99 times in 100, fewer once. Drawn blindly, both would be so 25 times."
        ),
    ),
    (
        MultiChoice(options(*WAYS), 2),
        PrivSetMechanism.of(TWO, 6, 2),
        (
            "fills your ticks up to 2 with blanks, and sends one of the 8 options and blanks: one of yours 71 times in "
            "100, another one 29 times. Drawn blindly, it would be one of yours 25 times."
        ),
    ),
    (
        MultiChoice(options(*WAYS), 2),
        PrivSetMechanism.of(ONE, 6, 2, 3),
        (
            "fills your ticks up to 2 with blanks, and sends a set of 3 of the 8 options and blanks: with at least one "
            "of yours 83 times in 100, without any 17 times. A set drawn blindly would hold one 64 times."
        ),
    ),
    (
        Number("0", "4"),
        Channel((-2, 6), 1, TABLE),
        (
            "sends a random number around yours. A guess between two "
            "equally likely answers is then right at most 75 times in 100, wrong at least 25 times."
        ),
    ),
    (
        Scale(1, 5, report="mean"),
        LaplaceMechanism.of(ONE),
        (
            "sends a random number around yours. A guess "
            "between two equally likely answers is then right at most 74 times in 100, wrong at least 26 times."
        ),
    ),
    (
        PAY,
        SquareWaveMechanism.of(ONE, 64, 16),
        (
            "sends a random place on the line from -1.5 to 100, near your answer 59 times "
            "in 100, elsewhere 41 times. Near is within 26 % of the line; a place drawn blindly would be near 34 times."
        ),
    ),
    (
        AGREEMENT,
        RepeatedMechanism.of(ONE, TWO, 5),
        (
            "draws one lasting random answer, your real one 65 times in "
            "100, one of the 4 others 35 times. In each wave it sends a new random draw of that answer."
        ),
    ),
]


@pytest.mark.parametrize(
    ("question_type", "design", "sentence"), SENTENCES, ids=lambda value: getattr(value, "NAME", "")
)
def test_the_odds_are_said_in_whole_numbers_beside_those_of_chance(
    question_type: AnyQuestionType, design: Design, sentence: str
) -> None:
    assert Question("q", "?", question_type, design).told("en").odds == f"Your device {sentence}"


def test_every_mechanism_has_its_sentences() -> None:
    small = (Question("q", "?", case.type, case.design("1")) for case in every_case())
    questions = [*every_type().questions, *small]
    assert {question.design.NAME for question in questions} == set(DESIGNS)
    assert all(question.told("en").sent.endswith(".") for question in questions)
    assert all(question.told("en").odds.startswith("Your device ") for question in questions)


def test_what_stands_in_the_report_is_said() -> None:
    said = {question.id: question.told("en").sent for question in every_type().questions}
    assert said["mark"] == "a set of 27 of the 101 answers, one bit for each."
    assert said["ways"] == "for each of the 7 options, 1 for a tick or 0 for none, or - if it was left out."
    assert said["best"] == "the number of one of the 8 options and blanks, counted from 0."
    assert said["job_and_sleep"] == "a set of 3 of the 10 answer pairs, one bit for each."


def test_the_vectors_are_what_an_app_is_told_about_a_verified_survey() -> None:
    written, surveys = vectors("told"), vectors("reports")["surveys"]
    signed = {survey["name"]: verify(survey["envelope"].encode(), None).questions for survey in surveys}
    questions = {(name, question.id): question for name, asked in signed.items() for question in asked}
    small = {case["fields"]["mechanism"]["name"] for case in written["questions"]}
    assert small | {questions[place["survey"], place["id"]].design.NAME for place in written["surveys"]} == set(DESIGNS)
    for place in written["surveys"]:
        for tag, sentences in place["told"].items():
            told = questions[place["survey"], place["id"]].told(tag)
            assert asdict(told) == {**written["always"][tag], **sentences}


def test_a_language_is_found_by_its_tag_or_its_primary_language_else_it_is_english() -> None:
    question = Question("q", "?", YesNo(), warner(odds="3:1"))
    found = vectors("told")["found"]
    assert {tag: question.told(tag).language for tag in found} == found
    assert question.told("pt") == question.told("en")
    assert question.told("de-AT") == question.told("de") != question.told("en")


def test_what_is_told_is_frozen_and_says_in_which_direction_it_is_read() -> None:
    question = Question("q", "?", YesNo(), warner(odds="3:1"))
    told = question.told("ar-EG")
    assert (told.language, told.direction) == ("ar", "rtl")
    with pytest.raises(FrozenInstanceError):
        told.odds = "always"  # type: ignore[misc]  # that it cannot be set is the test


def test_every_mechanism_has_words_in_every_language_and_in_no_other() -> None:
    for name in DESIGNS:
        assert sorted(_read(f"mechanisms/{name}.js")) == list(known())
