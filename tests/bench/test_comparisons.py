"""What Hushpoll is compared with does the same work: an app with ORM commits, the raw engine, a recount."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from bench import floor, orm_server, raw, recount
from sqlalchemy import func, select
from sqlmodel import Session

from hushpoll_server.collect.models import ReportRow
from hushpoll_server.store import Store
from hushpoll_server.surveys.models import SurveyRow


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    store = Store(f"sqlite:///{tmp_path / 'bench.sqlite'}")
    with store.transaction() as session:
        yield session
    store.close()


def test_the_floor_is_an_empty_answer_of_flask() -> None:
    answer = floor.create_app().test_client().get(floor.PATH)
    assert (answer.status_code, answer.data) == (204, b"")


def test_the_app_with_orm_commits_stores_and_counts_every_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUSHPOLL_HOME", str(tmp_path))
    monkeypatch.delenv("HUSHPOLL_DB", raising=False)
    client = orm_server.create_app().test_client()
    for draw in (0, 1, 1):
        report = {"survey": "bench", "id": os.urandom(16).hex(), "answers": {"question-number-001": draw}}
        assert client.post(orm_server.PATH, json=report).status_code == 201
    with closing(sqlite3.connect(tmp_path / "hushpoll.sqlite")) as connection:
        counters = dict(connection.execute("SELECT name, count FROM plain_counter WHERE count > 0").fetchall())
        [stored] = connection.execute("SELECT count(*) FROM plain_report").fetchone()
    assert counters == {"question-number-001=0": 1, "question-number-001=1": 2}
    assert stored == 3


def test_the_raw_engine_commits_all_rows(tmp_path: Path) -> None:
    file = tmp_path / "raw.sqlite"
    with raw.sqlite_insert(file) as insert:
        assert raw.rows_per_second(insert, ["[0,1]", "[1,1]"], 0.0001) > 0
        with closing(sqlite3.connect(file)) as other:
            assert other.execute("SELECT count(DISTINCT id) % 1000, min(draws) FROM raw_report").fetchone() == (
                0,
                "[0,1]",
            )


def test_the_raw_engine_starts_anew_unless_it_is_told_to_keep_its_rows(tmp_path: Path) -> None:
    file, row = tmp_path / "raw.sqlite", ("bench", b"1", "[0,1]")
    with raw.sqlite_insert(file) as insert:
        insert([row])
    with raw.sqlite_insert(file, keep=True) as insert, pytest.raises(sqlite3.IntegrityError):
        insert([row])
    with raw.sqlite_insert(file) as insert:
        insert([row])


def test_both_ways_of_counting_anew_find_the_same(session: Session) -> None:
    session.add(SurveyRow(name="bench", manifest_id="0", envelope=b"", key=""))
    session.flush()
    session.add_all(ReportRow(survey="bench", id=os.urandom(16), draws=draws) for draws in ('["0","1"]', '["1","1"]'))
    session.flush()
    assert session.scalar(select(func.count()).select_from(ReportRow)) == 2
    assert recount.grouped(session) == recount.scanned(session) == {(0, "0"): 1, (0, "1"): 1, (1, "1"): 2}
