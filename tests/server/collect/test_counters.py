"""A counter is the sum of its shards, however many processes write."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlmodel import select
from tests.samples.surveys import KEY, make_report, two_questions
from tests.server.collect.recount import recount

from hushpoll_server.collect import writer as module
from hushpoll_server.collect.counters import SHARDS, draw_shard
from hushpoll_server.collect.models import CounterRow, RejectionRow
from hushpoll_server.mechanisms.mechanism import TOTAL
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings
from hushpoll_shared.problems import NOT_JSON


def shards_of(services: Services, model: type[CounterRow] | type[RejectionRow]) -> set[int]:
    with services.store.reading() as session:
        return set(session.exec(select(model.shard)))


@pytest.fixture
def three(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Services]]:
    """Three processes on one database, as far as shards go: each has drawn another one."""
    drawn = iter((3, 5, 7))
    monkeypatch.setattr(module, "draw_shard", lambda: next(drawn))
    instances = [Services(settings) for _ in range(3)]
    instances[0].surveys.publish(two_questions(), KEY)
    manifest = two_questions()
    for instance in instances:
        instance.collect.take("campus", [make_report(manifest, 1, 0).encode() for _ in range(4)])
        instance.collect.reject("campus", [NOT_JSON])
        instance.close()
    yield instances
    instances[0].close()


def test_each_process_adds_to_a_shard_of_its_own_and_the_sum_counts(three: list[Services], database_url: str) -> None:
    wanted = {3, 5, 7} if database_url.startswith("postgresql") else {0}
    assert shards_of(three[0], CounterRow) == shards_of(three[0], RejectionRow) == wanted
    counts = three[0].collect.counts("campus")
    assert counts == recount(three[0], "campus")
    assert counts["cheated"][TOTAL] == counts["cheated"]["1"] == 12
    assert three[0].collect.number_of_reports("campus") == 12
    assert three[0].collect.rejections("campus") == {NOT_JSON: 3}


def test_there_are_only_64_shards() -> None:
    # All of 64 shards miss a given one in 5,000 draws with a chance of (63/64)^5000 < 1e-34.
    assert {draw_shard() for _ in range(5_000)} == set(range(SHARDS))
