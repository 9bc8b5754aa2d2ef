"""Manifests of format 2: what is refused, what they cost, and that format 1 is written wherever it suffices."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.support.make_design_vectors import every_type, surveys
from tests.support.surveys import two_questions
from tests.support.vectors import vectors

from hushpoll_shared import problems
from hushpoll_shared.designs import Bound, Subset
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue, ManifestRefused
from hushpoll_shared.manifest import GENERAL, PLAIN, Manifest
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.questions import MultiChoice, Number, Option, Question, Scale, SingleChoice, YesNo
from hushpoll_shared.report import decode

VECTORS = vectors("manifests2")


@pytest.mark.parametrize("case", VECTORS["refused"], ids=lambda case: str(case["why"]))
def test_a_manifest_with_one_thing_wrong_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(ManifestRefused):
        Manifest.read(case["payload"].encode())


@pytest.mark.parametrize("payload", VECTORS["good"])
def test_a_good_manifest_writes_back_to_the_same_bytes(payload: str) -> None:
    manifest = Manifest.read(payload.encode())
    assert replace(manifest).payload == payload.encode()


@pytest.mark.parametrize("name", ["everything", "some", "panel"])
def test_every_survey_is_read_back_as_it_was_written(name: str) -> None:
    manifest, _ = surveys()[name]
    assert manifest.format == GENERAL
    assert Manifest.read(manifest.payload) == manifest


def test_plain_questions_are_written_in_the_format_that_they_always_had() -> None:
    assert two_questions().format == PLAIN


def test_a_survey_that_asks_some_questions_costs_the_dearest_of_them() -> None:
    manifest, _ = surveys()["some"]
    epsilons = sorted(question.design.epsilon for question in manifest.questions)
    assert manifest.epsilon == epsilons[-1]
    assert replace(manifest, ask=2).epsilon == epsilons[-1] + epsilons[-2]
    assert replace(manifest, ask=None).epsilon == sum(epsilons, start=Epsilon(0))


@pytest.mark.parametrize("draw", [1, "0", "ff", None, "-" * 3, ["0"]], ids=repr)
def test_a_report_with_a_draw_that_does_not_fit_its_design_is_refused(draw: object) -> None:
    manifest, _ = surveys()["everything"]
    [case] = [case for case in vectors("reports2")["surveys"] if case["name"] == "everything"]
    body = case["reports"][0]["body"]
    good = decode(body.encode(), manifest)
    fields = json.loads(good.encode())
    fields["answers"]["ways"] = draw
    with pytest.raises(ProblemError) as caught:
        decode(json.dumps(fields).encode(), manifest)
    assert caught.value.problem is problems.WRONG_ANSWERS


def test_a_report_must_answer_as_many_questions_as_are_asked() -> None:
    manifest, _ = surveys()["some"]
    [case] = [case for case in vectors("reports2")["surveys"] if case["name"] == "some"]
    good = decode(case["reports"][0]["body"].encode(), manifest)
    nothing = {question.id: question.design.blank for question in manifest.questions}
    with pytest.raises(ProblemError):
        decode(replace(good, answers=nothing).encode(), manifest)
    with pytest.raises(ProblemError):
        decode(good.encode(), replace(manifest, ask=2))


def test_a_blank_draw_is_refused_where_every_question_is_asked() -> None:
    manifest, _ = surveys()["everything"]
    blank = {question.id: question.design.blank for question in manifest.questions}
    [case] = [case for case in vectors("reports2")["surveys"] if case["name"] == "everything"]
    good = decode(case["reports"][0]["body"].encode(), manifest)
    with pytest.raises(ProblemError):
        decode(replace(good, answers={**good.answers, "ways": blank["ways"]}).encode(), manifest)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SingleChoice((Option("a", "a"),)),
        lambda: SingleChoice((Option("a", "a"), Option("a", "b"))),
        lambda: Option("decline", "Decline"),
        lambda: Option("a\n", "a"),
        lambda: Option("", "a"),
        lambda: Scale(1, 1),
        lambda: Scale(1, 2000),
        lambda: Scale(1, 5, ((6, "six"),)),
        lambda: MultiChoice((Option("a", "a"), Option("b", "b")), 3),
        lambda: Number("1", "0"),
        lambda: Number("01", "2"),
        lambda: Number("0", "1", "median"),
        lambda: Question("q", "?", YesNo(), Subset.from_bound(Bound.of_epsilon("1"), 3)),
        lambda: Question("q", "?", Number("0", "1"), every_type()[9].design),
    ],
)
def test_a_question_that_could_not_be_asked_cannot_be_made(make: Any) -> None:
    with pytest.raises(InvalidValue):
        make()
