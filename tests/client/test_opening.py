"""A survey that is not open is refused before anything is drawn or charged."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.client.conftest import MakeClient
from tests.client.servers import Collector
from tests.samples.surveys import KEY, two_questions

from hushpoll_client import SurveyNotOpen
from hushpoll_shared import problems
from hushpoll_shared.signing import sign

OPENS = datetime(2026, 3, 1, 8, tzinfo=UTC)
CLOSES = OPENS + timedelta(days=7)
SECOND = timedelta(seconds=1)
ANSWERS = {"cheated": True, "helped": False}


class Clock:
    """A clock that a test sets."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now.timestamp()


@pytest.fixture(autouse=True)
def times(collector: Collector) -> None:
    collector.envelopes["campus"] = sign(two_questions(opens=OPENS, closes=CLOSES), KEY)


@pytest.mark.parametrize("moment", [OPENS, OPENS + SECOND, CLOSES - SECOND], ids=str)
def test_a_survey_can_be_answered_from_its_opening_to_its_closing(make_client: MakeClient, moment: datetime) -> None:
    client = make_client(clock=Clock(moment))
    assert client.submit(client.survey("campus").randomize(ANSWERS)).status == "accepted"


@pytest.mark.parametrize(
    ("moment", "problem", "message"),
    [
        (OPENS - SECOND, problems.NOT_OPEN, "opens only at 2026-03-01 08:00 UTC: come back then"),
        (CLOSES, problems.CLOSED, "closed at 2026-03-08 08:00 UTC: skip it"),
    ],
    ids=["before", "after"],
)
def test_outside_these_times_nobody_is_asked(
    make_client: MakeClient, moment: datetime, problem: problems.Problem, message: str
) -> None:
    client = make_client(clock=Clock(moment))
    with pytest.raises(SurveyNotOpen, match=message) as caught:
        client.survey("campus")
    error = caught.value
    assert (error.survey, error.problem, error.opens, error.closes) == ("campus", problem.type, OPENS, CLOSES)


def test_a_survey_that_closed_while_it_was_answered_is_neither_charged_nor_sent(
    make_client: MakeClient, collector: Collector
) -> None:
    clock = Clock(CLOSES - SECOND)
    client = make_client(clock=clock)
    report = client.survey("campus").randomize(ANSWERS)
    clock.now = CLOSES
    with pytest.raises(SurveyNotOpen):
        client.submit(report)
    assert (client.spent, client.receipt("campus"), collector.posts) == ("0", None, [])


def test_what_was_stored_in_time_is_still_sent_after_the_closing(make_client: MakeClient, collector: Collector) -> None:
    clock = Clock(CLOSES - SECOND)
    client = make_client(clock=clock)
    report = client.survey("campus").randomize(ANSWERS)
    collector.script = [(503, {}, b"")]
    assert client.submit(report).status == "queued"
    clock.now = CLOSES + timedelta(hours=1)
    assert client.survey("campus").manifest.closes == CLOSES
    assert client.submit(report).status == "accepted"
