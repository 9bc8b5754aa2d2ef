"""Manifests: one spelling, what is refused, what they cost, and the reports that fit them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.vectors.read import vectors
from tests.vectors.surveys import every_type, surveys

from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_shared import problems
from hushpoll_shared.epsilon import Epsilon
from hushpoll_shared.errors import InvalidValue, ManifestRefused
from hushpoll_shared.manifest import FORMAT, LARGEST_PAYLOAD, Manifest
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.question_types import MultiChoice, Number, Option, Scale, SingleChoice, YesNo
from hushpoll_shared.questions import Question
from hushpoll_shared.report import decode

PAYLOADS = vectors("manifests")["payloads"]
SURVEYS = {case["name"]: case for case in vectors("reports")["surveys"]}


@pytest.mark.parametrize("case", PAYLOADS["refused"], ids=lambda case: str(case["why"]))
def test_a_manifest_with_one_thing_wrong_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(ManifestRefused) as caught:
        Manifest.read(case["payload"].encode())
    # One that were refused for its spelling would prove nothing.
    assert "spelling" not in str(caught.value)


@pytest.mark.parametrize("payload", PAYLOADS["good"])
def test_a_good_manifest_writes_back_to_the_same_bytes(payload: str) -> None:
    manifest = Manifest.read(payload.encode())
    assert replace(manifest).payload == payload.encode()


@pytest.mark.parametrize("name", ["everything", "some", "panel"])
def test_every_survey_is_read_back_as_it_was_written(name: str) -> None:
    manifest, _ = surveys()[name]
    assert Manifest.read(manifest.payload) == manifest
    assert hash(Manifest.read(manifest.payload)) == hash(manifest)


@pytest.mark.parametrize("payload", PAYLOADS["good"])
def test_there_is_one_format_and_its_keys_stand_in_one_order(payload: str) -> None:
    fields = json.loads(payload)
    assert fields["format"] == FORMAT == "hushpoll-manifest-1"
    assert list(fields) == [
        "format", "survey", "title", "consent", "population", "opens", "closes", "epsilon", "ask", "panel",
        "language", "translations", "hosts", *["about"] * ("about" in fields),
        *["groups"] * ("groups" in fields), "questions",
    ]  # fmt: skip
    assert all(list(question)[-2:] == ["when", "mechanism"] for question in fields["questions"])


def test_a_payload_has_a_largest_size() -> None:
    with pytest.raises(ManifestRefused, match="too large"):
        Manifest.read(PAYLOADS["good"][0].encode() + b" " * LARGEST_PAYLOAD)


def test_a_survey_that_asks_some_questions_costs_the_dearest_of_them() -> None:
    manifest, _ = surveys()["some"]
    epsilons = sorted(question.design.epsilon for question in manifest.questions)
    assert manifest.epsilon == epsilons[-1]
    assert replace(manifest, ask=2).epsilon == epsilons[-1] + epsilons[-2]
    assert replace(manifest, ask=None).epsilon == sum(epsilons, start=Epsilon(0))


@pytest.mark.parametrize("draw", [1, "0", "ff", None, "-" * 3, ["0"]], ids=repr)
def test_a_report_with_a_draw_that_does_not_fit_its_design_is_refused(draw: object) -> None:
    manifest, _ = surveys()["everything"]
    good = decode(SURVEYS["everything"]["reports"][0]["body"].encode(), manifest)
    fields = json.loads(good.encode())
    fields["answers"]["ways"] = draw
    with pytest.raises(ProblemError) as caught:
        decode(json.dumps(fields).encode(), manifest)
    assert caught.value.problem is problems.WRONG_ANSWERS


def test_a_report_must_answer_as_many_questions_as_are_asked() -> None:
    manifest, _ = surveys()["some"]
    good = decode(SURVEYS["some"]["reports"][0]["body"].encode(), manifest)
    nothing = {question.id: question.design.blank for question in manifest.questions}
    with pytest.raises(ProblemError):
        decode(replace(good, draws=nothing).encode(), manifest)
    with pytest.raises(ProblemError):
        decode(good.encode(), replace(manifest, ask=2))


def test_a_blank_draw_is_refused_where_every_question_is_asked() -> None:
    manifest, _ = surveys()["everything"]
    blank = {question.id: question.design.blank for question in manifest.questions}
    good = decode(SURVEYS["everything"]["reports"][0]["body"].encode(), manifest)
    with pytest.raises(ProblemError):
        decode(replace(good, draws={**good.draws, "ways": blank["ways"]}).encode(), manifest)


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
        lambda: Question("q", "?", YesNo(), SubsetMechanism.of(Bound.of_epsilon("1"), 3)),
        lambda: Question("q", "?", Number("0", "1"), every_type()[9].design),
    ],
)
def test_a_question_that_could_not_be_asked_cannot_be_made(make: Any) -> None:
    with pytest.raises(InvalidValue):
        make()
