"""Reports are counted by day in whole steps, each exactly once, and no row tells the day of one of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlmodel import SQLModel
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.clock import Clock

from hushpoll_server.collect import days as module
from hushpoll_server.collect.batch import CheckedReport, Stored, store_batch
from hushpoll_server.collect.days import SECONDS, DayCounting, possible_sum
from hushpoll_server.collect.models import DayRow
from hushpoll_server.collect.reader import Reader
from hushpoll_server.counting.days import UNKNOWN, ReportDays
from hushpoll_server.operate.purge import purge
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.store.statements import add_to_counts
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_server.watch.metrics import STEP
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report

FIRST, SECOND = "2026-11-16", "2026-11-17"


class Process:
    """A process that stores reports and counts them by day when a test says so."""

    def __init__(
        self,
        services: Services,
        clock: Clock,
        *,
        delay: Callable[[], int] = lambda: 0,
        make: Callable[[Manifest], Report] = make_report,
    ) -> None:
        self.services, self.clock, self.make, self.seconds = services, clock, make, 0.0
        self.days = DayCounting(services.store, clock, delay=delay, monotonic=lambda: self.seconds)

    def store(self, number: int, survey: str = "campus") -> list[CheckedReport]:
        """Store so many new reports in one batch."""
        rules = self.services.surveys.rules(survey)
        read = [Reader(rules).read(self.make(rules.manifest).encode()) for _ in range(number)]
        entries = [entry for entry in read if isinstance(entry, CheckedReport)]
        assert len(entries) == number
        with self.services.store.writing() as connection:
            assert set(store_batch(connection, entries, self.clock())) == {Stored.ACCEPTED}
        self.days.note(entries)
        return entries

    def take(self, number: int, survey: str = "campus") -> dict[str, int]:
        """Store so many new reports, count by day, and return the stored counts."""
        self.store(number, survey)
        self.days.count()
        return self.services.collect.days(survey)


@pytest.fixture
def process(services: Services, survey: PublishedSurvey, clock: Clock) -> Process:
    return Process(services, clock)


def test_a_day_is_known_in_whole_steps_only(process: Process) -> None:
    assert process.take(19) == {}
    assert process.take(1) == {FIRST: 20}
    assert process.take(39) == {FIRST: 40}
    assert process.take(1) == {FIRST: 60}


def test_what_waits_goes_to_the_day_on_which_its_step_is_complete(process: Process, clock: Clock) -> None:
    assert process.take(35) == {FIRST: 20}
    clock.now += timedelta(days=1)
    assert process.take(4) == {FIRST: 20}
    assert process.take(1) == {FIRST: 20, SECOND: 20}


def test_the_day_is_that_of_the_servers_clock_in_utc(process: Process, clock: Clock) -> None:
    clock.now = datetime(2026, 11, 16, 23, 59, 59, tzinfo=UTC)
    assert process.take(20) == {FIRST: 20}
    clock.now += timedelta(seconds=1)
    assert process.take(20) == {FIRST: 20, SECOND: 20}


def test_every_report_is_in_the_sum_exactly_once(process: Process, services: Services) -> None:
    entries = process.store(50)
    with services.store.writing() as connection:
        assert set(store_batch(connection, entries, process.clock())) == {Stored.DUPLICATE}
    process.days.note(entries)
    process.days.count()
    days = ReportDays.of(services.collect.days("campus"), services.collect.number_of_reports("campus"))
    assert days == ReportDays({date(2026, 11, 16): 40}, unknown=0, waiting=10)


def test_a_step_is_counted_late_by_a_number_that_is_drawn_for_each(
    services: Services, survey: PublishedSurvey, clock: Clock
) -> None:
    delays = iter((7, 0, 19))
    process = Process(services, clock, delay=lambda: next(delays))
    counted = [process.take(1).get(FIRST, 0) for _ in range(79)]
    # The first when 27 wait, the second when 20 do, the third when 39 do.
    assert [counted.index(steps) + 1 for steps in (20, 40, 60)] == [27, 40, 79]


def test_the_delay_is_drawn_uniformly_below_a_step(services: Services, clock: Clock) -> None:
    days = DayCounting(services.store, clock)
    # All of 20 values miss a given one in 2,000 draws with a chance of (19/20)^2000 < 1e-44.
    assert {days._delays[str(number)] for number in range(2_000)} == set(range(STEP))


def test_surveys_are_counted_separately(process: Process, services: Services) -> None:
    services.surveys.publish(two_questions(survey="other"), KEY)
    process.store(19)
    process.store(25, "other")
    process.days.count()
    assert services.collect.days("campus") == {}
    assert services.collect.days("other") == {FIRST: 20}


def test_a_survey_that_asks_some_of_its_questions_counts_each_report_once(services: Services, clock: Clock) -> None:
    manifest = replace(two_questions(), ask=1)
    services.surveys.publish(manifest, KEY)
    blank = manifest.questions[1].design.blank
    process = Process(
        services, clock, make=lambda _: replace(make_report(manifest), draws={"cheated": "1", "helped": blank})
    )
    assert process.take(40) == {FIRST: 40}


def test_a_purge_changes_no_day(process: Process, services: Services, survey: PublishedSurvey) -> None:
    process.take(30)
    purge(services.store, survey.manifest, process.clock(), ended=False, progress=lambda _: None)
    assert process.take(10) == {FIRST: 40}


def test_reports_of_unknown_days_are_not_counted_again(process: Process, services: Services) -> None:
    process.store(25)
    with services.store.transaction() as session:
        session.add(DayRow(survey="campus", day=UNKNOWN, count=25))
    assert process.take(19) == {UNKNOWN: 25}
    assert process.take(1) == {UNKNOWN: 25, FIRST: 20}


def test_a_transaction_that_fails_counts_nothing_and_the_next_one_counts_all(
    process: Process, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    process.store(20)

    def add_and_fail(*args: Any) -> None:
        add_to_counts(*args)
        raise RuntimeError("the power went off here")

    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(module, "add_to_counts", add_and_fail)
        process.days.count()
    assert services.collect.days("campus") == {}
    process.days.count()
    assert services.collect.days("campus") == {FIRST: 20}


def test_what_a_killed_process_has_not_counted_another_one_counts(
    process: Process, services: Services, clock: Clock
) -> None:
    process.store(25)
    assert Process(services, clock).take(15) == {FIRST: 40}


def test_a_step_that_one_process_counts_is_not_counted_by_another_meanwhile(
    process: Process, settings: Settings, services: Services, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = Services(settings, clock=clock)
    other = Process(instance, clock)
    other.store(15)
    process.store(15)
    second = threading.Thread(target=other.days.count)

    def add_slowly(*args: Any) -> None:
        monkeypatch.undo()
        second.start()
        second.join(0.3)
        assert second.is_alive(), "the other process did not wait"
        add_to_counts(*args)

    monkeypatch.setattr(module, "add_to_counts", add_slowly)
    process.days.count()
    second.join()
    instance.close()
    assert services.collect.days("campus") == {FIRST: 20}


def test_four_processes_at_once_count_every_step_once(settings: Settings, services: Services, clock: Clock) -> None:
    services.surveys.publish(two_questions(), KEY)
    services.surveys.publish(two_questions(survey="other"), KEY)
    instances = [Services(settings, clock=clock) for _ in range(4)]
    start, failures = threading.Barrier(4), []

    def work(process: Process) -> None:
        start.wait()
        try:
            for number in range(6):
                process.store(10, ("campus", "other")[number % 2])
                process.days.count()
        except Exception as error:  # noqa: BLE001 (told to the test)
            failures.append(error)

    threads = [threading.Thread(target=work, args=(Process(instance, clock),)) for instance in instances]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for instance in instances:
        instance.close()
    assert failures == []
    assert services.collect.days("campus") == services.collect.days("other") == {FIRST: 120}


def test_it_looks_a_while_after_the_first_new_report(process: Process) -> None:
    assert not process.days.is_due
    process.store(20)
    assert not process.days.is_due
    process.seconds += SECONDS
    assert process.days.is_due
    process.days.count()
    assert not process.days.is_due


def test_the_server_counts_when_it_ends(settings: Settings, clock: Clock) -> None:
    instance = Services(settings, clock=clock)
    manifest = instance.surveys.publish(two_questions(), KEY).manifest
    instance.collect.take("campus", [make_report(manifest).encode() for _ in range(2 * STEP - 1)])
    instance.close()
    # The most that a step is counted late.
    assert instance.collect.days("campus") == {FIRST: 20}
    instance.close()


def test_if_it_fails_reports_are_taken_all_the_same(
    settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.0)
    monkeypatch.setattr(module, "read_totals", lambda *_: 1 / 0)
    instance = Services(settings, clock=clock)
    manifest = instance.surveys.publish(two_questions(), KEY).manifest
    for _ in range(3):
        assert instance.collect.take("campus", [make_report(manifest).encode()]) == [Stored.ACCEPTED]
    instance.close()
    assert not instance.collect.has_failed
    assert "reports were not counted by day: ZeroDivisionError" in caplog.messages


@pytest.mark.parametrize(
    ("stored", "possible"),
    [
        ({}, 0),
        ({FIRST: 40, UNKNOWN: 7}, 47),
        ({FIRST: 25}, 20),
        ({FIRST: -20, SECOND: 40}, 40),
        ({"20261116": 20, "yesterday": 20, SECOND: 20}, 20),
        ({FIRST: 100}, 50),
    ],
)
def test_counts_that_cannot_be_right_are_found(stored: dict[str, int], possible: int) -> None:
    assert possible_sum(stored, 50) == possible


# What the tables tell.


def test_the_table_has_a_day_and_a_number_and_nothing_that_leads_to_a_report() -> None:
    assert set(DayRow.model_fields) == {"survey", "day", "count"}


def test_the_transaction_of_a_report_writes_no_day(process: Process, services: Services) -> None:
    process.store(200)
    assert services.collect.days("campus") == {}


def tables(services: Services) -> dict[str, list[Any]]:
    """Return all rows of all tables, in the order of their keys."""
    with services.store.reading() as session:
        connection = session.connection()
        return {
            name: [tuple(row) for row in connection.execute(table.select().order_by(*table.primary_key))]
            for name, table in SQLModel.metadata.tables.items()
        }


def test_whichever_report_came_on_which_day_the_tables_are_the_same(tmp_path: Path, clock: Clock) -> None:
    """Somebody who has all tables, and knows all but the order in which the reports came, finds nothing to tell it."""
    manifest = two_questions()
    bodies = [make_report(manifest, number % 2, 0).encode() for number in range(60)]
    stolen = []
    for name, order in (("one", bodies), ("other", bodies[::-1])):
        clock.now = datetime(2026, 11, 16, 12, tzinfo=UTC)
        instance = Services(Settings(home=tmp_path / name), clock=clock)
        instance.surveys.publish(manifest, KEY)
        rules = instance.surveys.rules("campus")
        days = DayCounting(instance.store, clock, delay=lambda: 5)
        for number, body in enumerate(order):
            clock.now += timedelta(hours=number % 3)
            entry = Reader(rules).read(body)
            assert isinstance(entry, CheckedReport)
            with instance.store.writing() as connection:
                store_batch(connection, [entry], clock())
            days.note([entry])
            days.count()
        stolen.append(tables(instance))
        instance.close()
    assert stolen[0] == stolen[1]
    assert sum(count for *_, count in stolen[0]["day"]) == 40


@pytest.fixture
def on_postgres(tmp_path: Path, postgres_url: str, clock: Clock) -> Iterator[Process]:
    instance = Services(Settings(home=tmp_path / "home", db=postgres_url), clock=clock)
    for name in ("campus", "other"):
        instance.surveys.publish(two_questions(survey=name), KEY)
    yield Process(instance, clock)
    instance.close()


def test_postgresql_keeps_no_stamp_that_dates_the_reports_of_an_older_day(on_postgres: Process, clock: Clock) -> None:
    """Stamps are in order: a day's own stamp would date all rows that were stamped before it and after it."""
    on_postgres.take(20, "other")
    on_postgres.take(20)
    clock.now += timedelta(days=1)
    on_postgres.take(20)
    query = text("SELECT survey, day, xmin::text::bigint AS stamp FROM day")
    reports = text("SELECT max(xmin::text::bigint) FROM report")
    with on_postgres.services.store.reading() as session:
        rows = list(session.connection().execute(query))
        newest = session.connection().execute(reports).scalar_one()
    assert {(survey, day) for survey, day, _ in rows} == {("other", FIRST), ("campus", FIRST), ("campus", SECOND)}
    assert {stamp > newest for _, _, stamp in rows} == {True}
    assert len({stamp for _, _, stamp in rows}) == 1
