"""What PostgreSQL notes about rows does not tell in which order lonely reports came."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import text
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.collect.recount import recount

from hushpoll_server.collect import mixing as module
from hushpoll_server.collect.batch import Stored
from hushpoll_server.collect.mixing import SMALL_BATCH
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared.report import Report


@pytest.fixture
def instance(tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.setattr(module, "ROWS_PER_REWRITE", 50)
    instance = Services(Settings(home=tmp_path / "home", db=postgres_url))
    instance.surveys.publish(two_questions(), KEY)
    yield instance
    instance.close()


def send(instance: Services, *numbers: int) -> list[Report]:
    """Send this many reports at a time, and return them all in the order of arrival."""
    batches = [[make_report(two_questions(), 1, 0) for _ in range(number)] for number in numbers]
    for batch in batches:
        assert set(instance.collect.take("campus", [report.encode() for report in batch])) == {Stored.ACCEPTED}
    return [report for batch in batches for report in batch]


def stamps(instance: Services) -> list[tuple[str, int]]:
    """Return ids and stamps in the order in which the rows lie."""
    query = text("SELECT encode(id, 'hex'), xmin::text::bigint FROM report ORDER BY ctid")
    with instance.store.reading() as session:
        return [(name, stamp) for name, stamp in session.connection().execute(query)]


def test_reports_that_came_one_by_one_bear_one_stamp_and_lie_in_the_order_of_their_ids(instance: Services) -> None:
    sent = send(instance, *[1] * 50)
    instance.close()
    found = stamps(instance)
    assert len({stamp for _, stamp in found}) == 1
    assert [name for name, _ in found] == sorted(report.id for report in sent)


def test_fewer_are_mixed_when_the_process_ends(instance: Services) -> None:
    send(instance, *[1] * 5)
    assert len({stamp for _, stamp in stamps(instance)}) == 5
    instance.close()
    assert len({stamp for _, stamp in stamps(instance)}) == 1


def test_a_batch_with_company_is_left_alone(instance: Services) -> None:
    send(instance, SMALL_BATCH)
    before = stamps(instance)
    instance.close()
    assert stamps(instance) == before


def test_mixing_changes_no_report_no_count_and_no_duplicate(instance: Services) -> None:
    sent = send(instance, *[1] * 60)
    assert instance.collect.reports("campus") == sorted(sent, key=lambda report: report.id)
    assert instance.collect.counts("campus") == recount(instance, "campus")
    again = instance.collect.take("campus", [report.encode() for report in sent])
    assert again == [Stored.DUPLICATE] * 60


def test_reports_that_are_sent_again_while_they_are_mixed_are_counted_once(
    instance: Services, postgres_url: str, tmp_path: Path
) -> None:
    other = Services(Settings(home=tmp_path / "other", db=postgres_url))
    sent = [make_report(two_questions(), 1, 0).encode() for _ in range(300)]

    def send_all(services: Services, bodies: list[bytes]) -> None:
        for body in bodies:
            [verdict] = services.collect.take("campus", [body])
            assert isinstance(verdict, Stored)

    threads = [Thread(target=send_all, args=(instance, sent)), Thread(target=send_all, args=(other, sent[::-1]))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert instance.collect.number_of_reports("campus") == 300
    assert instance.collect.counts("campus") == recount(instance, "campus")


def test_what_could_not_be_mixed_is_mixed_later(instance: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(module, "write_again", lambda *_: 1 / 0)
        send(instance, *[1] * 5)
        instance.close()
    assert len({stamp for _, stamp in stamps(instance)}) == 5
    send(instance, 1)
    instance.close()
    assert len({stamp for _, stamp in stamps(instance)}) == 1


def test_sqlite_has_nothing_to_mix(tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "write_again", lambda *_: 1 / 0)
    instance = Services(Settings(home=tmp_path / "home", db=sqlite_url))
    instance.surveys.publish(two_questions(), KEY)
    send(instance, *[1] * 5)
    assert not instance.collect.has_failed
    instance.close()
    assert len(instance.collect.reports("campus")) == 5
