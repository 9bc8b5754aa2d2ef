"""A text that is missing is an error with its line and its cure: no page ever shows "null"."""

from __future__ import annotations

import pytest
from tests.server.compile.survey_files import error_of

from hushpoll_server.compile.definition import compile_survey

SURVEY = """survey: campus
title: Campus
consent: Taking part is voluntary.
language: en
questions:
  - id: often
    text: How often?
    type: single_choice
    options: {never: Never, often: Often}
    privacy: {epsilon: 1}
  - id: fair
    text: Is it fair?
    type: scale
    min: 1
    max: 3
    labels: {1: Unfair, 3: Fair}
    privacy: {epsilon: 1}
translations:
  de:
    title: Uni
    consent: Freiwillig.
    questions:
      often: {text: Wie oft?, options: {never: Nie, often: Oft}}
      fair: {text: Ist es fair?, labels: [Unfair, Gerecht]}
"""
TEXTS = {
    "title: Campus": (2, "title"),
    "consent: Taking part is voluntary.": (3, "consent"),
    "text: How often?": (7, "text"),
    "never: Never": (9, "an option"),
    "1: Unfair": (16, "a label"),
    "title: Uni": (20, "title"),
    "consent: Freiwillig.": (21, "consent"),
    "text: Wie oft?": (23, "text"),
    "never: Nie": (23, "a translation"),
    "[Unfair, Gerecht]": (24, "a translation"),
}


def with_value(written: str, value: str) -> str:
    """Return the survey with another value at this place."""
    other = f"[{value}, Gerecht]" if written.startswith("[") else f"{written.partition(':')[0]}: {value}"
    assert SURVEY.count(written) == 1
    return SURVEY.replace(written, other)


def test_the_survey_without_empty_texts_is_right() -> None:
    assert compile_survey(SURVEY, "poll.yaml").manifest.survey == "campus"


@pytest.mark.parametrize("value", ["null", "~", '""', '" "'])
@pytest.mark.parametrize("written", TEXTS)
def test_an_empty_text_is_an_error_on_its_line_with_a_cure(written: str, value: str) -> None:
    line, what = TEXTS[written]
    found, message = error_of(with_value(written, value))
    assert (found, message.partition(":")[0]) == (line, f"{what} is empty (null, ~, blanks or nothing)")
    assert ": write its text" in message


@pytest.mark.parametrize("written", [text for text in TEXTS if "[" not in text and "{" not in text])
def test_nothing_after_the_colon_is_an_empty_text_too(written: str) -> None:
    assert error_of(with_value(written, ""))[0] == TEXTS[written][0]


def test_a_label_can_be_left_out_and_the_error_says_how() -> None:
    message = error_of(SURVEY.replace("{1: Unfair, 3: Fair}", "[Unfair, null, Fair]"))[1]
    assert message.endswith("or name some points only, in a map such as {1: never}")


@pytest.mark.parametrize("word", ["null", "None", "undefined", "NaN"])
def test_the_word_that_a_program_writes_for_nothing_is_a_warning_as_a_title_and_fine_as_an_answer(word: str) -> None:
    warnings = compile_survey(with_value("title: Campus", f'"{word}"'), "poll.yaml").warnings
    assert [finding.line for finding in warnings if f"would read the word {word}" in finding.message] == [2]
    answer = compile_survey(with_value("never: Never", f'"{word}"'), "poll.yaml")
    assert not [finding for finding in answer.warnings if "would read" in finding.message]
