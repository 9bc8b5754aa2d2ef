"""Whatever bytes come, reading them ends in a value that fits or in a problem of the closed list; never otherwise."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st
from tests.fuzz import bodies as fuzz_bodies
from tests.fuzz.conftest import Figures, Prove, randoms
from tests.samples.every_type import joined

from hushpoll_shared import problems, report, strict_json
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.report import Report
from hushpoll_shared.strict_json import StrictJSONError

EVERYTHING = fuzz_bodies.everything()
# A device answers one of two questions and leaves the other blank.
SOME = replace(EVERYTHING, survey="some", questions=joined(), ask=1)
MANY_BODIES = 300_000

manifests = st.sampled_from([EVERYTHING, SOME])
# JSON as Python writes it: with NaN, fractions, lone surrogates and numbers of any size.
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def decoded(body: bytes, manifest: Manifest) -> Report | problems.Problem:
    """Read a body as a report; check what must be true whatever comes of it."""
    try:
        found = report.decode(body, manifest)
    except ProblemError as error:
        refused = error.problem
    else:
        check_report(found, manifest)
        return found
    assert refused in problems.ALL
    assert 400 <= refused.status < 500
    return refused


def check_report(found: Report, manifest: Manifest) -> None:
    """Check that a report fits, has one spelling, and says the same when it is read again."""
    assert (found.survey, found.manifest) == (manifest.survey, manifest.id)
    assert list(found.draws) == [question.id for question in manifest.questions]
    for question in manifest.questions:
        draw = found.draws[question.id]
        blank = manifest.ask is not None and draw == question.design.blank
        assert blank or question.design.is_draw(draw)
    spelling = found.encode()
    assert len(spelling) == length_of(manifest)
    again = report.decode(spelling, manifest)
    assert again == found
    assert again.encode() == spelling
    assert strict_json.dumps(strict_json.loads(spelling)) == spelling


def length_of(manifest: Manifest) -> int:
    [length] = {len(each.encode()) for each in fuzz_bodies.reports(manifest)}
    return length


def test_a_spoiled_report_is_read_as_a_report_that_fits_or_is_a_problem(prove: Prove) -> None:
    def holds(random: Random, manifest: Manifest) -> None:
        decoded(fuzz_bodies.body(random, manifest), manifest)

    prove(holds, random=randoms, manifest=manifests)


def test_arbitrary_bytes_are_a_problem(prove: Prove) -> None:
    def holds(body: bytes, manifest: Manifest) -> None:
        assert decoded(body, manifest) in (problems.NOT_JSON, problems.NOT_A_REPORT)

    prove(holds, body=st.binary(max_size=200), manifest=manifests)


def test_strict_reading_gives_a_value_of_whole_numbers_or_says_why_not(prove: Prove) -> None:
    def holds(value: Any) -> None:
        text = json.dumps(value).encode()
        for data in (text, json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")):
            try:
                found = strict_json.loads(data)
            except StrictJSONError:
                continue
            assert found == value
            check_strict(found)

    prove(holds, value=values)


def check_strict(value: Any) -> None:
    """Check that a value holds nothing that another reader of JSON could take for something else."""
    assert value is None or type(value) in (bool, int, str, list, dict)
    if type(value) is int:
        assert abs(value) <= strict_json.LARGEST
    for each in value if isinstance(value, list) else [*value.items()] if isinstance(value, dict) else []:
        for part in each if isinstance(each, tuple) else (each,):
            check_strict(part)


def test_any_value_in_the_place_of_a_draw_is_a_draw_or_a_problem(prove: Prove) -> None:
    def holds(random: Random, place: Any, value: Any) -> None:
        body = fuzz_bodies.good(random, EVERYTHING)
        fields = json.loads(body)
        fields["answers"][place.id] = value
        found = decoded(json.dumps(fields).encode(), EVERYTHING)
        assert isinstance(found, Report) == place.design.is_draw(value)
        assert not isinstance(found, Report) or found.draws[place.id] == value

    prove(holds, random=randoms, place=st.sampled_from(EVERYTHING.questions), value=values)


def test_equal_reports_are_equal_bytes_however_they_are_spelled(prove: Prove) -> None:
    def holds(random: Random, manifest: Manifest) -> None:
        body = fuzz_bodies.good(random, manifest)
        other = fuzz_bodies.respell(random, body)
        first, second = decoded(body, manifest), decoded(other, manifest)
        assert isinstance(first, Report)
        assert isinstance(second, Report)
        assert first == second
        assert first.encode() == second.encode() == body

    prove(holds, random=randoms, manifest=manifests)


@pytest.mark.parametrize("depth", [100, 1_000, 10_000, 60_000])
@pytest.mark.parametrize(("opened", "closed"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_deep_nesting_is_a_problem_at_every_depth(depth: int, opened: bytes, closed: bytes) -> None:
    for body in (opened * depth, opened * depth + b"1" + closed * depth):
        assert decoded(body, EVERYTHING) in (problems.NOT_JSON, problems.NOT_A_REPORT, problems.TOO_LARGE)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_hundreds_of_thousands_of_spoiled_reports(figures: Figures) -> None:
    random, started = Random(20261116), time.monotonic()
    taken = 0
    for _ in range(MANY_BODIES):
        manifest = random.choice((EVERYTHING, SOME))
        taken += isinstance(decoded(fuzz_bodies.body(random, manifest), manifest), Report)
    assert 0.2 * MANY_BODIES < taken < 0.8 * MANY_BODIES
    figures("spoiled reports, decoded", MANY_BODIES, taken=taken, seconds=round(time.monotonic() - started))
