"""The quick reader says yes only where the strict one says yes, and about the same report."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.samples.surveys import make_report, two_questions
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.collect.batch import CheckedReport
from hushpoll_server.collect.reader import Reader
from hushpoll_server.counting.stored_draws import read_draws
from hushpoll_server.surveys.service import Rules
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import NOT_JSON, WRONG_ANSWERS, Problem, ProblemError
from hushpoll_shared.report import Report, decode

PIECES = [b"0", b"9", b'"', b"-", b" ", b",", b"00", b"1e1", b"ff"]
NAMES = ["everything", "some", "panel"]
MANIFEST = two_questions()
READER = Reader(Rules(MANIFEST))
GOOD = make_report(MANIFEST, 1, 0).encode()


@cache
def bodies_of(name: str) -> tuple[Manifest, list[bytes]]:
    manifest, answers = surveys()[name]
    source, survey = FixedTestStream(name), Survey(manifest)
    return manifest, [survey.randomize(given, source=source).encode() for given in answers for _ in range(20)]


def strictly(body: bytes, manifest: Manifest) -> Report | Problem:
    try:
        return decode(body, manifest)
    except ProblemError as error:
        return error.problem


def assert_the_same(entry: CheckedReport, report: Report | Problem, manifest: Manifest) -> None:
    assert isinstance(report, Report)
    assert (entry.key, entry.draws) == ((report.survey, bytes.fromhex(report.id)), report.draws)
    assert list(read_draws(entry.stored_draws, manifest).items()) == list(report.draws.items())


@pytest.mark.parametrize("name", NAMES)
def test_reports_of_every_type_are_read_the_quick_way_and_as_the_strict_reader_reads_them(name: str) -> None:
    manifest, bodies = bodies_of(name)
    reader = Reader(Rules(manifest))
    # Twice: draws that were seen before are not checked again.
    for body in bodies + bodies:
        entry = reader.read_usual(body)
        assert entry is not None
        assert_the_same(entry, strictly(body, manifest), manifest)


@pytest.mark.parametrize("name", NAMES)
def test_every_report_has_the_length_by_which_the_lines_of_a_batch_are_bounded(name: str) -> None:
    manifest, bodies = bodies_of(name)
    assert {len(body) for body in bodies} == {Reader(Rules(manifest)).report_length}


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=150, derandomize=True)
@given(st.data())
def test_a_mutilated_report_is_judged_as_the_strict_reader_judges_it(name: str, data: st.DataObject) -> None:
    manifest, bodies = bodies_of(name)
    body = bytearray(data.draw(st.sampled_from(bodies)))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(body)))
        body[place : place + data.draw(st.integers(0, 3))] = data.draw(
            st.one_of(st.binary(max_size=3), st.sampled_from(PIECES))
        )
    read, strict = Reader(Rules(manifest)).read(bytes(body)), strictly(bytes(body), manifest)
    if isinstance(read, CheckedReport):
        assert_the_same(read, strict, manifest)
    else:
        assert read is strict


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.replace(b":1,", b":01,"),
        lambda body: body.replace(b":1,", b":1.0,"),
        lambda body: body.replace(b":1,", b":2,"),
        lambda body: body.replace(b":1,", b":true,"),
        lambda body: body.replace(b":1,", b':"1",'),
        lambda body: body.replace(b'"answers":{', b'"answers":{"cheated":"0",'),
        lambda body: body + b"\n",
        lambda body: body + b"x",
        lambda body: b" " + body,
        lambda body: re.sub(rb'"id":"..', b'"id":"AB', body),
        lambda body: re.sub(rb'"id":".', '"id":"\N{ARABIC-INDIC DIGIT ONE}'.encode(), body),
    ],
)
def test_any_other_spelling_is_left_to_the_strict_reader(change: object) -> None:
    assert callable(change)
    body = change(GOOD)
    assert READER.read_usual(GOOD) is not None
    assert body != GOOD
    assert READER.read_usual(body) is None


def test_other_spellings_that_are_good_json_are_the_same_report() -> None:
    spaced = GOOD.replace(b",", b" , ").replace(b":", b": ")
    assert READER.read(spaced) == READER.read(GOOD)


@pytest.mark.parametrize(
    ("text", "problem"),
    [("", NOT_JSON), ("[1", NOT_JSON), ("{}", WRONG_ANSWERS), ("[1]", WRONG_ANSWERS), ("[1,2]", WRONG_ANSWERS)],
)
def test_stored_draws_are_read_as_strictly_as_a_report(text: str, problem: Problem) -> None:
    with pytest.raises(ProblemError) as caught:
        read_draws(text, MANIFEST)
    assert caught.value.problem is problem
