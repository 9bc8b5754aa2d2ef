"""Randomizing is pure, follows the draw order of the wire format, and gives reports of one length."""

from __future__ import annotations

import itertools
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.support.streams import FixedTestStream
from tests.support.vectors import vectors

from hushpoll_client import Survey
from hushpoll_shared.report import decode
from hushpoll_shared.signing import verify

VECTORS = vectors("reports")
ALL_ANSWERS = [
    dict(zip(("cheated", "helped"), bits, strict=True)) for bits in itertools.product((False, True), repeat=2)
]


class Counting(FixedTestStream):
    """A fixed stream that writes down how it is asked."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.calls: list[int] = []

    def take(self, count: int) -> bytes:
        self.calls.append(count)
        return super().take(count)


@pytest.mark.parametrize("case", VECTORS["good"], ids=lambda case: f"{case['seed']}-{case['answers']['cheated']}")
def test_the_same_bytes_come_from_the_same_stream_as_in_every_language(case: dict[str, Any]) -> None:
    survey = Survey(verify(VECTORS["envelope"].encode(), VECTORS["key"]))
    report = survey.randomize(case["answers"], source=FixedTestStream(case["seed"]))
    assert report.encode() == case["body"].encode()


def test_the_order_of_the_answers_given_does_not_matter(survey: Survey) -> None:
    one = survey.randomize({"cheated": True, "helped": False}, source=FixedTestStream("order"))
    other = survey.randomize({"helped": False, "cheated": True}, source=FixedTestStream("order"))
    assert one.encode() == other.encode()


@pytest.mark.parametrize("answers", ALL_ANSWERS, ids=str)
def test_the_bytes_taken_do_not_depend_on_the_answers(survey: Survey, answers: dict[str, bool]) -> None:
    source = Counting("count")
    survey.randomize(answers, source=source)
    assert source.calls == [16, 8, 8]


def test_all_reports_have_one_length_and_fit_the_manifest(survey: Survey) -> None:
    bodies = [survey.randomize(answers).encode() for answers in ALL_ANSWERS for _ in range(20)]
    assert len({len(body) for body in bodies}) == 1
    assert all(decode(body, survey.manifest).encode() == body for body in bodies)


def test_a_draw_of_opposite_answers_from_the_same_bytes_is_opposite(survey: Survey) -> None:
    yes = survey.randomize({"cheated": True, "helped": True}, source=FixedTestStream("mirror"))
    no = survey.randomize({"cheated": False, "helped": False}, source=FixedTestStream("mirror"))
    assert yes.id == no.id
    assert all(yes.answers[question] == 1 - no.answers[question] for question in yes.answers)


def test_threads_never_draw_the_same_bytes(survey: Survey) -> None:
    with ThreadPoolExecutor(8) as threads:
        ids = list(threads.map(lambda _: survey.randomize(ALL_ANSWERS[0]).id, range(4000)))
    assert len(set(ids)) == len(ids)


def test_the_default_source_keeps_the_odds_of_the_design(survey: Survey) -> None:
    # 20,000 draws at p = 3/4: five and a half standard deviations, false alarm below 4e-8.
    n, p = 20_000, 0.75
    draws = Counter(survey.randomize(ALL_ANSWERS[3]).answers["cheated"] for _ in range(n))
    assert abs(draws[1] - n * p) < 5.5 * (n * p * (1 - p)) ** 0.5


def test_a_survey_cannot_be_changed(survey: Survey) -> None:
    with pytest.raises(AttributeError):
        survey.manifest = survey.manifest  # type: ignore[misc]
