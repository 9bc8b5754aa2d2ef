"""Counters and rows say the same; where they do not, it is said, and changed only when asked for."""

from __future__ import annotations

import threading

import pytest
from sqlmodel import col, delete, update
from tests.support.surveys import KEY, make_report, two_questions

from hushpoll_server.collect.models import CounterRow, ReportRow
from hushpoll_server.operate import reconcile
from hushpoll_server.operate.reconcile import Difference, check, repair
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey


@pytest.fixture
def filled(services: Services, survey: PublishedSurvey) -> Services:
    reports = [make_report(survey.manifest, 1, number % 2).encode() for number in range(10)]
    services.collect.take("campus", reports)
    return services


def set_counter(services: Services, question: str, cell: str, count: int) -> None:
    where = (col(CounterRow.question) == question, col(CounterRow.cell) == cell)
    with services.store.transaction() as session:
        session.exec(update(CounterRow).where(*where).values(count=count))


def test_what_was_collected_is_right(filled: Services) -> None:
    found = check(filled.store, two_questions())
    assert found.is_right
    assert (found.reports, found.rows, found.purged, found.unreadable) == (10, 10, 0, 0)


def test_a_survey_without_reports_is_right(services: Services, survey: PublishedSurvey) -> None:
    assert check(services.store, survey.manifest).is_right


def test_many_parts_are_counted_like_one(filled: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconcile, "PART", 3)
    assert check(filled.store, two_questions()).is_right


def test_every_counter_that_differs_is_named_and_none_is_changed(filled: Services) -> None:
    set_counter(filled, "helped", "yes", 7)
    set_counter(filled, "cheated", "n", 9)
    before = filled.collect.counts("campus")
    expected = (Difference("cheated", "n", 9, 10), Difference("helped", "yes", 7, 5))
    assert check(filled.store, two_questions()).differences == expected
    assert filled.collect.counts("campus") == before


def test_a_repair_says_what_it_changed_and_then_all_is_right(filled: Services) -> None:
    set_counter(filled, "helped", "yes", 7)
    with filled.store.transaction() as session:
        session.exec(delete(CounterRow).where(col(CounterRow.question) == "cheated", col(CounterRow.cell) == "yes"))
        session.add(CounterRow(survey="campus", question="helped", cell="maybe", count=1))
    changed = repair(filled.store, two_questions()).differences
    assert changed == (
        Difference("cheated", "yes", 0, 10),
        Difference("helped", "maybe", 1, 0),
        Difference("helped", "yes", 7, 5),
    )
    assert check(filled.store, two_questions()).is_right
    assert ("helped", "maybe") not in filled.collect.counts("campus")


def test_a_repair_leaves_other_surveys_alone(filled: Services) -> None:
    other = filled.surveys.publish(two_questions(survey="other"), KEY)
    filled.collect.take("other", [make_report(other.manifest, 1, 1).encode()])
    set_counter(filled, "cheated", "n", 8)
    repair(filled.store, two_questions())
    assert check(filled.store, two_questions()).is_right
    assert not check(filled.store, other.manifest).is_right


@pytest.mark.parametrize("answers", ["", "{}", '{"cheated":1}', "nonsense", '{"cheated":1,"helped":7}'])
def test_rows_that_nobody_sent_are_reported_and_keep_a_repair_from_guessing(filled: Services, answers: str) -> None:
    with filled.store.transaction() as session:
        session.add(ReportRow(survey="campus", id=b"\0" * 16, answers=answers))
    set_counter(filled, "cheated", "n", 8)
    found = repair(filled.store, two_questions())
    assert found.unreadable == 1
    assert not found.can_be_repaired
    assert filled.collect.counts("campus")["cheated", "n"] == 8


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
    repair(filled.store, two_questions())
    monkeypatch.undo()
    sender.join()
    found = check(filled.store, two_questions())
    assert found.is_right
    assert found.reports == 11
