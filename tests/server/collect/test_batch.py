"""One batch, one transaction: every report is stored and counted once, and its place says nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import inspect, text
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.collect.recount import recount

from hushpoll_server.collect.batch import CheckedReport, Stored, Verdict, store_batch
from hushpoll_server.collect.reader import Reader
from hushpoll_server.mechanisms.mechanism import TOTAL
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey
from hushpoll_shared.problems import CLOSED, CONFLICT, NOT_OPEN
from hushpoll_shared.report import Report

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def store(services: Services, survey: PublishedSurvey, *reports: Report, now: datetime = NOW) -> list[Verdict]:
    with services.store.writing() as connection:
        return store_batch(connection, [entry(services, survey, report) for report in reports], now)


def entry(services: Services, survey: PublishedSurvey, report: Report) -> CheckedReport:
    read = Reader(services.surveys.rules(survey.name)).read(report.encode())
    assert isinstance(read, CheckedReport)
    return read


def test_new_reports_are_accepted_and_counted(services: Services, survey: PublishedSurvey) -> None:
    reports = [make_report(survey.manifest, 1, 0), make_report(survey.manifest, 1, 1)]
    assert store(services, survey, *reports) == [Stored.ACCEPTED, Stored.ACCEPTED]
    counts = services.collect.counts("campus")
    assert counts == {"cheated": {TOTAL: 2, "1": 2}, "helped": {TOTAL: 2, "0": 1, "1": 1}}
    assert counts == recount(services, "campus")


def test_the_same_report_again_is_a_duplicate_and_is_not_counted(services: Services, survey: PublishedSurvey) -> None:
    report = make_report(survey.manifest, 1, 1)
    assert store(services, survey, report, report) == [Stored.ACCEPTED, Stored.DUPLICATE]
    assert store(services, survey, report) == [Stored.DUPLICATE]
    assert services.collect.counts("campus")["cheated"][TOTAL] == 1


def test_the_same_id_with_other_draws_is_a_conflict_and_the_first_stands(
    services: Services, survey: PublishedSurvey
) -> None:
    first, second = (make_report(survey.manifest, draw, 0, report_id="ab" * 16) for draw in (1, 0))
    assert store(services, survey, first, second) == [Stored.ACCEPTED, CONFLICT]
    assert store(services, survey, second, first) == [CONFLICT, Stored.DUPLICATE]
    assert services.collect.reports("campus") == [first]
    assert services.collect.counts("campus") == recount(services, "campus")


def test_the_same_id_in_two_surveys_is_two_reports(services: Services, survey: PublishedSurvey) -> None:
    other = services.surveys.publish(two_questions(survey="other"), KEY)
    with services.store.writing() as connection:
        entries = [entry(services, s, make_report(s.manifest, 1, 1, report_id="cd" * 16)) for s in (survey, other)]
        assert store_batch(connection, entries, NOW) == [Stored.ACCEPTED, Stored.ACCEPTED]


def test_a_closed_survey_takes_nothing_new_but_knows_what_it_has(services: Services, survey: PublishedSurvey) -> None:
    before, after = make_report(survey.manifest), make_report(survey.manifest)
    store(services, survey, before)
    services.surveys.close("campus")
    assert store(services, survey, after, before) == [CLOSED, Stored.DUPLICATE]
    assert services.collect.reports("campus") == [before]


def test_opening_and_closing_times_are_kept(services: Services) -> None:
    day = [datetime(2026, 11, number, tzinfo=UTC) for number in (1, 2, 3)]
    survey = services.surveys.publish(two_questions(opens=day[1], closes=day[2]), KEY)
    report = make_report(survey.manifest)
    assert store(services, survey, report, now=day[0]) == [NOT_OPEN]
    assert store(services, survey, report, now=day[2]) == [CLOSED]
    assert store(services, survey, report, now=day[1]) == [Stored.ACCEPTED]


def test_a_batch_that_fails_leaves_neither_rows_nor_counts(services: Services, survey: PublishedSurvey) -> None:
    with pytest.raises(RuntimeError), services.store.writing() as connection:
        store_batch(connection, [entry(services, survey, make_report(survey.manifest))], NOW)
        raise RuntimeError("the power went off here")
    assert services.collect.reports("campus") == []
    assert services.collect.counts("campus") == {}


def test_a_thousand_reports_at_once_are_all_judged(services: Services, survey: PublishedSurvey) -> None:
    reports = [make_report(survey.manifest) for _ in range(1000)]
    assert store(services, survey, *reports) == [Stored.ACCEPTED] * 1000
    assert store(services, survey, *reversed(reports)) == [Stored.DUPLICATE] * 1000
    assert services.collect.counts("campus") == recount(services, "campus")


def test_a_stored_report_has_a_key_draws_and_groups_and_nothing_else(
    services: Services, survey: PublishedSurvey
) -> None:
    store(services, survey, make_report(survey.manifest))
    with services.store.reading() as session:
        columns = {column["name"] for column in inspect(session.connection()).get_columns("report")}
    assert columns == {"survey", "id", "draws", "groups"}


def test_the_rows_of_a_batch_lie_in_the_order_of_their_random_ids(services: Services, survey: PublishedSurvey) -> None:
    reports = [make_report(survey.manifest) for _ in range(200)]
    store(services, survey, *reports)
    with services.store.reading() as session:
        # Without ORDER BY: the order in which the engine itself holds them.
        stored = [bytes(row.id).hex() for row in session.connection().execute(text("SELECT id FROM report"))]
    assert stored == sorted(report.id for report in reports)
