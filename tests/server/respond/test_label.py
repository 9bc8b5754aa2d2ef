"""The words of the privacy label follow from the numbers."""

from __future__ import annotations

import pytest

from hushpoll_server.respond import label
from hushpoll_shared.designs import Warner
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.manifest import Manifest, Question


def survey_of(*epsilons: str) -> Manifest:
    questions = [Question(f"q{i}", f"{i}?", "yes_no", Warner.from_epsilon(e)) for i, e in enumerate(epsilons)]
    return Manifest("odds", "Odds", "Taking part is voluntary.", tuple(questions))


@pytest.mark.parametrize(
    ("epsilon", "verdict"), [("0.5", "No"), ("1.1", "No"), ("1.2", "Perhaps"), ("2.1", "Probably"), ("6", "Probably")]
)
def test_a_plain_no_is_only_said_where_the_protection_is_strong(epsilon: str, verdict: str) -> None:
    rows = label.rows(survey_of("0.1", epsilon))
    assert [row.verdict for row in rows] == [verdict] * 4 + ["No", "Yes"]


@pytest.mark.parametrize(
    ("design", "sentence"),
    [
        (Warner.from_odds("3:1"), "your real answer 75 times in 100, the other one 25 times."),
        (Warner.from_odds("1:3"), "your real answer 25 times in 100, the other one 75 times."),
        (Warner.from_p("0.99"), "your real answer 99 times in 100, the other one once."),
        (Warner.from_epsilon("9"), "your real answer more than 99 times in 100, the other one less than once."),
    ],
)
def test_odds_are_whole_numbers_out_of_100(design: Warner, sentence: str) -> None:
    question = Question("q", "?", "yes_no", design)
    assert label.odds_sentence(question) == f"Your device sends {sentence}"


@pytest.mark.parametrize(("exact", "shown"), [("1", "1.00"), ("1.00001", "1.01"), ("0.001", "0.01"), ("12.3", "12.30")])
def test_an_epsilon_is_never_shown_smaller_than_it_is(exact: str, shown: str) -> None:
    assert label.rounded_up(Epsilon.parse(exact)) == shown


def test_the_least_protected_question_is_the_one_with_the_largest_epsilon() -> None:
    assert label.least_protected(survey_of("1", "2", "0.5")).id == "q1"
