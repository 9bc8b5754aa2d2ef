"""One epsilon for a whole survey: split over its questions, or spent on some of them by each device."""

from __future__ import annotations

import pytest
from tests.samples.designs import warner
from tests.server.compile.survey_files import CHOICE, NUMBER, TICKS, error_of, manifest_of, survey

from hushpoll_server.compile.definition import compile_survey
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.mechanisms import Subset


def test_a_total_is_split_equally_over_equal_questions_and_rounded_down() -> None:
    manifest = manifest_of(survey(*["type: yes_no"] * 3, head='epsilon_total: "2"\n'))
    assert {question.design for question in manifest.questions} == {warner(epsilon="0.6666")}
    assert manifest.epsilon <= Epsilon.parse("2")


def test_weights_move_the_split_as_the_cube_root() -> None:
    weighted = [f"type: yes_no, weight: {weight}" for weight in (1, 8, 27)]
    manifest = manifest_of(survey(*weighted, head="epsilon_total: 3\n"))
    # The optimum is .50166, 1.00210, 1.49624.
    given = [warner(epsilon=part) for part in ("0.5016", "1.0021", "1.4962")]
    assert [question.design for question in manifest.questions] == given


def test_what_a_question_states_itself_is_taken_off_the_total_first() -> None:
    manifest = manifest_of(survey('type: yes_no, privacy: {epsilon: "1.5"}', CHOICE, head="epsilon_total: 2\n"))
    assert manifest.questions[0].design == warner(epsilon="1.5")
    assert manifest.questions[1].design == SubsetMechanism.of(Bound.of_epsilon("0.5"), 3)


def test_all_types_share_one_budget() -> None:
    kinds = ("type: yes_no", CHOICE, TICKS, f"{NUMBER}, mechanism: laplace")
    manifest = manifest_of(survey(*kinds, f"{NUMBER}, report: distribution", head="epsilon_total: 4\n"))
    assert 3.999 < float(manifest.epsilon) <= 4


def test_with_ask_each_question_gets_its_part_of_the_total_and_draws_that_can_be_left_blank() -> None:
    manifest = manifest_of(survey(*["type: yes_no"] * 4, head="epsilon_total: 2\nask: 3\n"))
    assert manifest.ask == 3
    assert {question.design for question in manifest.questions} == {SubsetMechanism.of(Bound.of_epsilon("0.6666"), 2)}
    assert manifest.epsilon <= Epsilon.parse("2")


def test_ask_goes_with_privacy_stated_by_the_questions_too() -> None:
    manifest = manifest_of(survey(*['type: yes_no, privacy: {p: "3/4"}'] * 2, head="ask: 1\n"))
    assert manifest.questions[0].design == Subset(2, 1, warner(p="3/4").threshold)
    assert manifest.epsilon == warner(p="3/4").epsilon


def test_a_question_of_a_shared_budget_needs_no_privacy_and_there_is_no_warning() -> None:
    text = survey("type: yes_no", CHOICE, head="epsilon_total: 2\n")
    assert compile_survey(text, "poll.yaml").warnings == ()


def test_a_question_that_is_asked_twice_gets_a_warning() -> None:
    text = survey("type: yes_no", CHOICE, "type: yes_no", head="epsilon_total: 2\n")
    [warning] = compile_survey(text, "poll.yaml").warnings
    assert "another question asks the same" in warning.message


@pytest.mark.parametrize(
    ("questions", "head", "line", "words"),
    [
        (("type: yes_no",), "epsilon_total: 0.5\n", 4, "epsilon_total must be a whole number or a text"),
        (("type: yes_no",), "epsilon_total: 0\n", 4, "epsilon_total is too small for so many questions"),
        (("type: yes_no",) * 3, 'epsilon_total: "0.0002"\n', 4, "epsilon_total is too small for so many questions"),
        (("type: yes_no, privacy: {odds: 3}",), "epsilon_total: 2\n", 4, "every question has its own privacy"),
        (("type: yes_no, privacy: {epsilon: 2}", "type: yes_no"), "epsilon_total: 2\n", 4, "raise it, or lower theirs"),
        (("type: yes_no, privacy: {odds: 9}", "type: yes_no"), "epsilon_total: 2\nask: 1\n", 4, "gets epsilon 2: no"),
        (("type: yes_no", "type: yes_no"), "epsilon_total: 2\nask: 2\n", 5, "ask must be a whole number from 1 to 1"),
        (("type: yes_no", "type: yes_no"), "epsilon_total: 2\nask: one\n", 5, "ask must be a whole number from 1 to 1"),
        (("type: yes_no, weight: 2",), "", 5, "weight says how to split epsilon_total, and has no effect here"),
        (("type: yes_no, weight: 2", "type: yes_no"), "epsilon_total: 2\nask: 1\n", 7, "has no effect here"),
        (("type: yes_no, weight: 0", "type: yes_no"), "epsilon_total: 2\n", 6, "weight must be above 0"),
        (("type: yes_no, weight: 1.5", "type: yes_no"), "epsilon_total: 2\n", 6, "in quotes"),
        (("type: yes_no, privacy: {odds: 3}",), "respondents: 0\n", 4, "respondents must be a whole number from 1"),
    ],
)
def test_a_slip_about_the_budget_says_what_is_right(
    questions: tuple[str, ...], head: str, line: int, words: str
) -> None:
    found = error_of(survey(*questions, head=head))
    assert found[0] == line
    assert words in found[1]


def test_a_cap_is_kept_together_with_a_total() -> None:
    text = survey("type: yes_no", "type: yes_no", head='epsilon_total: 2\nepsilon_cap: "1.5"\n')
    assert "above the cap of 1.5" in error_of(text)[1]
