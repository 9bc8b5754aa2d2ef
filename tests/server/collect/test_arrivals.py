"""Bursts of single reports are noticed, and nothing of them is kept but their number."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from tests.samples.surveys import make_report
from tests.server.gateways.senders import gateway_of

from hushpoll_server.collect import arrivals
from hushpoll_server.collect.arrivals import LEAST_BURST_REPORTS, WARM_UP_WINDOWS, WINDOW_SECONDS, Arrivals
from hushpoll_server.collect.models import BurstRow
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey


class Minutes:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def run(counts: list[int]) -> list[int]:
    """Let this many reports arrive in each minute; return the bursts of each minute."""
    clock = Minutes()
    watch, bursts = Arrivals(clock), []
    for count in counts:
        bursts.append(sum(watch.note("campus") for _ in range(count)))
        clock.now += WINDOW_SECONDS
    return bursts


QUIET = [0] * WARM_UP_WINDOWS


def test_a_flood_of_single_reports_after_quiet_hours_is_one_burst_a_minute() -> None:
    """The attack: a program sends invented reports one by one, as fast as it goes."""
    assert run([*QUIET, 3, 2, 5 * LEAST_BURST_REPORTS, LEAST_BURST_REPORTS - 1])[WARM_UP_WINDOWS:] == [0, 0, 1, 0]


def test_a_busy_survey_that_goes_on_as_before_has_no_burst() -> None:
    steady = [2 * LEAST_BURST_REPORTS, LEAST_BURST_REPORTS, 3 * LEAST_BURST_REPORTS] * 20
    assert sum(run(steady)) == 0
    assert run([*steady, 60 * LEAST_BURST_REPORTS])[-1] == 1


def test_a_process_that_was_just_started_knows_no_usual_minute() -> None:
    assert sum(run([LEAST_BURST_REPORTS * 10] * WARM_UP_WINDOWS)) == 0


def test_surveys_are_watched_apart() -> None:
    clock = Minutes()
    watch = Arrivals(clock)
    clock.now += WARM_UP_WINDOWS * WINDOW_SECONDS
    assert not any(watch.note(f"survey-{number % 2}") for number in range(2 * LEAST_BURST_REPORTS - 2))


def test_the_number_of_bursts_is_stored_and_nothing_else_of_them(
    client: FlaskClient, services: Services, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrivals, "LEAST_BURST_REPORTS", 20)
    monkeypatch.setattr(arrivals, "WARM_UP_WINDOWS", 0)
    path = "/api/v1/surveys/campus/reports"
    lines = b"\n".join(make_report(survey.manifest).encode() for _ in range(50))
    client.post(path, data=lines, content_type="application/x-ndjson", headers=gateway_of(client))
    for _ in range(30):
        client.post(path, data=make_report(survey.manifest).encode(), content_type="application/json")
    services.close()
    assert services.collect.bursts("campus") == 1
    assert set(BurstRow.model_fields) == {"survey", "shard", "count"}
    [warning] = services.results.warnings(services.results.read("campus"))
    assert warning.startswith("1 time(s) reports came far faster than in the hour before")
