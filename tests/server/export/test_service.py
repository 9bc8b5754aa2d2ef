"""From an order to the bytes of a file: part by part, refused before the first, and seen while it works."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.samples.exported import CROSSED, bodies_of, everything
from tests.samples.surveys import KEY

from hushpoll_server.analysis.groups import GroupWithheld
from hushpoll_server.collect.scan import ReportsPurged
from hushpoll_server.export.order import ESTIMATES, REPORTS, TESTS, Order
from hushpoll_server.export.service import Item
from hushpoll_server.operate.purge import purge
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings

REPORTS_SENT = 40


@pytest.fixture
def filled(tmp_path: Path, database_url: str) -> Iterator[Services]:
    """Publish a survey with every type of question, and store reports."""
    services, manifest = Services(Settings(home=tmp_path, db=database_url)), everything()
    services.surveys.publish(manifest, KEY, CROSSED)
    services.collect.take(manifest.survey, bodies_of(manifest, REPORTS_SENT))
    yield services
    services.close()


class Onlooker:
    """Somebody who watches work, and notes how much was announced and how much was done."""

    def __init__(self) -> None:
        self.announced: dict[str, int] = {}
        self.done: dict[str, int] = {}

    def __call__(self, items: Iterable[Item], what: str, total: int, /) -> Iterator[Item]:
        self.announced[what] = total
        for number, item in enumerate(items, 1):
            yield item
            self.done[what] = number


@pytest.mark.parametrize(
    ("order", "work"),
    [
        (Order(what=ESTIMATES, format="csv"), {"groups": 1}),
        (Order(what=ESTIMATES, format="parquet", shape="wide", by="years"), {"groups": 3}),
        (Order(what=TESTS, format="json", by="faculty"), {"groups": 2, "questions": 16}),
        (Order(what=REPORTS, format="csv"), {"reports": REPORTS_SENT}),
        (Order(what=REPORTS, format="parquet", new_ids=True), {"reports": REPORTS_SENT}),
        (Order(what=REPORTS, format="ndjson", labels=("arts",)), {"reports": REPORTS_SENT}),
    ],
    ids=str,
)
def test_whoever_watches_sees_all_of_the_work(filled: Services, order: Order, work: dict[str, int]) -> None:
    onlooker = Onlooker()
    assert b"".join(filled.exports.parts("everything", order, watch=onlooker))
    assert onlooker.announced == onlooker.done == work


@pytest.mark.parametrize("format_", ["ndjson", "csv", "parquet"])
def test_purged_reports_and_small_groups_are_refused_before_the_first_byte(filled: Services, format_: str) -> None:
    order = Order(what=REPORTS, format=format_)
    with pytest.raises(GroupWithheld):
        filled.exports.parts("everything", replace(order, labels=("middle",)))
    purge(filled.store, everything(), filled.clock(), ended=False, progress=lambda _: None)
    with pytest.raises(ReportsPurged):
        filled.exports.parts("everything", order)


def test_reports_are_those_of_one_state_in_whichever_thread_they_are_read(
    filled: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hushpoll_server.collect.service.ROWS_AT_A_TIME", 4)
    parts = filled.exports.parts("everything", Order(what=REPORTS, format="ndjson"))
    lines = [next(parts)]
    filled.collect.take("everything", bodies_of(everything(), 2 * REPORTS_SENT)[REPORTS_SENT:])
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        for thread in (one, other) * (REPORTS_SENT // 2):
            lines += [line for line in [thread.submit(next, parts, b"").result()] if line]
    assert len(lines) == len(set(lines)) == REPORTS_SENT


def test_a_file_that_nobody_reads_to_its_end_gives_its_connection_back(filled: Services) -> None:
    for _ in range(30):
        parts = filled.exports.parts("everything", Order(what=REPORTS, format="csv"))
        # After the header come the rows, for which the database is read.
        assert len([next(parts), next(parts)]) == 2
        del parts
    assert filled.collect.is_ready()
