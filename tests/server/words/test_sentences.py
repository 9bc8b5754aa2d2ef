"""The sentences about each mechanism follow from its integers."""

from __future__ import annotations

import pytest
from tests.mechanisms.cases import every_case
from tests.samples.designs import warner
from tests.samples.every_type import AGREEMENT, ONE, PAY, TABLE, TWO, WAYS, every_type, options

from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.laplace import LaplaceMechanism
from hushpoll_server.mechanisms.privset import PrivSetMechanism
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_server.mechanisms.repeated import RepeatedMechanism
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.words.sentences import mechanism_name, odds_sentence, sent_sentence, times_in_100
from hushpoll_shared.mechanisms import DESIGNS, Ball, Channel, Design
from hushpoll_shared.question_types import AnyQuestionType, MultiChoice, Number, Pair, Part, Scale, SingleChoice, YesNo
from hushpoll_shared.questions import Question

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
    assert odds_sentence(Question("q", "?", question_type, design)) == f"Your device {sentence}"


def test_every_mechanism_has_its_sentences() -> None:
    small = (Question("q", "?", case.type, case.design("1")) for case in every_case())
    questions = [*every_type().questions, *small]
    assert {question.design.NAME for question in questions} == set(DESIGNS)
    assert all(sent_sentence(question).endswith(".") for question in questions)
    assert all(odds_sentence(question).startswith("Your device ") for question in questions)


def test_what_stands_in_the_report_is_said() -> None:
    said = {question.id: sent_sentence(question) for question in every_type().questions}
    assert said["mark"] == "a set of 27 of the 101 answers, one bit for each."
    assert said["ways"] == "for each of the 7 options, 1 for a tick or 0 for none, or - if it was left out."
    assert said["best"] == "the number of one of the 8 options and blanks, counted from 0."
    assert said["job_and_sleep"] == "a set of 3 of the 10 answer pairs, one bit for each."


def test_a_number_around_the_answer_is_not_counted_as_the_answer() -> None:
    times = {question.design.NAME: times_in_100(question) for question in every_type().questions}
    assert (times["channel"], times["laplace"]) == (None, None)
    assert (times["repeated"], times["projective"]) == (79, 58)


def test_what_people_call_a_mechanism_is_said_by_the_answers_where_there_are_two() -> None:
    names = {question.id: mechanism_name(question) for question in every_type().questions}
    assert (names["cheated"], names["helped"]) == ("randomized response", "subset selection")
