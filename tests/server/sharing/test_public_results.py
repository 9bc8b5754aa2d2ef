"""Public results: what everybody sees changes by many reports at once, on each engine and in several processes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from sqlmodel import col, update
from tests.samples.surveys import make_report
from tests.server.clock import Clock
from tests.server.sharing.links import make_secret

from hushpoll_server.collect.models import CounterRow
from hushpoll_server.counting.tally import NO_COUNTERS, SurveyCounts
from hushpoll_server.operate.backup import backup, restore
from hushpoll_server.operate.backup_file import LONGEST_LINE
from hushpoll_server.operate.purge import purge
from hushpoll_server.operate.reconcile import repair
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.sharing import public_results
from hushpoll_server.sharing.public_results import LARGEST_COUNTS, SECONDS_BETWEEN_COUNTS, TooManyCounters
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_server.watch.metrics import STEP


def take(services: Services, survey: PublishedSurvey, number: int) -> None:
    """Store this many reports."""
    services.collect.take(survey.name, [make_report(survey.manifest, 1, 0).encode() for _ in range(number)])


def look(services: Services, survey: PublishedSurvey, clock: Clock) -> int:
    """Return how many reports everybody sees, to somebody who looks a little later; the counters are theirs."""
    clock.now += timedelta(seconds=SECONDS_BETWEEN_COUNTS)
    shown = services.public_results.look(services.surveys.get(survey.name))
    assert shown is not None
    counters = services.public_results.counts(survey.name).get("cheated", NO_COUNTERS)
    assert counters.get("n", 0) == counters.get("1", 0) == shown.reports
    return shown.reports


def test_nothing_is_public_until_it_is_switched_on_and_after_it_is_switched_off(
    services: Services, survey: PublishedSurvey
) -> None:
    results = services.public_results
    take(services, survey, 50)
    assert results.look(survey) is None
    for _ in range(2):
        results.switch_on(survey)
        assert results.is_on("campus")
    for _ in range(2):
        results.switch_off(survey)
        assert results.look(survey) is None
    assert results.counts("campus") == {}


def test_switching_on_shows_what_there_is_if_it_is_enough(
    services: Services, survey: PublishedSurvey, clock: Clock
) -> None:
    take(services, survey, STEP - 1)
    services.public_results.switch_on(survey)
    assert look(services, survey, clock) == 0
    take(services, survey, 1)
    assert look(services, survey, clock) == STEP
    services.public_results.switch_off(survey)
    take(services, survey, 7)
    services.public_results.switch_on(survey)
    assert look(services, survey, clock) == STEP + 7


def test_somebody_who_always_looks_sees_no_change_of_fewer_reports(
    services: Services, survey: PublishedSurvey, clock: Clock
) -> None:
    services.public_results.switch_on(survey)
    seen = [look(services, survey, clock)]
    for number in (7, 19, 1, 3, 33, 20, 19, 2, 1, 40, 5):
        take(services, survey, number)
        seen += [look(services, survey, clock), look(services, survey, clock)]
    services.surveys.close("campus")
    seen += [look(services, survey, clock), look(services, survey, clock)]
    steps = [after - before for before, after in pairwise(seen)]
    assert all(step == 0 or step >= STEP for step in steps), seen
    # An open survey is behind; a closed one shows everything.
    assert seen[-3] < seen[-1] == services.collect.number_of_reports("campus")


def test_too_few_reports_for_a_last_step_stay_unseen(services: Services, survey: PublishedSurvey, clock: Clock) -> None:
    take(services, survey, 100)
    services.public_results.switch_on(survey)
    take(services, survey, STEP - 1)
    services.surveys.close("campus")
    assert look(services, survey, clock) == 100


def test_the_larger_a_survey_is_the_larger_is_a_step(services: Services, survey: PublishedSurvey, clock: Clock) -> None:
    take(services, survey, 5000)
    services.public_results.switch_on(survey)
    shown = services.public_results.look(survey)
    take(services, survey, 49)
    assert look(services, survey, clock) == 5000
    assert services.public_results.look(survey) == shown
    take(services, survey, 1)
    assert look(services, survey, clock) == 5000
    assert services.public_results.look(survey) != shown


def test_many_who_look_at_once_have_the_counters_counted_once(
    services: Services, survey: PublishedSurvey, monkeypatch: pytest.MonkeyPatch
) -> None:
    services.public_results.switch_on(survey)
    counted: list[str] = []
    count = services.collect.number_of_reports

    def number_of_reports(name: str) -> int:
        counted.append(name)
        return count(name)

    monkeypatch.setattr(services.collect, "number_of_reports", number_of_reports)
    with ThreadPoolExecutor(8) as visitors:
        list(visitors.map(lambda _: services.public_results.look(survey), range(100)))
    assert counted == ["campus"]


def test_of_two_processes_that_take_a_step_at_once_one_does(
    services: Services,
    survey: PublishedSurvey,
    settings: Settings,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    take(services, survey, 100)
    services.public_results.switch_on(survey)
    take(services, survey, STEP)
    other, count = Services(settings, clock=clock), services.collect.counts

    def counts(name: str) -> SurveyCounts:
        # Between the look of this process and its step, the other one takes the step, and a report arrives.
        other.public_results.look(survey)
        take(services, survey, 1)
        return count(name)

    monkeypatch.setattr(services.collect, "counts", counts)
    shown = services.public_results.look(survey)
    assert shown is not None
    assert (shown.reports, shown.waiting_reports) == (100, 100 + STEP)
    other.close()


def test_a_survey_with_too_many_counters_is_refused_and_one_that_outgrows_the_limit_shows_what_it_showed(
    services: Services, survey: PublishedSurvey, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(services, survey, 50)
    services.public_results.switch_on(survey)
    monkeypatch.setattr(public_results, "LARGEST_COUNTS", 10)
    take(services, survey, 50)
    assert [look(services, survey, clock) for _ in range(2)] == [50, 50]
    services.public_results.switch_off(survey)
    with pytest.raises(TooManyCounters, match="too many counters for public results"):
        services.public_results.switch_on(survey)
    assert services.public_results.look(survey) is None


def test_two_rows_of_the_largest_counters_fit_into_a_line_of_a_backup() -> None:
    assert 2 * base64_length(LARGEST_COUNTS) + 10_000 < LONGEST_LINE


def base64_length(number: int) -> int:
    """Return the length of so many bytes in base64."""
    return -(-number // 3) * 4


def test_a_purge_leaves_them_as_they_are(services: Services, survey: PublishedSurvey, clock: Clock) -> None:
    take(services, survey, 50)
    services.public_results.switch_on(survey)
    purge(services.store, survey.manifest, clock(), ended=False, progress=lambda _: None)
    assert look(services, survey, clock) == 50


def test_repaired_counters_are_shown_at_once(services: Services, survey: PublishedSurvey, clock: Clock) -> None:
    take(services, survey, 50)
    with services.store.transaction() as session:
        session.exec(update(CounterRow).where(col(CounterRow.name) == "1").values(count=3))
    services.public_results.switch_on(survey)
    assert services.public_results.counts("campus")["cheated"]["1"] == 3
    repair(services.store, services.surveys.rules("campus"))
    assert look(services, survey, clock) == 50


def test_a_backup_has_what_everybody_sees_and_no_link(
    services: Services, survey: PublishedSurvey, clock: Clock, tmp_path: Path
) -> None:
    take(services, survey, 50)
    services.public_results.switch_on(survey)
    secret = make_secret(services)
    backup(services.store, tmp_path / "backup", force=False, progress=lambda _: None)
    other = Services(Settings(home=tmp_path / "other"), clock=clock)
    restore(other.store, tmp_path / "backup", progress=lambda _: None)
    assert look(other, survey, clock) == 50
    assert other.shares.find(secret) is None
    other.close()
