"""How long a report to a survey with branches waits: what the page computes too (client/js/test/departure.test.js)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.samples.designs import warner
from tests.samples.every_type import ONE, options
from tests.samples.surveys import two_questions

from hushpoll_server.mechanisms.ball import BallMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.departure import longest_path, minutes_between
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.presentation import When
from hushpoll_shared.question_types import DOES_NOT_APPLY, MultiChoice, Pair, Part, YesNo
from hushpoll_shared.questions import Question

GATE = Question("gate", "Gate?", YesNo(), warner(odds="3:1"))
TICKS = Question("gate", "Gate?", MultiChoice(options("a", "b")), BallMechanism.of(ONE, 2))


def after(name: str, gate: str, *answers: bool | str) -> Question:
    return Question(name, "More?", YesNo((DOES_NOT_APPLY,)), SubsetMechanism.of(ONE, 3), When(gate, answers))


def survey(*questions: Question) -> Manifest:
    return two_questions(questions=questions)


@pytest.mark.parametrize(
    ("questions", "screens"),
    [
        ([GATE, after("x", "gate", True)], 2),
        ([GATE, after("x", "gate", True), after("y", "gate", True)], 3),
        # One answer opens one branch: the longer one counts.
        ([GATE, after("x", "gate", True), after("y", "gate", False), after("z", "gate", False)], 3),
        ([GATE, after("x", "gate", True), after("y", "gate", True, False)], 3),
        ([GATE, after("x", "gate", True), after("y", "x", True), after("z", "x", False, DOES_NOT_APPLY)], 3),
        # Ticks open all of theirs.
        ([TICKS, after("x", "gate", "a"), after("y", "gate", "b")], 3),
    ],
)
def test_the_longest_path_counts_what_one_person_can_be_asked(questions: list[Question], screens: int) -> None:
    assert longest_path(survey(*questions)) == screens
    assert minutes_between(survey(*questions)) == 1 + Fraction(screens, 4)


def test_both_questions_of_a_pair_are_screens_and_can_decide() -> None:
    parts = (Part("one", "One?", YesNo()), Part("two", "Two?", YesNo()))
    pair = Question("both", "Both", Pair(parts), SubsetMechanism.of(ONE, 4))
    assert longest_path(survey(pair, after("x", "two", True))) == 3


def test_a_survey_without_branches_waits_for_nothing_and_no_survey_for_longer_than_forty_minutes() -> None:
    assert minutes_between(survey(GATE)) is None
    many = (after(f"x{number}", "gate", True) for number in range(180))
    assert minutes_between(survey(GATE, *many)) == 40
