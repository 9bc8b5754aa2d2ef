"""What a paper says of each mechanism: a sentence that names what it cites, and the numbers of the design."""

from __future__ import annotations

import pytest
from tests.vectors.surveys import every_type, surveys

from hushpoll_server.estimate.estimands import MeanEstimand
from hushpoll_server.mechanisms import MECHANISMS, mechanism_of
from hushpoll_shared.questions import Question

QUESTIONS = (*every_type(), *surveys()["panel"][0].questions)


def test_every_mechanism_is_among_the_questions() -> None:
    assert {type(question.design) for question in QUESTIONS} == set(MECHANISMS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_the_sentence_cites_its_references_and_has_the_device_as_its_subject(question: Question) -> None:
    method = mechanism_of(question).method
    assert "the device " in method.sentence
    assert method.references
    assert all(reference.cited in method.sentence for reference in method.references)
    years = {(reference.cited[-4:], f"({reference.cited[-4:]})" in reference.entry) for reference in method.references}
    assert all(found for _, found in years)
    assert not any(gap in f"{method.sentence}{method.parameters}" for gap in ("{", "}", "None", "Fraction"))


def parameters(name: str) -> str:
    [question] = [question for question in QUESTIONS if question.id == name]
    return mechanism_of(question).method.parameters


def test_the_parameters_are_those_of_the_design() -> None:
    assert parameters("cheated") == "p = 0.75, q = 0.25"
    # e/(e + 3) and (1 − p)/3
    assert parameters("asked") == "k = 4, p = 0.4754, q = 0.1749"
    assert parameters("height") == "g = 16, h = 4, 24 outputs, p = 0.6199"
    assert parameters("noise").startswith("17 points, α = 0.9394, outputs from \N{MINUS SIGN}")


def test_a_channel_tells_the_values_of_its_outputs_on_the_range_of_the_question() -> None:
    [hours] = [question for question in QUESTIONS if question.id == "hours"]
    estimand = mechanism_of(hours).estimand({})
    assert isinstance(estimand, MeanEstimand)
    values = estimand.design.values
    assert f"values from \N{MINUS SIGN}{-values.min():,.4g} to {values.max():,.4g}" in parameters("hours")
    assert "whether there is a number" in parameters("income")
