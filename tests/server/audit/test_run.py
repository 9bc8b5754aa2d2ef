"""Feeding a client: every input of every question as often as required, and reports that are read strictly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from tests.samples.surveys import two_questions
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.audit.run import Audit, read_reports
from hushpoll_server.simulate.respondents import ClientFailed
from hushpoll_shared.manifest import Manifest

EVERYTHING = surveys()["everything"][0]
SOME = surveys()["some"][0]


def reports_of(audit: Audit) -> Iterator[bytes]:
    """Return the real client's reports to all lines, made in this process."""
    survey, source = Survey(audit.manifest), FixedTestStream("audit")
    return (survey.randomize(answers, source=source).encode() for answers in audit.answers())


def runs_by_input(audit: Audit) -> list[list[int]]:
    """Return how often each input of each question was counted."""
    counted = [Counter[int]() for _ in audit.contrasts]
    for counts, tally in zip(counted, audit.collect(reports_of(audit)), strict=True):
        for (place, _, _), number in tally.items():
            counts[place] += number
    return [list(counts.values()) for counts in counted]


@pytest.mark.parametrize("one_at_a_time", [False, True])
@pytest.mark.parametrize("manifest", [EVERYTHING, two_questions()], ids=["everything", "two"])
def test_every_input_of_every_question_gets_as_many_runs(manifest: Manifest, one_at_a_time: bool) -> None:
    audit = Audit(manifest, 3, one_at_a_time)
    assert runs_by_input(audit) == [[3] * len(contrast.inputs) for contrast in audit.contrasts]


def test_one_pass_takes_as_many_lines_as_the_question_with_the_most_inputs() -> None:
    assert Audit(EVERYTHING, 10).lines_to_feed == 60
    inputs = sum(len(contrast.inputs) for contrast in Audit(EVERYTHING, 10).contrasts)
    assert Audit(EVERYTHING, 10, one_at_a_time=True).lines_to_feed == 10 * inputs


def test_one_at_a_time_holds_all_other_questions_at_one_answer() -> None:
    audit = Audit(two_questions(), 1, one_at_a_time=True)
    lines = [(answers["cheated"], answers["helped"]) for answers in audit.answers()]
    assert lines == [(False, False), (True, False), (False, False), (False, True)]


def test_devices_that_answer_one_of_three_questions_are_fed_three_times_as_often() -> None:
    assert Audit(SOME, 10).lines_to_feed == 3 * 60
    [asked, *_] = Audit(SOME, 10).collect(reports_of(Audit(SOME, 10)))
    assert sum(asked.values()) == 4 * 30
    assert {draw for _, _, draw in asked} > {SOME.questions[0].design.blank}


def reports(number: int) -> list[bytes]:
    survey, source = Survey(two_questions()), FixedTestStream("reports")
    return [survey.randomize({"cheated": True, "helped": False}, source=source).encode() for _ in range(number)]


def test_good_reports_are_read() -> None:
    assert len(list(read_reports(reports(3), two_questions()))) == 3


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([*reports(1), b"no report"], "report 2 is not valid"),
        ([reports(1)[0].replace(b'"cheated":', b'"cheated": ')[:-2] + b"7}}"], "report 1 is not valid"),
        ([*reports(1), reports(2)[1].replace(b'"v":1', b'"v": 1')], "report 2 has another length than the first"),
        ([*reports(2), *reports(1)], "report 3 has the id of another"),
    ],
)
def test_a_report_that_is_not_as_it_should_be_is_named(lines: list[bytes], says: str) -> None:
    with pytest.raises(ClientFailed, match=says):
        list(read_reports(lines, two_questions()))
