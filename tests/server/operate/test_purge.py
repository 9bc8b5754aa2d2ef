"""Draws go, counters stay, and no report is counted twice because of it."""

from __future__ import annotations

import random
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlmodel import col, select, update
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.clock import Clock

from hushpoll_server.collect.batch import Stored
from hushpoll_server.collect.models import CounterRow, ReportRow
from hushpoll_server.collect.scan import ReportsPurged
from hushpoll_server.estimate.options import Options
from hushpoll_server.operate import purge as purge_module
from hushpoll_server.operate.purge import Purged, purge
from hushpoll_server.operate.reconcile import ALL_QUESTIONS, Difference, check, repair
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_server.surveys.service import PublishedSurvey, Rules
from hushpoll_shared.problems import CLOSED
from hushpoll_shared.report import Report


@pytest.fixture
def reports(services: Services, survey: PublishedSurvey) -> list[Report]:
    reports = [make_report(survey.manifest, 1, number % 2) for number in range(10)]
    services.collect.take("campus", [report.encode() for report in reports])
    return reports


def run(services: Services, *, ended: bool = False) -> Purged:
    manifest = services.surveys.manifest("campus")
    return purge(services.store, manifest, services.clock(), ended=ended, progress=lambda _: None)


def rows(services: Services) -> list[tuple[bytes, str]]:
    with services.store.reading() as session:
        return [(row.id, row.draws) for row in session.exec(select(ReportRow).order_by(col(ReportRow.id)))]


def set_counter(services: Services, question: str, cell: str, count: int) -> None:
    where = (col(CounterRow.question) == question, col(CounterRow.name) == cell)
    with services.store.transaction() as session:
        session.exec(update(CounterRow).where(*where).values(count=count))


def test_the_draws_are_gone_and_the_counters_and_ids_are_not(services: Services, reports: list[Report]) -> None:
    before = services.collect.counts("campus")
    assert run(services) == Purged(reports=10, ids=0)
    assert rows(services) == sorted((bytes.fromhex(report.id), "") for report in reports)
    assert services.collect.counts("campus") == before


def test_many_parts_are_purged_like_one(
    services: Services, reports: list[Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge_module, "PART_ROWS", 3)
    assert run(services) == Purged(len(reports), 0)
    assert run(services, ended=True) == Purged(0, len(reports))
    assert rows(services) == []


def test_a_purged_report_that_is_sent_again_is_a_duplicate_whatever_it_says(
    services: Services, reports: list[Report]
) -> None:
    run(services)
    before = services.collect.counts("campus")
    other = make_report(two_questions(), 0, 0, report_id=reports[0].id)
    again = [reports[0].encode(), other.encode()]
    assert services.collect.take("campus", again) == [Stored.DUPLICATE, Stored.DUPLICATE]
    assert services.collect.counts("campus") == before


def test_an_open_survey_goes_on_and_can_be_purged_again(services: Services, reports: list[Report]) -> None:
    run(services)
    assert services.collect.take("campus", [make_report(two_questions(), 1, 1).encode()]) == [Stored.ACCEPTED]
    found = check(services.store, Rules(two_questions()))
    assert found.is_right
    assert (found.reports, found.rows, found.purged) == (len(reports) + 1, 11, 10)
    assert run(services) == Purged(1, 0)
    assert check(services.store, Rules(two_questions())).purged == 11


def test_of_a_closed_survey_the_ids_go_too(services: Services, reports: list[Report]) -> None:
    before = services.collect.counts("campus")
    services.surveys.close("campus")
    assert run(services) == Purged(10, 10)
    assert rows(services) == []
    assert services.collect.counts("campus") == before
    assert services.collect.take("campus", [reports[0].encode()]) == [CLOSED]
    assert check(services.store, Rules(two_questions())).is_right


def test_a_survey_that_has_ended_is_closed_for_good_before_its_ids_go(
    services: Services, reports: list[Report]
) -> None:
    assert run(services, ended=True) == Purged(10, 10)
    assert services.surveys.get("campus").closed
    assert services.collect.take("campus", [reports[0].encode()]) == [CLOSED]


def test_a_survey_that_closed_by_its_time_stays_closed_for_a_node_whose_clock_is_late(
    services: Services, clock: Clock
) -> None:
    closes = datetime(2026, 11, 17, tzinfo=UTC)
    manifest = services.surveys.publish(two_questions(closes=closes), KEY).manifest
    report = make_report(manifest).encode()
    services.collect.take("campus", [report])
    clock.now = closes
    assert run(services) == Purged(1, 1)
    clock.now = closes - timedelta(seconds=1)
    assert services.collect.take("campus", [report]) == [CLOSED]


def test_nothing_to_purge_leaves_no_trace(services: Services, survey: PublishedSurvey) -> None:
    assert run(services) == Purged(0, 0)
    assert services.collect.reports(survey.name) == []


@pytest.mark.parametrize("ended", [False, True])
def test_the_reports_are_not_given_in_part_and_the_estimates_still_are(
    services: Services, reports: list[Report], ended: bool
) -> None:
    before = services.results.results(services.results.read("campus"), Options())
    run(services, ended=ended)
    with pytest.raises(ReportsPurged, match=rf"the draws of {len(reports)} reports to campus were purged"):
        services.collect.reports("campus")
    assert services.results.results(services.results.read("campus"), Options()) == before


@pytest.mark.parametrize("ended", [False, True])
def test_a_wrong_number_of_reports_is_still_found(services: Services, reports: list[Report], ended: bool) -> None:
    run(services, ended=ended)
    for question in ("cheated", "helped"):
        set_counter(services, question, "n", len(reports) + 1)
    found = repair(services.store, Rules(two_questions()))
    assert found.differences[0] == Difference(ALL_QUESTIONS, "n", 11, 10)
    assert not found.can_be_repaired
    assert services.collect.counts("campus")["cheated"]["n"] == 11


@pytest.mark.parametrize("impossible", [0, 12])
def test_a_counter_out_of_the_range_that_the_remaining_rows_leave_is_found(
    services: Services, reports: list[Report], impossible: int
) -> None:
    run(services)
    services.collect.take("campus", [make_report(two_questions(), 1, 0).encode()])
    assert check(services.store, Rules(two_questions())).is_right
    set_counter(services, "cheated", "1", impossible)
    found = check(services.store, Rules(two_questions()))
    assert found.purged == len(reports)
    assert found.differences == (Difference("cheated", "1", impossible, 1),)


def test_the_files_of_sqlite_do_not_hold_draws_or_ids_any_more(tmp_path: Path, sqlite_url: str) -> None:
    services = Services(Settings(home=tmp_path / "home", db=sqlite_url))
    services.surveys.publish(two_questions(), KEY)
    reports = [make_report(two_questions()) for _ in range(10)]
    services.collect.take("campus", [report.encode() for report in reports])
    run(services, ended=True)
    assert services.store.clean_up()
    content = b"".join(file.read_bytes() for file in tmp_path.glob("hushpoll.db*"))
    services.close()
    assert b"campus" in content
    assert b'{"cheated":' not in content
    assert not any(bytes.fromhex(report.id) in content for report in reports)


def test_postgresql_keeps_no_dead_rows(tmp_path: Path, postgres_url: str) -> None:
    services = Services(Settings(home=tmp_path / "home", db=postgres_url))
    services.surveys.publish(two_questions(), KEY)
    services.collect.take("campus", [make_report(two_questions()).encode() for _ in range(10)])
    run(services)
    with services.store.reading() as session:
        before = session.connection().execute(text("SELECT pg_relation_size('report')")).scalar_one()
    assert services.store.clean_up()
    run(services, ended=True)
    assert services.store.clean_up()
    with services.store.reading() as session:
        after = session.connection().execute(text("SELECT pg_relation_size('report')")).scalar_one()
    services.close()
    assert before > 0
    assert after == 0


def test_reports_that_are_sent_again_during_a_purge_are_counted_once(
    services: Services, reports: list[Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purge_module, "PART_ROWS", 4)
    sent, accepted = list(reports), Counter(report.id for report in reports)
    begun, stop = threading.Event(), threading.Event()

    def send() -> None:
        while not stop.is_set():
            sent.append(make_report(two_questions()))
            again = random.sample(sent, min(20, len(sent)))
            verdicts = services.collect.take("campus", [report.encode() for report in again])
            accepted.update(each.id for each, said in zip(again, verdicts, strict=True) if said is Stored.ACCEPTED)
            # A purge that ends the survey may otherwise be over before the first report is here.
            if len(accepted) > len(reports):
                begun.set()

    sender = threading.Thread(target=send)
    sender.start()
    assert begun.wait(30)
    purged = sum((run(services) for _ in range(5)), Purged(0, 0))
    purged += run(services, ended=True)
    stop.set()
    sender.join()
    found = check(services.store, Rules(two_questions()))
    assert found.is_right
    # The oracle: every id has one report, and nobody is told "accepted" twice.
    assert set(accepted.values()) == {1}
    assert purged == Purged(len(accepted), len(accepted))
    assert found.reports == len(accepted)
