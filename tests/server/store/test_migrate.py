"""From an empty database to the models' schema, and no other database touched."""

from __future__ import annotations

import multiprocessing
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import SQLModel

import hushpoll_server.collect.models
import hushpoll_server.researchers.models
import hushpoll_server.surveys.models  # noqa: F401 (the models register themselves)
from hushpoll_server.store import Store, migrate, missing_steps
from hushpoll_server.store.migrate import UnknownSchema, head, steps_after


def open_store(url: str, start: Any, done: Any) -> None:
    """Open the database in another process, at the same moment as others."""
    start.wait()
    store = Store(url)
    with store.transaction() as session:
        session.connection().execute(sa.text("SELECT count(*) FROM report"))
    store.close()
    done.put(None)


def inspect_schema(url: str) -> tuple[list[Any], dict[str, set[str]]]:
    """Return what differs from the models, and the columns of every table."""
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        differences = compare_metadata(context, SQLModel.metadata)
        inspector = sa.inspect(connection)
        columns = {
            table: {column["name"] for column in inspector.get_columns(table)} for table in inspector.get_table_names()
        }
    engine.dispose()
    return differences, columns


def test_the_steps_bring_an_empty_database_to_exactly_the_models_schema(database_url: str) -> None:
    Store(database_url).close()
    differences, columns = inspect_schema(database_url)
    assert differences == []
    assert columns.keys() - {"alembic_version"} == set(SQLModel.metadata.tables)


def make_schema(url: str, revision: str) -> sa.Engine:
    """Make a database as an older version left it, with a survey and a report."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrate.__file__).parent / "migrations"))
    engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        survey = {"name": "old", "id": "00", "envelope": b"x", "key": "k", "no": False}
        columns = "name, manifest_id, envelope, key, from_disk, closed"
        values = ":name, :id, :envelope, :key, :no, :no"
        connection.execute(sa.text(f"INSERT INTO survey ({columns}) VALUES ({values})"), survey)
        for number, text in ((b"0", '["1","0f"]'), (b"1", "")):
            connection.execute(
                sa.text("INSERT INTO report (survey, id, draws) VALUES ('old', :id, :draws)"),
                {"id": number * 16, "draws": text},
            )
        columns, values = "survey, question, name, shard, count", "'old', 'cheated', 'n', 0, 2"
        connection.execute(sa.text(f"INSERT INTO counter ({columns}) VALUES ({values})"))
    return engine


@pytest.mark.parametrize("revision", [step.revision for step in steps_after(None)])
def test_every_schema_that_ever_was_is_brought_to_the_newest_and_keeps_its_reports(
    database_url: str, revision: str
) -> None:
    engine = make_schema(database_url, revision)
    missing = missing_steps(database_url)
    assert missing == steps_after(revision)
    store = Store(database_url)
    store.close()
    assert store.steps == missing
    assert missing_steps(database_url) == []
    assert inspect_schema(database_url)[0] == []
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one() == head()
        rows = connection.execute(sa.text("SELECT survey, draws FROM report ORDER BY id")).all()
        # The second was purged.
        assert rows == [("old", '["1","0f"]'), ("old", "")]
        counters = connection.execute(sa.text("SELECT survey, question, name, shard, count FROM counter")).all()
        assert counters == [("old", "cheated", "n", 0, 2)]
    engine.dispose()


@pytest.mark.parametrize("revision", ["hushpoll_0001", "hushpoll_0002"])
@pytest.mark.parametrize("deleted_ids", [0, 5])
def test_reports_that_came_before_days_were_counted_have_no_day(
    database_url: str, revision: str, deleted_ids: int
) -> None:
    engine = make_schema(database_url, revision)
    with engine.begin() as connection:
        connection.execute(sa.text(f"INSERT INTO purge VALUES ('old', {deleted_ids + 1}, {deleted_ids})"))
        connection.execute(
            sa.text("INSERT INTO survey SELECT 'empty', '01', envelope, key, closed, closed FROM survey")
        )
    Store(database_url).close()
    with engine.connect() as connection:
        days = connection.execute(sa.text("SELECT survey, day, count FROM day")).all()
    assert days == [("old", "unknown", 2 + deleted_ids)]
    engine.dispose()


def test_asking_what_is_missing_changes_nothing(database_url: str, tmp_path: Path) -> None:
    assert missing_steps(database_url) == steps_after(None)
    assert not (tmp_path / "hushpoll.db").exists()
    assert missing_steps(database_url) == steps_after(None)


def test_opening_again_changes_nothing(database_url: str) -> None:
    Store(database_url).close()
    before = inspect_schema(database_url)
    Store(database_url).close()
    assert inspect_schema(database_url) == before


def test_a_stored_report_has_room_for_its_survey_its_id_its_draws_and_its_groups_and_for_nothing_else(
    database_url: str,
) -> None:
    Store(database_url).close()
    _, columns = inspect_schema(database_url)
    assert columns["report"] == {"survey", "id", "draws", "groups"}


@pytest.mark.parametrize("table", ["report", "counter", "rejection", "day"])
def test_sqlite_numbers_no_report_in_order_of_arrival(sqlite_url: str, table: str) -> None:
    store = Store(sqlite_url)
    with pytest.raises(SQLAlchemyError, match="no such column: rowid"), store.reading() as session:
        session.connection().execute(sa.text(f"SELECT rowid FROM {table}"))
    store.close()


def test_a_database_of_another_program_is_refused_and_left_alone(database_url: str) -> None:
    engine = sa.create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE invoices (number INTEGER PRIMARY KEY)"))
    with pytest.raises(UnknownSchema, match="give Hushpoll a database of its own"):
        Store(database_url)
    assert sa.inspect(engine).get_table_names() == ["invoices"]
    engine.dispose()


def test_a_database_of_a_newer_version_is_refused(database_url: str) -> None:
    Store(database_url).close()
    engine = sa.create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(UnknownSchema, match="update Hushpoll"):
        Store(database_url)
    engine.dispose()


def test_four_processes_that_open_a_new_database_at_once_all_succeed(database_url: str) -> None:
    method = multiprocessing.get_context("forkserver")
    # Imported once; a process of its own for each all the same.
    method.set_forkserver_preload(["hushpoll_server.store.migrate", "psycopg"])
    start, done = method.Barrier(4), method.SimpleQueue()
    processes = [method.Process(target=open_store, args=(database_url, start, done)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0, 0]
    assert inspect_schema(database_url)[0] == []


def test_a_step_that_fails_leaves_the_database_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from alembic import op

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the disk is full")

    # The last thing that the first step does.
    monkeypatch.setattr(op, "create_index", fail)
    file = tmp_path / "hushpoll.db"
    with pytest.raises(RuntimeError, match="the disk is full"):
        Store(f"sqlite:///{file}")
    monkeypatch.undo()
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []
    connection.close()
    Store(f"sqlite:///{file}").close()
