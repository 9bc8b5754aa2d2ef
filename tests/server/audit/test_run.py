"""Feeding a client: a report for each line, read strictly, in its one spelling."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from tests.samples.surveys import two_questions
from tests.vectors.streams import FixedTestStream
from tests.vectors.surveys import surveys

from hushpoll_client.survey import Survey
from hushpoll_server.audit.run import Audit, read_reports
from hushpoll_server.simulate.respondents import ClientFailed

SOME = surveys()["some"][0]


def reports_of(audit: Audit) -> Iterator[bytes]:
    """Return the real client's reports to all lines, made in this process."""
    survey, source = Survey(audit.manifest), FixedTestStream("audit")
    return (survey.randomize(answers, source=source).encode() for answers in audit.answers())


def test_draws_and_ids_are_recorded_line_by_line() -> None:
    audit = Audit(SOME, 5, random=random.Random(1).randbytes)
    sent = list(read_reports(reports_of(audit), SOME))
    record = audit.collect(reports_of(audit))
    assert [bytes(row).hex() for row in record.ids] == [report.id for report in sent]
    for place, name in enumerate(sent[0].draws):
        drawn = [record.occurred[place][draw] for draw in record.draws[:, place]]
        assert drawn == [report.draws[name] for report in sent]
    # One question of three is answered.
    blanks = [[question.design.blank for question in SOME.questions]] * len(sent)
    assert (np.array([list(report.draws.values()) for report in sent]) == blanks).sum(axis=1).tolist() == [2] * len(
        sent
    )


def test_a_report_too_many_is_an_error() -> None:
    audit = Audit(two_questions(), 1, random=random.Random(1).randbytes)
    with pytest.raises(ClientFailed, match="more reports than it got answers"):
        audit.collect(reports(3))


def reports(number: int) -> list[bytes]:
    survey, source = Survey(two_questions()), FixedTestStream("reports")
    return [survey.randomize({"cheated": True, "helped": False}, source=source).encode() for _ in range(number)]


def turned(report: bytes) -> bytes:
    """Return the report with its two draws in the opposite order."""
    start, end = report[:-2].split(b'"answers":{')
    return start + b'"answers":{' + b",".join(reversed(end.split(b","))) + b"}}"


def test_good_reports_are_read() -> None:
    assert len(list(read_reports(reports(3), two_questions()))) == 3


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([*reports(1), b"no report"], "report 2 is not valid"),
        ([reports(1)[0].replace(b'"cheated":', b'"cheated": ')[:-2] + b"7}}"], "report 1 is not valid"),
        ([*reports(1), reports(2)[1].replace(b'"v":1', b'"v": 1')], "report 2 is not in the one spelling of a report"),
        ([reports(1)[0].replace(b"campus", b"camp\\u0075s")], "report 1 is not in the one spelling"),
        ([turned(reports(1)[0])], "report 1 is not in the one spelling"),
        ([reports(1)[0] + b"\r"], "report 1 is not in the one spelling"),
        ([*reports(2), *reports(1)], "report 3 has the id of another"),
    ],
)
def test_a_report_that_is_not_as_it_should_be_is_named(lines: list[bytes], says: str) -> None:
    with pytest.raises(ClientFailed, match=says):
        list(read_reports(lines, two_questions()))
