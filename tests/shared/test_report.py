"""Reports are read strictly, and all reports to a survey have one length."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.vectors.read import vectors

from hushpoll_shared import problems
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.report import Report, decode
from hushpoll_shared.signing import verify

VECTORS = vectors("reports")
MANIFEST = verify(VECTORS["envelope"].encode(), VECTORS["key"])


@pytest.mark.parametrize("case", VECTORS["good"], ids=lambda case: case["seed"])
def test_a_report_is_read_and_written_back_to_the_same_bytes(case: dict[str, Any]) -> None:
    body = case["body"].encode()
    assert decode(body, MANIFEST).encode() == body


@pytest.mark.parametrize("case", VECTORS["bad"], ids=lambda case: case["name"])
def test_a_bad_report_gets_its_problem(case: dict[str, Any]) -> None:
    with pytest.raises(ProblemError) as caught:
        decode(case["body"].encode(), MANIFEST)
    assert caught.value.problem.name == case["problem"]


def test_another_spelling_of_the_same_object_is_the_same_report() -> None:
    fields = json.loads(VECTORS["good"][0]["body"])
    spelled = json.dumps(dict(reversed(fields.items())), indent=3).encode()
    assert decode(spelled, MANIFEST).encode() == VECTORS["good"][0]["body"].encode()


@given(st.lists(st.tuples(st.sampled_from("01"), st.sampled_from("01")), min_size=2, max_size=2))
def test_all_reports_have_the_same_length(draws: list[tuple[str, str]]) -> None:
    one, other = (
        Report("campus", MANIFEST.id, "0" * 32, dict(zip(("cheated", "copied"), pair, strict=True))) for pair in draws
    )
    assert len(one.encode()) == len(other.encode())


@given(st.binary(max_size=200))
def test_any_bytes_are_a_problem_and_never_another_error(body: bytes) -> None:
    with pytest.raises(ProblemError):
        decode(body, MANIFEST)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.sampled_from(["v", "survey", "manifest", "id", "answers"]), JSON_VALUES)
def test_any_other_value_in_any_field_is_a_problem(field: str, value: object) -> None:
    fields = json.loads(VECTORS["good"][0]["body"])
    if fields[field] == value and type(fields[field]) is type(value):
        return
    with pytest.raises(ProblemError):
        decode(json.dumps({**fields, field: value}).encode(), MANIFEST)


def test_the_list_of_problems_is_closed_and_every_name_is_used_once() -> None:
    assert len({problem.type for problem in problems.ALL}) == len(problems.ALL)
    assert all(problem.type.startswith("urn:hushpoll:problem:") for problem in problems.ALL)
    assert {problem.name for problem in problems.ALL} >= {case["problem"] for case in VECTORS["bad"]}
