"""`show_if` in a survey file: what it compiles into, what lint says it costs, and its error messages."""

from __future__ import annotations

import pytest
from tests.server.compile.survey_files import CHOICE, NUMBER, SCALE, TICKS, error_of, manifest_of, survey

from hushpoll_server.compile.advice import advise
from hushpoll_server.compile.definition import DefinitionError, compile_survey
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared.mechanisms import Channel, Repeated
from hushpoll_shared.presentation import When
from hushpoll_shared.question_types import DOES_NOT_APPLY, EXTRAS

YES_NO = "type: yes_no"
PRIVATE = 'privacy: {epsilon: "1"}'


def two(first: str, show_if: str, second: str = YES_NO) -> str:
    """Return a survey whose second question, on line 6, is shown after answers to the first."""
    return survey(f"{first}, {PRIVATE}", f"{second}, {PRIVATE}, show_if: {show_if}")


def notes_of(text: str) -> dict[str, tuple[str, ...]]:
    return {advice.question.id: advice.notes for advice in advise(compile_survey(text, "poll.yaml"))}


@pytest.mark.parametrize(
    ("first", "show_if", "answers"),
    [
        (YES_NO, "{q1: yes}", (True,)),
        (YES_NO, "{q1: no}", (False,)),
        (YES_NO, "{q1: true}", (True,)),
        (YES_NO, '{"q1": "yes"}', (True,)),
        (f"{YES_NO}, decline: true", "{q1: [decline, no]}", ("decline", False)),
        (CHOICE, "{q1: once}", ("once",)),
        (CHOICE, "{q1: [often, once]}", ("often", "once")),
        ("type: single_choice, options: {yes: Sure, no: Never}", "{q1: yes}", ("yes",)),
        (TICKS, "{q1: [a, d]}", ("a", "d")),
        (f"{TICKS}, does_not_apply: true", "{q1: does_not_apply}", (DOES_NOT_APPLY,)),
        (SCALE, "{q1: [4, 5]}", (4, 5)),
        (f"{SCALE}, report: mean", "{q1: 1}", (1,)),
    ],
)
def test_answers_are_written_as_the_question_offers_them(first: str, show_if: str, answers: tuple[object, ...]) -> None:
    manifest = manifest_of(two(first, show_if))
    # In Python, True equals 1.
    assert repr(manifest.questions[1].when) == repr(When("q1", answers))  # type: ignore[arg-type]


def test_show_if_adds_does_not_apply_inside_the_domain_of_every_type() -> None:
    for second in (YES_NO, CHOICE, TICKS, SCALE, NUMBER, f"{NUMBER}, report: distribution"):
        assert manifest_of(two(YES_NO, "{q1: yes}", second)).questions[1].type.extras == (DOES_NOT_APPLY,)
    question = manifest_of(two(YES_NO, "{q1: yes}", f"{CHOICE}, decline: true")).questions[1]
    assert question.type.extras == EXTRAS
    assert question.design == SubsetMechanism.of(Bound.of_epsilon("1"), 5)


def test_a_yes_no_question_that_is_shown_sometimes_keeps_the_odds_of_warners_parameters() -> None:
    text = two(YES_NO, "{q1: yes}").replace('privacy: {epsilon: "1"}, show_if', 'privacy: {truth: "1/2"}, show_if')
    assert manifest_of(text).questions[1].design == SubsetMechanism.of(Bound.of_odds("3:1"), 3)


def test_a_mean_and_a_repeated_question_can_be_shown_sometimes() -> None:
    assert isinstance(manifest_of(two(YES_NO, "{q1: yes}", NUMBER)).questions[1].design, Channel)
    wave = f'{YES_NO}, show_if: {{q1: yes}}, privacy: {{epsilon: "1", permanent: "2"}}'
    manifest = manifest_of(survey(f"{YES_NO}, {PRIVATE}", wave, head="panel: p\n"))
    assert isinstance(manifest.questions[1].design, Repeated)


def test_a_question_may_follow_one_that_is_asked_inside_a_pair() -> None:
    pair = f"questions:\n  - {{id: both, pair: [q1, q2], {PRIVATE}}}\n"
    text = survey(YES_NO, CHOICE, f"{YES_NO}, {PRIVATE}, show_if: {{q2: often}}").replace("questions:\n", pair)
    assert manifest_of(text).questions[1].when == When("q2", ("often",))


@pytest.mark.parametrize(
    ("first", "show_if", "words"),
    [
        (YES_NO, "{q1: maybe}", "'q1' has no such answer: it has no, yes"),
        (YES_NO, "{q1: 1}", "it has no, yes"),
        (YES_NO, "{q1: decline}", "it has no, yes"),
        (CHOICE, "{q1: [once, twice]}", "it has never, once, often"),
        (SCALE, '{q1: "1"}', "it has 1, 2, 3, 4, 5"),
        (SCALE, "{q1: true}", "it has 1, 2, 3, 4, 5"),
        (SCALE, "{q1: 1.0}", "it has 1, 2, 3, 4, 5"),
        ("type: scale, min: 0, max: 20", "{q1: 21}", "it has 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 11 more"),
        (CHOICE, "{q1: []}", "after 1 to 100 answers"),
        (CHOICE, "{q1: [once, once]}", "is listed twice"),
        (CHOICE, "{q1: {once: true}}", "has no such answer"),
        (CHOICE, "{q1: }", "has no such answer"),
        (CHOICE, "{}", "show_if names one question"),
        (CHOICE, "{q1: once, q2: yes}", "show_if names one question"),
        (CHOICE, "q1", "such as {cheated: yes}"),
        (CHOICE, "{q9: yes}", "there is no question 'q9'"),
        (CHOICE, "{q2: yes}", "'q2' is not asked before this one: move it up"),
        (NUMBER, "{q1: 3}", "'q1' is a number: name a question of the types"),
    ],
)
def test_a_slip_is_shown_on_its_line_with_the_cure(first: str, show_if: str, words: str) -> None:
    line, message = error_of(two(first, show_if))
    assert line == 6
    assert words in message


def test_an_answer_on_a_line_of_its_own_is_shown_there() -> None:
    question = "  - id: q2\n    text: x\n    type: yes_no\n    show_if:\n      q1:\n      - once\n      - twice\n"
    assert error_of(survey(f"{CHOICE}, {PRIVATE}") + question)[0] == 12


def test_a_later_question_and_a_pair_cannot_decide() -> None:
    later = survey(f"{YES_NO}, {PRIVATE}, show_if: {{q2: yes}}", f"{YES_NO}, {PRIVATE}")
    assert "not asked before" in error_of(later)[1]
    pair = f"questions:\n  - {{id: both, pair: [q1, q2], {PRIVATE}}}\n"
    text = survey(YES_NO, CHOICE, f"{YES_NO}, {PRIVATE}, show_if: {{both: yes}}").replace("questions:\n", pair)
    assert error_of(text) == (8, "'both' is a pair: name one of its questions, q1 or q2")


@pytest.mark.parametrize("place", ["part", "pair"])
def test_a_pair_and_its_questions_are_always_shown(place: str) -> None:
    condition = {place: ", show_if: {q1: yes}"}
    pair = f"  - {{id: both, pair: [q2, q3], {PRIVATE}{condition.get('pair', '')}}}\n"
    text = survey(f"{YES_NO}, {PRIVATE}", f"{YES_NO}{condition.get('part', '')}", YES_NO) + pair
    line, message = error_of(text)
    assert line == (6 if place == "part" else 8)
    assert "always shown: remove show_if" in message


def test_show_if_and_its_opposite_is_an_error() -> None:
    assert "remove this field" in error_of(two(YES_NO, "{q1: yes}", f"{YES_NO}, does_not_apply: false"))[1]
    assert "leave one of the two out" in error_of(two(YES_NO, "{q1: yes}", f"{NUMBER}, mechanism: laplace"))[1]


def test_what_is_wrong_with_the_deciding_question_is_said_only_there() -> None:
    line, message = error_of(two("type: single_choice, options: [a]", "{q1: a}"))
    assert (line, "between 2 and" in message) == (5, True)


def test_all_slips_of_a_file_are_found_at_once() -> None:
    text = survey(f"{YES_NO}, {PRIVATE}", *[f"{YES_NO}, {PRIVATE}, show_if: {{q1: maybe}}"] * 2)
    with pytest.raises(DefinitionError) as caught:
        compile_survey(text, "poll.yaml")
    assert [finding.line for finding in caught.value.findings] == [6, 7]


def test_lint_says_what_show_if_costs_and_what_it_tells_of_the_first_answer() -> None:
    third = f"{YES_NO}, {PRIVATE}, show_if: {{q2: yes}}"
    notes = notes_of(
        survey(f"{CHOICE}, {PRIVATE}", f"{YES_NO}, {PRIVATE}, show_if: {{q1: once}}", third, f"{SCALE}, {PRIVATE}")
    )
    [decides] = notes["q1"]
    assert decides == "it decides on asking q2, q3: together they reveal at most epsilon 3.0000 about its answer"
    cost, _, decides = notes["q2"]
    assert cost.startswith("show_if adds does_not_apply; does_not_apply: ")
    assert cost.endswith("% more respondents are needed for the same accuracy")
    assert "epsilon 2.0000" in decides
    assert len(notes["q3"]) == 2
    assert notes["q4"] == ()


def test_lint_names_the_wait_that_every_show_if_costs_because_the_time_taken_would_tell_the_branch() -> None:
    hidden = f"{YES_NO}, {PRIVATE}, show_if: {{q1: yes}}"
    notes = notes_of(survey(f"{YES_NO}, {PRIVATE}", hidden, hidden, f"{SCALE}, {PRIVATE}"))
    for name in ("q2", "q3"):
        _, wait = notes[name]
        assert "the page sends no earlier than 2 minutes after it was opened" in wait
        assert wait.endswith("Asking everybody, with does_not_apply: true instead, delays nothing")
    asked_of_all = f"{YES_NO}, {PRIVATE}, does_not_apply: true"
    for name, said in notes_of(survey(f"{YES_NO}, {PRIVATE}", asked_of_all)).items():
        assert not [note for note in said if "delays" in note], name


def test_lint_says_of_a_pair_that_it_decides() -> None:
    pair = f"questions:\n  - {{id: both, pair: [q1, q2], {PRIVATE}}}\n"
    text = survey(YES_NO, CHOICE, f"{YES_NO}, {PRIVATE}, show_if: {{q2: often}}").replace("questions:\n", pair)
    assert any("it decides on asking q3" in note for note in notes_of(text)["both"])


def test_a_site_that_embeds_a_survey_with_branches_is_warned_about() -> None:
    text = two(YES_NO, "{q1: yes}").replace("questions:", "embed: [https://example.org]\nquestions:", 1)
    messages = [finding.message for finding in compile_survey(text, "poll.yaml").warnings]
    assert [message for message in messages if "count clicks" in message]
