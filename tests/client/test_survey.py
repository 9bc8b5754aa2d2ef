"""Randomizing is pure, follows the draw order of the wire format, and gives reports of one length."""

from __future__ import annotations

import itertools
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.vectors.read import vectors
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

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


@pytest.mark.parametrize("case", VECTORS["surveys"], ids=lambda case: str(case["name"]))
def test_every_type_gives_the_same_bytes_from_the_same_stream_as_in_every_language(case: dict[str, Any]) -> None:
    manifest = verify(case["envelope"].encode(), VECTORS["key"])
    assert (manifest.id, str(manifest.epsilon)) == (case["id"], case["epsilon"])
    for wanted in case["reports"]:
        secret, source = wanted["secret"], FixedTestStream(wanted["seed"])
        report = Survey(manifest, bytes.fromhex(secret) if secret else None).randomize(wanted["answers"], source=source)
        assert (report.encode().decode(), source.taken) == (wanted["body"], wanted["bytes"])
        assert report.memos == wanted["memos"] or secret is None


@pytest.mark.parametrize("name", ["everything", "some", "panel"])
def test_the_bytes_taken_do_not_depend_on_the_answers_of_any_type(name: str) -> None:
    manifest, answers = surveys()[name]
    everything = surveys()["everything"][1]
    others = [{key: other.get(key, each[key]) for key in each} for each in answers for other in everything]
    for seed in ("one", "two", "three"):
        calls = []
        for each in [*answers, *others]:
            source = Counting(seed)
            Survey(manifest, bytes(32) if manifest.repeated else None).randomize(each, source=source)
            calls.append(source.calls)
        assert all(each == calls[0] for each in calls)


def test_a_device_that_answers_one_question_leaves_the_others_blank() -> None:
    manifest, [answers, *_] = surveys()["some"]
    reports = [Survey(manifest).randomize(answers) for _ in range(60)]
    assert {sum("-" * len(str(draw)) != draw for draw in report.draws.values()) for report in reports} == {1}
    assert len({len(report.encode()) for report in reports}) == 1
    assert all(decode(report.encode(), manifest) == report for report in reports)
    # Each of three questions is missing from 60 reports with probability 3·(2/3)^60 < 1e-10.
    asked = {name for report in reports for name, draw in report.draws.items() if set(str(draw)) != {"-"}}
    assert asked == set(answers)


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
    assert all({yes.draws[question], no.draws[question]} == {"0", "1"} for question in yes.draws)


def test_threads_never_draw_the_same_bytes(survey: Survey) -> None:
    with ThreadPoolExecutor(8) as threads:
        ids = list(threads.map(lambda _: survey.randomize(ALL_ANSWERS[0]).id, range(4000)))
    assert len(set(ids)) == len(ids)


def test_the_default_source_keeps_the_odds_of_the_design(survey: Survey) -> None:
    # 20,000 draws at p = 3/4: five and a half standard deviations, false alarm below 4e-8.
    n, p = 20_000, 0.75
    draws = Counter(survey.randomize(ALL_ANSWERS[3]).draws["cheated"] for _ in range(n))
    assert abs(draws["1"] - n * p) < 5.5 * (n * p * (1 - p)) ** 0.5


def test_a_survey_cannot_be_changed(survey: Survey) -> None:
    with pytest.raises(AttributeError):
        survey.manifest = survey.manifest  # type: ignore[misc]
