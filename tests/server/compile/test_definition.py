"""What a researcher's survey file may hold, its error messages, and what it compiles into."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.samples.designs import warner
from tests.vectors.read import vectors

from hushpoll_server.compile.definition import QUESTION_KEYS, SURVEY_KEYS, DefinitionError, Finding, compile_survey
from hushpoll_server.compile.yaml_with_lines import LARGEST_FILE
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.mechanisms import Subset

GOOD = """\
survey: campus
title: Campus integrity
consent: Taking part is voluntary.
population: 12000
epsilon_cap: "4"
opens: 2026-11-16T09:00:00Z
closes: 2026-12-16T09:00:00Z
questions:
  - id: cheated
    text: Have you ever cheated?
    type: yes_no
    privacy: {odds: "3:1"}
"""
LAST = GOOD.count("\n")
PRIVACY_LINE = LAST


def errors_of(text: str) -> list[tuple[int, str]]:
    """Return the errors of a file, having checked that each names the file and its line."""
    with pytest.raises(DefinitionError) as caught:
        compile_survey(text, "poll.yaml")
    findings = [(finding.line, finding.message) for finding in caught.value.findings]
    assert str(caught.value).splitlines() == [f"poll.yaml, line {line}: {message}" for line, message in findings]
    return findings


def error_of(text: str) -> tuple[int, str]:
    [finding] = errors_of(text)
    return finding


def warnings_of(text: str) -> list[tuple[int, str]]:
    return [(finding.line, finding.message) for finding in compile_survey(text, "poll.yaml").warnings]


def with_privacy(privacy: str) -> str:
    return GOOD.replace('{odds: "3:1"}', privacy)


def without(line: str) -> str:
    return re.sub(rf"^ *{line}:.*\n", "", GOOD, flags=re.MULTILINE)


def as_json(**changes: Any) -> dict[str, Any]:
    question = {
        "id": "cheated",
        "text": "Have you ever cheated?",
        "type": "yes_no",
        "privacy": {"odds": "3:1"},
    }
    return {
        "survey": "campus",
        "title": "Campus integrity",
        "consent": "Taking part is voluntary.",
        "population": 12000,
        "epsilon_cap": "4",
        "opens": "2026-11-16T09:00:00Z",
        "closes": "2026-12-16T09:00:00Z",
        "questions": [question],
        **changes,
    }


def test_a_good_file_compiles_without_a_word() -> None:
    compiled = compile_survey(GOOD, "poll.yaml")
    assert compiled.warnings == ()
    assert compiled.manifest.survey == "campus"
    assert compiled.manifest.population == 12000
    assert compiled.manifest.questions[0].design == warner(odds="3:1")


def test_compiling_is_deterministic_to_the_byte_and_clients_take_the_result() -> None:
    first, second = (compile_survey(GOOD, name).manifest for name in ("a.yaml", "b.yaml"))
    assert first.payload == second.payload
    assert Manifest.read(first.payload) == first


@pytest.mark.parametrize("indent", [None, 2, "\t"])
@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_json_gives_the_same_manifest_as_yaml(indent: int | str | None, ensure_ascii: bool) -> None:
    title = 'Größe, 文, 😀, "quoted", a/b \\ c'
    yaml = GOOD.replace("title: Campus integrity", f"title: '{title}'")
    written = json.dumps(as_json(title=title), indent=indent, ensure_ascii=ensure_ascii)
    assert compile_survey(written, "poll.json").manifest.payload == compile_survey(yaml, "poll.yaml").manifest.payload


@pytest.mark.parametrize("variant", [GOOD.replace("\n", "\r\n"), "\ufeff" + GOOD, "---\n" + GOOD, GOOD + "# end\n"])
def test_line_ends_a_byte_order_mark_and_comments_change_nothing(variant: str) -> None:
    assert compile_survey(variant, "poll.yaml").manifest == compile_survey(GOOD, "poll.yaml").manifest


@pytest.mark.parametrize(
    ("privacy", "design"),
    [
        ("{odds: 3:1}", warner(odds="3:1")),
        ("{odds: 3}", warner(odds="3:1")),
        ("{epsilon: 1}", warner(epsilon="1")),
        ('{epsilon: "0.5"}', warner(epsilon="0.5")),
        ("{p: 3/4}", warner(p="3/4")),
        ("{truth: 1/2}", warner(truth="1/2")),
        ("\n      truth: '0.5'", warner(truth="1/2")),
    ],
)
def test_exact_privacy_values_need_quotes_only_where_yaml_would_make_a_float(privacy: str, design: Subset) -> None:
    assert compile_survey(with_privacy(privacy), "poll.yaml").manifest.questions[0].design == design


@pytest.mark.parametrize("character", vectors("texts")["refused"])
def test_a_text_that_an_invisible_character_turns_is_shown_on_its_line_with_the_cure(character: str) -> None:
    lines = GOOD.splitlines()
    for key in ("title:", "text:"):
        [place] = [place for place, line in enumerate(lines) if key in line]
        turned = [*lines[:place], f"{lines[place]}{character}?ton", *lines[place + 1 :]]
        line, message = error_of("\n".join(turned))
        assert line == place + 1
        assert "turns the direction of reading" in message
        assert "remove it" in message


@pytest.mark.parametrize("character", vectors("texts")["allowed"])
def test_marks_that_languages_need_are_taken_in_a_survey_file(character: str) -> None:
    compiled = compile_survey(GOOD.replace("Campus integrity", f"Campus{character} integrity"), "poll.yaml")
    assert compiled.manifest.title == f"Campus{character} integrity"


@pytest.mark.parametrize("parameter", ["epsilon", "p", "truth", "odds"])
def test_a_binary_float_is_refused_with_the_cure_in_quotes(parameter: str) -> None:
    line, message = error_of(with_privacy(f"{{{parameter}: 0.75}}"))
    assert line == PRIVACY_LINE
    assert message.startswith(parameter)
    assert message.endswith("in quotes")


def test_a_wrong_privacy_value_is_shown_on_its_own_line_not_on_that_of_privacy() -> None:
    assert error_of(with_privacy("\n      # about e\n      epsilon: 0.5"))[0] == PRIVACY_LINE + 2


@pytest.mark.parametrize(
    ("privacy", "words"),
    [
        ("{}", "exactly one of epsilon, odds, p, truth"),
        ('{odds: "3:1", p: "3/4"}', "exactly one of epsilon, odds, p, truth"),
        ('{eps: "1"}', "exactly one of epsilon, odds, p, truth"),
        ("3", "must be a map such as"),
        ("", "must be a map such as"),
        ('[{odds: "3:1"}]', "must be a map such as"),
        ('{epsilon: "0"}', "epsilon must be at least"),
        ('{epsilon: "-1"}', "positive number"),
        ('{epsilon: "41"}', "must not be above 40"),
        ('{p: "1/2"}', "p must not be 1/2"),
        ("{p: 1}", "above 0 and below 1"),
        ('{odds: "1:0"}', "divide by zero"),
        ("{odds: [3, 1]}", 'must be written as "3:1"'),
        ("{odds: true}", 'must be written as "3:1"'),
        ("{epsilon: null}", "in quotes"),
    ],
)
def test_a_wrong_privacy_says_what_is_right(privacy: str, words: str) -> None:
    line, message = error_of(with_privacy(privacy))
    assert line == PRIVACY_LINE
    assert words in message


def test_all_errors_of_a_file_are_said_in_one_run_in_the_order_of_lines() -> None:
    text = """\
titel: x
population: "12"
epsilon_cap: 0.5
opens: tomorrow
questions:
  - id: Not A Name
    typ: yes_no
  - 5
  - text: x
    type: essay
  - id: fourth
    type: yes_no
    privacy: {epsilon: 0.5}
  - id: fifth
    type: yes_no
    privacy: {epsilon: 0.5}
"""
    found = errors_of(text)
    assert [line for line, _ in found] == [1, 1, 2, 3, 4, 6, 6, 7, 8, 9, 10, 13, 16]
    assert "survey is missing: add a line such as survey: campus-integrity" in found[0][1]
    assert "did you mean title?" in found[1][1]


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        ("title: again\n", LAST + 1, "the key 'title' appears twice: remove one"),
        ("titel: x\n", LAST + 1, "did you mean title?"),
        ("population_size:\n  - a\n", LAST + 1, "did you mean population?"),
        ("zzz: 1\n", LAST + 1, "the fields here are survey, title"),
        ("<<: {title: x}\n", LAST + 1, "is not known"),
        ("    reason:\n", LAST + 1, "reason must be a text"),
        ("    colour: red\n", LAST + 1, "the fields here are id, text, type, options"),
        ("  - {id: cheated, text: x, type: yes_no, privacy: {p: 3/4}}\n", LAST + 1, "another question has this id"),
        ("  - {id: b, text: x, type: essay, privacy: {p: 3/4}}\n", LAST + 1, "type must be one of: yes_no"),
        ("  - {id: b, text: x, type: [], privacy: {p: 3/4}}\n", LAST + 1, "type must be one of: yes_no"),
        ("  - {id: [b], text: x, type: yes_no, privacy: {p: 3/4}}\n", LAST + 1, "id must be 1 to 64"),
        ("  - {id: b, text: ' ', type: yes_no, privacy: {p: 3/4}}\n", LAST + 1, "text is empty"),
        ("  - just words\n", LAST + 1, "this must be a map with fields such as id: …"),
        ("---\nsurvey: b\n", LAST + 1, "keep one survey in a file"),
        ("\tx: y\n", LAST + 1, "indent with spaces, not with tabs"),
        ("x: a: b\n", LAST + 1, "put a text with a colon in quotes"),
        ("x: &a 1\n", LAST + 1, "anchors and aliases"),
        ("&a x: 1\n", LAST + 1, "anchors and aliases"),
        ("x: *a\n", LAST + 1, "write the value out"),
        ("x: !!binary aGk=\n", LAST + 1, "tags (!) are not supported"),
        ("x: !mine {a: 1}\n", LAST + 1, "tags (!) are not supported"),
        ("x: !!python/object:os.system [a]\n", LAST + 1, "tags (!) are not supported"),
        ("x: !!bool perhaps\n", LAST + 1, "tags (!) are not supported"),
        ("!mine x: 1\n", LAST + 1, "tags (!) are not supported"),
        ("? [a]\n: b\n", LAST + 1, "a key must be a word"),
        ("x: 0x1F\n", LAST + 1, "write it in decimal digits"),
        ("x: \x07\n", LAST + 1, "a character here that texts cannot hold"),
        ("x: [1\n", LAST + 2, "this is not valid YAML"),
    ],
)
def test_a_slip_added_at_the_end_is_found_on_its_line(change: str, line: int, words: str) -> None:
    found = error_of(GOOD + change)
    assert found[0] == line
    assert words in found[1]


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("survey", "Campus", "survey must be 1 to 64 of a–z"),
        ("survey", "", "survey must be 1 to 64 of a–z"),
        ("title", "[a]", "title must be a text"),
        ("title", "5", "title must be a text"),
        ("title", '"\\ud800"', "half a character"),
        ("consent", "x" * 10_001, "consent must be a text of 1 to 10000 characters"),
        ("population", "0", "population must be a whole number from 1"),
        ("population", "1.5", "population must be a whole number from 1"),
        ("population", "true", "population must be a whole number from 1"),
        ("population", "99999999999999999999999999", "population must be a whole number from 1"),
        ("epsilon_cap", "1", "above the cap of 1: ask fewer questions"),
        ("epsilon_cap", "", "epsilon_cap must be a whole number"),
        ("epsilon_cap", "1.5", "in quotes"),
        ("opens", "2026-11-16", "must be written in UTC as 2026-11-16T09:00:00Z"),
        ("opens", "2026-02-30T00:00:00Z", "not a day and time that exists"),
        ("opens", "2026-11-16T09:00:00+01:00", "must be written in UTC"),
        ("closes", "2026-11-16T09:00:00Z", "closes must be later than opens"),
        ("closes", "12", "must be written in UTC"),
    ],
)
def test_a_wrong_value_is_found_on_its_line(key: str, value: str, words: str) -> None:
    text = re.sub(rf"^{key}:.*$", lambda _: f"{key}: {value}", GOOD, flags=re.MULTILINE)
    [expected] = [number for number, line in enumerate(text.splitlines(), start=1) if line.startswith(f"{key}:")]
    line, message = error_of(text)
    assert line == expected
    assert words in message


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n...\n"])
def test_an_empty_file_says_where_to_look(text: str) -> None:
    line, message = error_of(text)
    assert line >= 1
    assert "docs/surveys.md" in message or "must be a map" in message


@pytest.mark.parametrize("text", ["hello", "5", "- a\n- b\n", "null"])
def test_a_file_that_is_no_map_is_told_to_be_one(text: str) -> None:
    assert error_of(text) == (1, "this must be a map with fields such as survey: …")


@pytest.mark.parametrize("text", ["questions: []", "questions: 5", "questions: {a: b}", "questions:"])
def test_questions_must_be_a_list_with_one_at_least(text: str) -> None:
    assert (2, "questions must be a list with at least one question: - id: …") in errors_of(f"survey: a\n{text}\n")


@pytest.mark.parametrize("depth", [30, 450, 2_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    assert "nested too deeply" in error_of("[" * depth + "]" * depth)[1]


def test_a_huge_file_is_refused_before_it_is_read() -> None:
    assert error_of(GOOD + "#" * LARGEST_FILE) == (
        1,
        "the file is longer than 1000000 characters: a survey is much shorter",
    )


def test_two_hundred_questions_are_the_most() -> None:
    question = "  - {{id: q{}, text: x, type: yes_no, privacy: {{odds: 99:100}}}}\n"
    full = without("epsilon_cap") + "".join(question.format(i) for i in range(199))
    assert len(compile_survey(full, "poll.yaml").manifest.questions) == 200
    assert "between 1 and 200 questions" in error_of(full + question.format("x"))[1]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (without("title"), 1, "there is no title: people will see the survey's name"),
        (without("consent"), 1, "there is no consent: a default sentence is shown instead"),
        (without("text"), 9, "there is no text: people will see the question's id"),
        (without("privacy"), 9, "no privacy is stated: epsilon 1 is used"),
        (GOOD.replace("Taking", "This poll is Anonymous. Taking"), 3, "do not promise anonymity"),
        (GOOD.replace("Taking", "Anonymity is kept. Taking"), 3, "do not promise anonymity"),
        (GOOD.replace("Have you", "'{{name}}, have you").replace("cheated?", "cheated?'"), 10, "piped"),
        (GOOD.replace("Have you", "${q1} have you"), 10, "piped"),
    ],
)
def test_lint_warns_of_what_a_careful_colleague_would_ask(text: str, line: int, words: str) -> None:
    [(found, message)] = warnings_of(text)
    assert found == line
    assert words in message


def test_an_epsilon_above_4_asks_for_a_reason_and_is_content_with_one() -> None:
    weak = without("epsilon_cap").replace('{odds: "3:1"}', '{epsilon: "4.5"}')
    [(_, message)] = warnings_of(weak)
    assert "add reason: …" in message
    assert warnings_of(weak + "    reason: The answer is public anyway.\n") == []
    assert warnings_of(weak.replace("4.5", "4")) == []


def test_what_is_left_out_gets_the_safe_default() -> None:
    manifest = compile_survey("survey: a\nquestions: [{id: q, type: yes_no}]\n", "poll.yaml").manifest
    assert manifest.title == "a"
    assert manifest.consent.startswith("Taking part is voluntary")
    assert manifest.questions[0].design == warner(epsilon="1")
    assert (manifest.population, manifest.opens, manifest.closes) == (None, None, None)


def findings_or_nothing(text: str) -> tuple[Finding, ...]:
    """Compile a text that may be anything; return its errors, if any."""
    try:
        compile_survey(text, "poll.yaml")
    except DefinitionError as error:
        return error.findings or (Finding(0, ""),)
    return ()


LETTERS = [*"abc019_-:,[]{}&*!|>'\"%@`#?\n\n  \t\\\r\0\x85\u2028\ud800😀"]
WORDS = ["survey: ", "questions:\n", "  - id: q\n", "null", "~", "privacy: {odds: ", "type: yes_no\n", "<<: ", "!!int "]
SIGNS = ["&a ", "*a", "---\n", "...\n", "%YAML 1.1\n", "1e999", "0x"]


@settings(max_examples=150)
@given(st.lists(st.sampled_from([*LETTERS, *WORDS, *SIGNS]), max_size=30).map("".join) | st.text(max_size=60))
@example("? ")
@example("&a [*a]")
@example("&a [&a ")
@example("a: &a {b: *a}")
@example("questions: [{id: {}}, {id: {}}]")
def test_any_text_compiles_or_is_a_definition_error(text: str) -> None:
    for written in (text, GOOD + text, f"survey: a\nquestions:\n  - {text}"):
        assert all(finding.line >= 1 and finding.message for finding in findings_or_nothing(written))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=80)
@given(st.sampled_from(SURVEY_KEYS), VALUES)
def test_any_json_value_in_any_field_compiles_or_is_a_definition_error(key: str, value: Any) -> None:
    for written in (as_json(**{key: value}), as_json(questions=[dict.fromkeys(QUESTION_KEYS, value)])):
        assert all(finding.line >= 1 and finding.message for finding in findings_or_nothing(json.dumps(written)))


GOOD_QUESTIONS: dict[str, dict[str, Any]] = {
    "yes_no": {},
    "single_choice": {"options": ["a", "b", "c"]},
    "multi_choice": {"options": ["a", "b", "c"]},
    "scale": {"min": 1, "max": 5},
    "number": {"min": 0, "max": 40, "mechanism": "laplace"},
}


@settings(max_examples=150)
@given(st.sampled_from([*GOOD_QUESTIONS]), st.sampled_from(QUESTION_KEYS), VALUES)
@example("scale", "labels", {"1": None, "01": {}})
@example("single_choice", "options_file", "\0")
@example("number", "mechanism", [])
@example("number", "decline", True)
@example("number", "show_if", {"q": 1})
def test_any_json_value_in_any_field_of_any_type_does(type_: str, key: str, value: Any) -> None:
    question = {"id": "q", "text": "x", "type": type_, **GOOD_QUESTIONS[type_], key: value}
    written = json.dumps(as_json(questions=[question], epsilon_total="2"))
    assert all(finding.line >= 1 and finding.message for finding in findings_or_nothing(written))
