"""The words of the privacy label follow from the numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.samples.designs import warner
from tests.samples.every_type import every_type, joined

from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.respond import label
from hushpoll_server.words import ENGLISH
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.presentation import When
from hushpoll_shared.question_types import EXTRAS, YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.words import interface, known


def survey_of(*epsilons: str) -> Manifest:
    questions = [Question(f"q{i}", f"{i}?", YesNo(), warner(epsilon=e)) for i, e in enumerate(epsilons)]
    return Manifest("odds", "Odds", "Taking part is voluntary.", tuple(questions))


# By their totals, from the smallest.
VERDICTS = {
    ("0.5",): "No",
    ("0.4", "0.6"): "No",
    ("1.1",): "No",
    ("0.1", "1.1"): "Perhaps",
    ("1", "1"): "Perhaps",
    ("0.5",) * 5: "Probably",
    ("3",): "Probably",
    ("0.8",) * 5: "Probably",
    ("6",): "Probably",
    ("1.0986",) * 20: "Probably",
}


@pytest.mark.parametrize(("epsilons", "verdict"), VERDICTS.items(), ids=lambda value: "".join(value))
def test_a_plain_no_is_only_said_where_all_answers_together_have_strong_protection(
    epsilons: tuple[str, ...], verdict: str
) -> None:
    manifest = survey_of(*epsilons)
    assert [row.verdict for row in label.rows(manifest)] == [verdict] * 4 + ["No", "Yes"]
    assert label.opening(manifest).startswith("Nobody can be sure") == (verdict == "No")


def test_more_epsilon_never_has_a_milder_verdict() -> None:
    totals = [sum(map(float, epsilons)) for epsilons in VERDICTS]
    severity = [("No", "Perhaps", "Probably").index(verdict) for verdict in VERDICTS.values()]
    assert totals == sorted(totals)
    assert severity == sorted(severity)


@pytest.mark.parametrize(("exact", "shown"), [("1", "1.00"), ("1.00001", "1.01"), ("0.001", "0.01"), ("12.3", "12.30")])
def test_an_epsilon_is_never_shown_smaller_than_it_is(exact: str, shown: str) -> None:
    assert label.rounded_up(Epsilon.parse(exact)) == shown


def test_a_survey_that_asks_some_questions_in_waves_says_what_that_means() -> None:
    manifest = every_type(questions=joined(), ask=1)
    asking, waves = label.notes(manifest)
    assert asking == "Your device randomly reports on 1 of 2 questions. The report shows which."
    assert waves == (
        "In repeated questions, an unchanged answer keeps its protection over all waves. "
        f"{ENGLISH['note_changed']} {ENGLISH['note_forgetting']}"
    )
    assert "your device says so before it is asked" in waves
    assert "seven days in Safari" in waves
    assert label.total(manifest) == "The one that it reports on"
    assert label.notes(survey_of("1", "2")) == ()


def test_a_survey_with_branches_says_that_the_later_report_tells_of_the_earlier_answer() -> None:
    often = Question(
        "often", "Often?", YesNo(EXTRAS[1:]), SubsetMechanism.of(Bound.of_epsilon("1"), 3), When("q0", (True,))
    )
    manifest = survey_of("1", "2")
    branching = replace(manifest, questions=(*manifest.questions, often))
    (note,) = label.notes(branching)
    assert [label.notes(branching, interface(tag)) for tag in known()] == [
        (interface(tag)["note_branches"],) for tag in known()
    ]
    assert "reports on them in any case" in note
    assert note.endswith("so for that answer the ε of these questions count together.")


def test_the_label_of_every_survey_says_that_the_time_taken_is_not_hidden() -> None:
    manifest = survey_of("1", "2")
    often = Question(
        "often", "Often?", YesNo(EXTRAS[1:]), SubsetMechanism.of(Bound.of_epsilon("1"), 3), When("q0", (True,))
    )
    branching = replace(manifest, questions=(*manifest.questions, often))
    assert label.not_hidden(manifest)[1].startswith("How long you took, from opening the survey to sending")
    assert "about 2 minutes after you open the survey" in label.not_hidden(branching)[1]
    for words in map(interface, known()):
        assert len(label.not_hidden(manifest, words)) == len(label.not_hidden(branching, words)) == 5
        assert label.not_hidden(manifest, words)[1] == words["time_taken"]
        assert label.not_hidden(branching, words)[1] == words.fill("time_on_grid", minutes=2)


def test_odds_that_are_too_long_to_read_are_rounded_up() -> None:
    odds = {question.id: label.exact_odds(question) for question in every_type().questions}
    assert odds["cheated"] == "3:1"
    assert odds["stress"] == "2.718282:1, rounded up; the integers are in the signed manifest"
