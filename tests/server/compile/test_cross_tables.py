"""`cross_tables` in a survey file: which pairs are counted, what lint says it costs, and its error messages."""

from __future__ import annotations

import math
import re

import pytest
from tests.server.compile.survey_files import CHOICE, NUMBER, SCALE, TICKS, error_of, survey

from hushpoll_server.compile.advice import advise_on_cross_tables
from hushpoll_server.compile.cross_tables import MOST_TABLES
from hushpoll_server.compile.definition import DefinitionError, compile_survey

YES_NO = "type: yes_no"
PRIVATE = 'privacy: {epsilon: "1"}'
WAVES = 'privacy: {epsilon: "1", permanent: "2"}'
# The line of the cross tables in the files below.
LINE = 4


def crossing(pairs: str, *questions: str, head: str = "") -> str:
    """Return a survey with cross tables."""
    return survey(*(f"{each}, {PRIVATE}" for each in questions), head=f"cross_tables: {pairs}\n{head}")


def test_pairs_are_kept_beside_the_manifest_which_does_not_change() -> None:
    text = crossing("[[q1, q2], [q3, q1]]", YES_NO, CHOICE, f"{SCALE}, decline: true")
    compiled = compile_survey(text, "poll.yaml")
    assert compiled.crossed == (("q1", "q2"), ("q3", "q1"))
    without = compile_survey(text.replace("cross_tables: [[q1, q2], [q3, q1]]\n", ""), "poll.yaml")
    assert without.crossed == ()
    assert without.manifest.payload == compiled.manifest.payload


def test_repeated_questions_and_questions_with_show_if_can_be_crossed() -> None:
    repeated = survey(f"{CHOICE}, {WAVES}", f"{YES_NO}, {WAVES}", head="cross_tables: [[q1, q2]]\npanel: campus\n")
    assert compile_survey(repeated, "poll.yaml").crossed == (("q1", "q2"),)
    branched = crossing("[[q1, q2]]", YES_NO, f"{CHOICE}, show_if: {{q1: yes}}")
    assert compile_survey(branched, "poll.yaml").crossed == (("q1", "q2"),)


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ("", "must be a list of pairs"),
        ("[]", "must be a list of pairs"),
        ("q1", "must be a list of pairs"),
        ("[q1]", "such as [cheated, frequency]"),
        ("[[q1]]", "such as [cheated, frequency]"),
        ("[[q1, q2, q3]]", "such as [cheated, frequency]"),
        ("[[q1, 2]]", "such as [cheated, frequency]"),
        ("[{q1: q2}]", "such as [cheated, frequency]"),
        ("[[q1, q9]]", "there is no question 'q9'"),
        ("[[q1, q1]]", "'q1' is named twice"),
        ("[[q1, q2], [q2, q1]]", "is listed twice, perhaps in the other order"),
        ("[[q1, q3]]", "'q3' cannot be crossed: take yes_no"),
        ("[[q4, q1]]", "'q4' cannot be crossed"),
        ("[[q1, q5]]", "'q5' cannot be crossed"),
        ("[[q1, q6]]", "has 1,002 cells, more than 1,000"),
    ],
)
def test_what_cannot_be_crossed_is_said_with_the_cure(pairs: str, words: str) -> None:
    large = "type: scale, min: 1, max: 501"
    text = crossing(pairs, YES_NO, CHOICE, TICKS, NUMBER, f"{SCALE}, report: mean", large)
    line, message = error_of(text)
    assert line == LINE
    assert words in message


def test_each_slip_is_said_on_its_own_line() -> None:
    text = crossing("\n  - [q1, q2]\n  - [q1, q8]\n  - [q9, q2]", YES_NO, CHOICE)
    with pytest.raises(DefinitionError) as caught:
        compile_survey(text, "poll.yaml")
    assert [finding.line for finding in caught.value.findings] == [LINE + 2, LINE + 3]


def test_a_question_that_is_wrong_itself_is_not_said_twice() -> None:
    line, message = error_of(crossing("[[q1, q2]]", YES_NO, "type: essay"))
    assert line == LINE + 3
    assert message.startswith("type must be one of")


def test_parts_of_a_pair_have_their_table_already() -> None:
    both = f"  - {{id: both, pair: [q1, q2], {PRIVATE}}}\n"
    text = survey(YES_NO, YES_NO, head="cross_tables: [[q1, q2]]\n") + both
    assert "asked inside a pair, which has its own cross table" in error_of(text)[1]
    assert "'both' cannot be crossed" in error_of(text.replace("[[q1, q2]]", "[[both, q1]]"))[1]


def test_a_survey_that_asks_some_of_its_questions_has_no_cross_tables() -> None:
    line, message = error_of(crossing("[[q1, q2]]", CHOICE, CHOICE, CHOICE, head="ask: 1\n"))
    assert line == LINE
    assert "join them into a pair, or remove ask" in message


def test_there_are_not_more_tables_than_anybody_reads() -> None:
    size = 12
    pairs = [f"[q{i}, q{j}]" for i in range(1, size) for j in range(i + 1, size + 1)]
    text = crossing(f"[{', '.join(pairs[: MOST_TABLES + 1])}]", *[YES_NO] * size)
    assert error_of(text) == (LINE, f"there are more than {MOST_TABLES} cross tables: name those that you will read")


def test_lint_says_how_well_a_cell_will_be_known_and_how_well_as_a_pair() -> None:
    text = crossing("[[q1, q2]]", YES_NO, CHOICE, head="respondents: 2000\n")
    [note] = advise_on_cross_tables(compile_survey(text, "poll.yaml"))
    # Var = (V_a + 1/4)(V_b + 1/9) − 1/36 with V_a = e/(e − 1)² + 1/4 and V_b = (e + 2)²·2²/(3·2·(e − 1)²)/3
    first = math.e / (math.e - 1) ** 2 + 1 / 4
    second = 4 * (math.e + 2) ** 2 / (18 * (math.e - 1) ** 2)
    half = 196 * math.sqrt(((first + 1 / 4) * (second + 1 / 9) - 1 / 36) / 2000)
    assert note.startswith(f"q1 × q2 with 2,000 respondents: a cell of the cross table ±{half:.1f} points; ±")
    apart, joined = (float(part) for part in re.findall(r"±([\d.]+) points", note))
    assert joined < apart
    assert "if both were asked as a pair with epsilon 2.0000" in note


def test_lint_compares_no_repeated_questions_with_a_pair_that_cannot_be() -> None:
    repeated = survey(f"{CHOICE}, {WAVES}", f"{YES_NO}, {WAVES}", head="cross_tables: [[q1, q2]]\npanel: campus\n")
    [note] = advise_on_cross_tables(compile_survey(repeated, "poll.yaml"))
    assert note.endswith(" points.")
    assert "pair" not in note
