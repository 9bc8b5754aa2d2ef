"""Acknowledged means durable; a commit is shared; what cannot be stored is never called accepted."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from tests.samples.surveys import make_report
from tests.server.web.loops import run

from hushpoll_server.collect import writer as module
from hushpoll_server.collect.batch import CheckedReport, Stored
from hushpoll_server.collect.reader import Reader
from hushpoll_server.collect.writer import Writer
from hushpoll_server.services import Services
from hushpoll_server.surveys.service import PublishedSurvey, Rules
from hushpoll_shared.problems import TRY_LATER, ProblemError


class GuardedStore:
    """The real store, with a gate before each transaction and a count of them."""

    def __init__(self, services: Services) -> None:
        self._store = services.store
        self.entered, self.gate = threading.Event(), threading.Event()
        self.transactions = 0
        self.error: Exception | None = None

    @contextmanager
    def writing(self) -> Iterator[Any]:
        self.entered.set()
        self.gate.wait(10)
        self.transactions += 1
        with self._store.writing() as connection:
            yield connection
            if self.error:
                raise self.error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


@pytest.fixture
def store(services: Services) -> GuardedStore:
    return GuardedStore(services)


def make_writer(store: GuardedStore, services: Services, *, queue_size: int = 1000, wait: float = 10) -> Writer:
    return Writer(store, services.clock, queue_size=queue_size, wait=wait)  # type: ignore[arg-type]


def entry(survey: PublishedSurvey) -> CheckedReport:
    read = Reader(Rules(survey.manifest)).read(make_report(survey.manifest).encode())
    assert isinstance(read, CheckedReport)
    return read


def test_reports_that_wait_together_are_committed_together(
    services: Services, survey: PublishedSurvey, store: GuardedStore
) -> None:
    writer = make_writer(store, services)
    with ThreadPoolExecutor(50) as pool:
        answers = [pool.submit(writer.write, [entry(survey)]) for _ in range(50)]
        # The first takes the writer; the others gather behind it.
        threading.Timer(0.5, store.gate.set).start()
        assert [answer.result() for answer in answers] == [[Stored.ACCEPTED]] * 50
    assert store.transactions <= 3
    assert len(services.collect.reports("campus")) == 50
    writer.close()


def test_nobody_is_told_anything_before_the_commit(
    services: Services, survey: PublishedSurvey, store: GuardedStore
) -> None:
    writer = make_writer(store, services)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(writer.write, [entry(survey)])
        with pytest.raises(TimeoutError):
            answer.result(0.2)
        store.gate.set()
        assert answer.result(10) == [Stored.ACCEPTED]
    writer.close()


def test_a_commit_that_fails_tells_everybody_to_try_later(
    services: Services, survey: PublishedSurvey, store: GuardedStore
) -> None:
    store.gate.set()
    store.error = OSError("no space left on device")
    writer = make_writer(store, services)
    retried = entry(survey)
    with pytest.raises(ProblemError) as caught:
        writer.write([retried])
    assert caught.value.problem is TRY_LATER
    assert services.collect.reports("campus") == []
    store.error = None
    assert writer.write([retried]) == [Stored.ACCEPTED]
    writer.close()


def test_a_full_queue_says_try_later_at_once(services: Services, survey: PublishedSurvey, store: GuardedStore) -> None:
    writer = make_writer(store, services, queue_size=1)
    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(writer.write, [entry(survey)]) for _ in range(8)]
        threading.Timer(0.5, store.gate.set).start()
        problems = [answer.exception() for answer in answers]
    refused = [problem for problem in problems if problem is not None]
    assert refused
    assert all(isinstance(problem, ProblemError) and problem.problem is TRY_LATER for problem in refused)
    assert len(services.collect.reports("campus")) == 8 - len(refused)
    writer.close()


def test_a_wait_that_is_too_long_says_try_later_and_the_retry_is_a_duplicate(
    services: Services, survey: PublishedSurvey, store: GuardedStore
) -> None:
    writer = make_writer(store, services, wait=0.1)
    late = entry(survey)
    with pytest.raises(ProblemError):
        writer.write([late])
    store.gate.set()
    writer.close()
    assert make_writer(store, services).write([late]) == [Stored.DUPLICATE]


def test_closing_commits_what_waits_and_a_later_report_starts_anew(
    services: Services, survey: PublishedSurvey, store: GuardedStore
) -> None:
    writer = make_writer(store, services)
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(writer.write, [entry(survey)])]
        store.entered.wait(10)
        answers += [pool.submit(writer.write, [entry(survey)]) for _ in range(3)]
        while writer.waiting < 3:
            time.sleep(0.01)
        threading.Timer(0.1, store.gate.set).start()
        writer.close()
        assert [answer.result(1) for answer in answers] == [[Stored.ACCEPTED]] * 4
    assert writer.write([entry(survey)]) == [Stored.ACCEPTED]
    writer.close()


def test_coroutines_share_commits_with_threads(
    services: Services, survey: PublishedSurvey, store: GuardedStore
) -> None:
    writer = make_writer(store, services)

    async def write_many() -> list[list[Any]]:
        return await asyncio.gather(*(writer.write_soon([entry(survey)]) for _ in range(50)))

    with ThreadPoolExecutor(5) as pool:
        answers = [pool.submit(writer.write, [entry(survey)]) for _ in range(4)]
        soon = pool.submit(asyncio.run, write_many())
        threading.Timer(0.5, store.gate.set).start()
        assert soon.result() == [[Stored.ACCEPTED]] * 50
        assert [answer.result() for answer in answers] == [[Stored.ACCEPTED]] * 4
    assert store.transactions <= 4
    assert len(services.collect.reports("campus")) == 54
    writer.close()


def test_a_coroutine_is_told_to_try_later_when_the_queue_is_full_or_the_wait_is_too_long(
    services: Services, survey: PublishedSurvey, store: GuardedStore
) -> None:
    writer = make_writer(store, services, queue_size=2, wait=0.2)

    async def write_many() -> list[Any]:
        waiting = (writer.write_soon([entry(survey)]) for _ in range(8))
        return await asyncio.gather(*waiting, return_exceptions=True)

    problems = run(write_many())
    assert [error.problem for error in problems] == [TRY_LATER] * 8
    store.gate.set()
    writer.close()
    # The queue was full for most; those who waited too long were stored after all, and will be told so.
    assert 1 <= len(services.collect.reports("campus")) <= 3


def test_who_stops_waiting_disturbs_nobody(services: Services, survey: PublishedSurvey, store: GuardedStore) -> None:
    writer = make_writer(store, services)

    async def leave_one() -> list[Any]:
        gone, stays = (asyncio.create_task(writer.write_soon([entry(survey)])) for _ in range(2))
        await asyncio.sleep(0.05)
        gone.cancel()
        store.gate.set()
        return await stays

    assert run(leave_one()) == [Stored.ACCEPTED]
    writer.close()
    assert len(services.collect.reports("campus")) == 2


def failed_disk(code: int) -> Exception:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    return error


def test_after_an_error_of_the_disk_nothing_more_is_taken(
    services: Services, survey: PublishedSurvey, store: GuardedStore
) -> None:
    store.gate.set()
    writer = make_writer(store, services)
    store.error = failed_disk(sqlite3.SQLITE_IOERR_FSYNC)
    for _ in range(2):
        with pytest.raises(ProblemError) as caught:
            writer.write([entry(survey)])
        assert caught.value.problem is TRY_LATER
        store.error = None
    assert writer.has_failed
    assert store.transactions == 1
    writer.close()
    assert services.collect.reports("campus") == []


def test_a_full_disk_is_tried_again(services: Services, survey: PublishedSurvey, store: GuardedStore) -> None:
    store.gate.set()
    writer = make_writer(store, services)
    store.error = failed_disk(sqlite3.SQLITE_FULL)
    with pytest.raises(ProblemError):
        writer.write([entry(survey)])
    store.error = None
    assert writer.write([entry(survey)]) == [Stored.ACCEPTED]
    assert not writer.has_failed
    writer.close()


def test_a_writer_that_cannot_go_on_says_so(
    services: Services, survey: PublishedSurvey, store: GuardedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.gate.set()
    writer = make_writer(store, services, wait=0.2)
    monkeypatch.setattr(module, "_notify", lambda *_: 1 / 0)
    with pytest.raises(ProblemError):
        writer.write([entry(survey)])
    assert writer.has_failed
    # Whoever comes later is not kept waiting.
    with pytest.raises(ProblemError):
        writer.write([entry(survey)])
    writer.close()
