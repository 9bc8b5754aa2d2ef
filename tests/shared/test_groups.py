"""Public groups: declared in the manifest, named by a link or an app, sent in a code of one width."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from tests.vectors.groups import AGE, FACULTY, grouped
from tests.vectors.read import vectors
from tests.vectors.streams import FixedTestStream

from hushpoll_client import AnswerRefused, Survey
from hushpoll_shared.errors import InvalidValue, ManifestRefused
from hushpoll_shared.groups import Dimension, Groups, Label
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.report import decode, report_length

VECTORS = vectors("reports")["grouped"]
MANIFEST = grouped()


def test_the_vectors_are_to_the_survey_that_they_name() -> None:
    payload = json.loads(VECTORS["envelope"])["payload"]
    assert base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)) == MANIFEST.payload


@pytest.mark.parametrize("case", VECTORS["good"], ids=lambda case: "-".join(case["groups"]) or "none")
def test_a_report_carries_the_labels_in_a_code_of_one_width(case: dict[str, Any]) -> None:
    source = FixedTestStream(case["seed"])
    report = Survey(MANIFEST).randomize(case["answers"], groups=case["groups"], source=source)
    assert report.encode().decode() == case["body"]
    assert len(report.encode()) == report_length(MANIFEST)
    assert decode(report.encode(), MANIFEST) == report
    assert MANIFEST.groups
    assert {label for label in MANIFEST.groups.labels_of(report.groups).values() if label} == set(case["groups"])


@pytest.mark.parametrize("case", VECTORS["bad"], ids=lambda case: case["name"])
def test_a_body_with_wrong_groups_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(ProblemError) as caught:
        decode(case["body"].encode(), MANIFEST)
    assert caught.value.problem.name == case["problem"]


@pytest.mark.parametrize("labels", [case for case in VECTORS["refused"] if case and isinstance(case[0], str)])
def test_labels_that_the_survey_does_not_have_are_refused_before_anything_is_drawn(labels: list[str]) -> None:
    source = FixedTestStream("none")
    with pytest.raises(AnswerRefused) as caught:
        Survey(MANIFEST).randomize({"cheated": True}, groups=labels, source=source)
    assert source.taken == 0
    assert "other" not in str(caught.value).split(":")[0]


def test_a_label_that_an_app_names_as_a_text_is_one_label() -> None:
    report = Survey(MANIFEST).randomize({"cheated": True}, groups="arts")
    assert report.groups == "00-1"


def test_a_survey_without_groups_takes_none_and_its_report_has_no_such_field() -> None:
    plain = grouped(labels={}, groups=None)
    with pytest.raises(AnswerRefused, match="the survey has no groups: leave them out"):
        Survey(plain).randomize({"cheated": True}, groups=["arts"])
    report = Survey(plain).randomize({"cheated": True})
    assert b"groups" not in report.encode()
    with pytest.raises(ProblemError):
        decode(report.encode().replace(b'"answers"', b'"groups":"","answers"'), plain)


def test_every_combination_has_one_code_and_a_code_has_one_meaning() -> None:
    groups = Groups((FACULTY, AGE), 30)
    codes = {groups.code(labels) for labels in combinations(groups)}
    assert codes == groups.codes
    assert len(codes) == 3 * 4
    for code in codes:
        assert groups.code(label for label in groups.labels_of(code).values() if label) == code


def combinations(groups: Groups) -> list[tuple[str, ...]]:
    one, other = groups.dimensions
    return [
        (*([first] if first else []), *([second] if second else []))
        for first in ("", *one.ids)
        for second in ("", *other.ids)
    ]


def test_the_number_of_random_bytes_does_not_depend_on_the_groups() -> None:
    sources = [FixedTestStream("same") for _ in range(2)]
    one, other = (
        Survey(MANIFEST).randomize({"cheated": True}, groups=labels, source=source)
        for labels, source in zip(([], ["arts", "old"]), sources, strict=True)
    )
    assert sources[0].taken == sources[1].taken
    assert one.draws == other.draws


def test_a_manifest_with_groups_is_read_as_it_was_written() -> None:
    assert Manifest.read(MANIFEST.payload) == MANIFEST


@pytest.mark.parametrize("case", vectors("manifests")["payloads"]["refused"][-36:], ids=lambda case: case["why"])
def test_a_payload_with_wrong_groups_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(ManifestRefused):
        Manifest.read(case["payload"].encode())


def test_a_refusal_says_what_to_do() -> None:
    labels = (Label("a", "A"), Label("b", "B"))
    with pytest.raises(InvalidValue, match="with one there is nothing to compare"):
        Dimension("one", "One", labels[:1])
    with pytest.raises(InvalidValue, match="join small ones"):
        Groups((Dimension("many", "Many", tuple(Label(f"l{i}", f"L{i}") for i in range(49))),), 30)
    with pytest.raises(InvalidValue, match="name at most one"):
        Groups((Dimension("two", "Two", labels),), 30).code(["a", "b"])
