"""Counters and rows say the same; where they do not, it is said, and changed only when asked for."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import pytest
from sqlmodel import col, delete, update
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.clock import Clock

from hushpoll_server.collect.batch import Stored
from hushpoll_server.collect.models import CounterRow, DayRow, ReportRow
from hushpoll_server.operate import reconcile
from hushpoll_server.operate.purge import purge
from hushpoll_server.operate.reconcile import Difference, check, repair
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey, Rules


@pytest.fixture
def filled(services: Services, survey: PublishedSurvey) -> Services:
    reports = [make_report(survey.manifest, 1, number % 2).encode() for number in range(10)]
    services.collect.take("campus", reports)
    return services


def set_counter(services: Services, question: str, name: str, count: int) -> None:
    where = (col(CounterRow.question) == question, col(CounterRow.name) == name)
    with services.store.transaction() as session:
        session.exec(update(CounterRow).where(*where).values(count=count))


def spread(services: Services, question: str, name: str, counts: Mapping[int, int]) -> None:
    """Put these counts into the shards of a counter, and nothing into the others."""
    key = {"survey": "campus", "question": question, "name": name}
    with services.store.transaction() as session:
        session.exec(delete(CounterRow).filter_by(**key))
        session.add_all(CounterRow(**key, shard=shard, count=count) for shard, count in counts.items())


def test_what_was_collected_is_right(filled: Services) -> None:
    found = check(filled.store, Rules(two_questions()))
    assert found.is_right
    assert (found.reports, found.rows, found.purged, found.unreadable) == (10, 10, 0, 0)


def test_a_survey_without_reports_is_right(services: Services, survey: PublishedSurvey) -> None:
    assert check(services.store, Rules(survey.manifest)).is_right


def test_many_parts_are_counted_like_one(filled: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconcile, "PART_REPORTS", 3)
    assert check(filled.store, Rules(two_questions())).is_right


def test_every_counter_that_differs_is_named_and_none_is_changed(filled: Services) -> None:
    set_counter(filled, "helped", "1", 7)
    set_counter(filled, "cheated", "n", 9)
    before = filled.collect.counts("campus")
    expected = (Difference("cheated", "n", 9, 10), Difference("helped", "1", 7, 5))
    assert check(filled.store, Rules(two_questions())).differences == expected
    assert filled.collect.counts("campus") == before


def test_a_repair_says_what_it_changed_and_then_all_is_right(filled: Services) -> None:
    set_counter(filled, "helped", "1", 7)
    with filled.store.transaction() as session:
        session.exec(delete(CounterRow).where(col(CounterRow.question) == "cheated", col(CounterRow.name) == "1"))
        session.add(CounterRow(survey="campus", question="helped", name="maybe", count=1))
    changed = repair(filled.store, Rules(two_questions())).differences
    assert changed == (
        Difference("cheated", "1", 0, 10),
        Difference("helped", "1", 7, 5),
        Difference("helped", "maybe", 1, 0),
    )
    assert check(filled.store, Rules(two_questions())).is_right
    assert "maybe" not in filled.collect.counts("campus")["helped"]


def test_a_counter_is_the_sum_of_its_shards(filled: Services) -> None:
    spread(filled, "cheated", "n", {1: 4, 2: 3, 63: 3})
    assert check(filled.store, Rules(two_questions())).is_right
    spread(filled, "cheated", "n", {1: 4, 2: 3, 63: 4})
    assert check(filled.store, Rules(two_questions())).differences == (Difference("cheated", "n", 11, 10),)


def test_a_repair_leaves_one_shard_of_a_wrong_counter(filled: Services) -> None:
    spread(filled, "cheated", "n", {0: 9, 1: 9, 2: 9})
    assert repair(filled.store, Rules(two_questions())).differences == (Difference("cheated", "n", 27, 10),)
    assert filled.collect.counts("campus")["cheated"]["n"] == 10
    assert filled.collect.take("campus", [make_report(two_questions(), 1, 0).encode()]) == [Stored.ACCEPTED]
    assert check(filled.store, Rules(two_questions())).is_right


def test_the_counters_of_crossed_questions_are_checked_and_repaired_like_others(services: Services) -> None:
    services.surveys.publish(two_questions(), KEY, [("cheated", "helped")])
    rules = services.surveys.rules("campus")
    services.collect.take("campus", [make_report(two_questions(), 1, 1).encode() for _ in range(3)])
    assert check(services.store, rules).is_right
    set_counter(services, "cheated,helped", "1,1", 2)
    assert repair(services.store, rules).differences == (Difference("cheated,helped", "1,1", 2, 3),)
    assert check(services.store, rules).is_right


@pytest.mark.parametrize(
    ("stored", "possible"), [({"2026-11-16": 20}, 10), ({"2026-11-16": 7}, 0), ({"unknown": 11}, 10)]
)
def test_counts_by_day_that_cannot_be_right_are_named_and_forgotten(
    filled: Services, stored: Mapping[str, int], possible: int
) -> None:
    with filled.store.transaction() as session:
        session.add_all(DayRow(survey="campus", day=day, count=count) for day, count in stored.items())
    expected = (Difference("*", "days", sum(stored.values()), possible),)
    assert check(filled.store, Rules(two_questions())).differences == expected
    assert filled.collect.days("campus") == stored
    assert repair(filled.store, Rules(two_questions())).differences == expected
    assert check(filled.store, Rules(two_questions())).is_right
    assert filled.collect.days("campus") == ({"unknown": possible} if possible else {})


def test_counts_by_day_are_compared_with_purged_reports_as_well(filled: Services, clock: Clock) -> None:
    purge(filled.store, two_questions(), clock.now, ended=True, progress=lambda _: None)
    with filled.store.transaction() as session:
        session.add(DayRow(survey="campus", day="unknown", count=10))
    assert check(filled.store, Rules(two_questions())).is_right
    with filled.store.transaction() as session:
        session.add(DayRow(survey="campus", day="2026-11-16", count=20))
    assert check(filled.store, Rules(two_questions())).differences == (Difference("*", "days", 30, 10),)


def test_a_repair_leaves_other_surveys_alone(filled: Services) -> None:
    other = filled.surveys.publish(two_questions(survey="other"), KEY)
    filled.collect.take("other", [make_report(other.manifest, 1, 1).encode()])
    set_counter(filled, "cheated", "n", 8)
    repair(filled.store, Rules(two_questions()))
    assert check(filled.store, Rules(two_questions())).is_right
    assert not check(filled.store, Rules(other.manifest)).is_right


@pytest.mark.parametrize(
    "draws", ["", "[]", '["1"]', "nonsense", '["1","7"]', "[1,0]", '["1","0","0"]', '{"cheated":"1","helped":"0"}']
)
def test_rows_that_nobody_sent_are_reported_and_keep_a_repair_from_guessing(filled: Services, draws: str) -> None:
    with filled.store.transaction() as session:
        session.add(ReportRow(survey="campus", id=b"\0" * 16, draws=draws))
    set_counter(filled, "cheated", "n", 8)
    found = repair(filled.store, Rules(two_questions()))
    assert found.unreadable == 1
    assert not found.can_be_repaired
    assert filled.collect.counts("campus")["cheated"]["n"] == 8


def test_no_batch_comes_between_a_repairs_recount_and_its_change(
    filled: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_counter(filled, "cheated", "n", 8)
    compare = reconcile._compare
    late = make_report(two_questions(), 1, 1)
    sender = threading.Thread(target=lambda: filled.collect.take("campus", [late.encode()]))

    def compare_slowly(*given: object) -> reconcile.Checked:
        found = compare(*given)  # type: ignore[arg-type]
        sender.start()
        sender.join(0.3)
        assert sender.is_alive(), "the batch did not wait for the repair"
        return found

    monkeypatch.setattr(reconcile, "_compare", compare_slowly)
    repair(filled.store, Rules(two_questions()))
    monkeypatch.undo()
    sender.join()
    found = check(filled.store, Rules(two_questions()))
    assert found.is_right
    assert found.reports == 11
