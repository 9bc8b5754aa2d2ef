"""How the database is opened, what a transaction promises, and how a wrong address is refused."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from hushpoll_server.researchers.models import ResearcherRow
from hushpoll_server.store import Store
from hushpoll_shared.errors import HushpollError


def pragma(connection: Connection, name: str) -> object:
    return connection.execute(text(f"PRAGMA {name}")).scalar_one()


def emails(store: Store) -> list[str]:
    with store.reading() as session:
        return [row.email for row in session.connection().execute(text("SELECT email FROM researcher"))]


def add(store: Store, email: str) -> None:
    with store.transaction() as session:
        session.add(ResearcherRow(id=email, email=email))


def test_sqlite_is_durable_and_careful(sqlite_url: str) -> None:
    store = Store(sqlite_url)
    for open_session in (store.transaction, store.reading):
        with open_session() as session:
            connection = session.connection()
            assert pragma(connection, "journal_mode") == "wal"
            assert pragma(connection, "synchronous") == 2  # FULL
            assert pragma(connection, "foreign_keys") == 1
            assert pragma(connection, "secure_delete") == 1
            assert pragma(connection, "trusted_schema") == 0
    store.close()


def test_postgresql_commits_are_durable(postgres_url: str) -> None:
    store = Store(postgres_url)
    with store.reading() as session:
        assert session.connection().execute(text("SHOW synchronous_commit")).scalar_one() == "on"
    store.close()


def test_a_transaction_that_ends_is_kept(database_url: str) -> None:
    store = Store(database_url)
    add(store, "a@b")
    store.close()
    again = Store(database_url)
    assert emails(again) == ["a@b"]
    again.close()


def test_a_transaction_that_raises_leaves_nothing_behind(database_url: str) -> None:
    store = Store(database_url)

    class Oops(Exception):
        pass

    with pytest.raises(Oops), store.transaction() as session:
        session.add(ResearcherRow(id="1", email="a@b"))
        session.flush()
        raise Oops
    assert emails(store) == []
    add(store, "c@d")
    assert emails(store) == ["c@d"]
    store.close()


def test_a_transaction_that_the_database_refuses_leaves_nothing_behind(database_url: str) -> None:
    store = Store(database_url)
    add(store, "a@b")
    with pytest.raises(SQLAlchemyError), store.transaction() as session:
        session.add(ResearcherRow(id="1", email="new@b"))
        session.flush()
        session.add(ResearcherRow(id="2", email="a@b"))
    assert emails(store) == ["a@b"]
    store.close()


def test_error_texts_never_hold_parameters(database_url: str) -> None:
    store = Store(database_url)
    add(store, "secret@b")
    with pytest.raises(SQLAlchemyError) as caught, store.transaction() as session:
        session.add(ResearcherRow(id="secret@b", email="other-secret@b"))
    assert "other-secret" not in str(caught.value)
    store.close()


def test_a_reader_is_not_held_up_by_a_writer(database_url: str) -> None:
    store = Store(database_url)
    with store.transaction() as session:
        session.add(ResearcherRow(id="1", email="a@b"))
        session.flush()
        assert emails(store) == []
    assert emails(store) == ["a@b"]
    store.close()


def test_a_new_folder_for_the_database_is_for_its_owner_only(tmp_path: Path) -> None:
    Store(f"sqlite:///{tmp_path}/new/folder/hushpoll.sqlite").close()
    assert stat.S_IMODE((tmp_path / "new" / "folder").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "write sqlite:///FILE or postgresql://USER@HOST/NAME"),
        ("hushpoll.db", "write sqlite:///FILE or postgresql://USER@HOST/NAME"),
        ("mysql://somewhere/x", "must start with sqlite:/// or postgresql://"),
        ("postgresql+asyncpg://somewhere/x", "must start with sqlite:/// or postgresql://"),
        ("postgresql://host:port/x", "write sqlite:///FILE or postgresql://USER@HOST/NAME"),
        ("sqlite://", "keeps its reports in a file"),
        ("sqlite:///:memory:", "keeps its reports in a file"),
        ("sqlite:////proc/hushpoll.db", "cannot be opened"),
        ("sqlite:////", "cannot be opened"),
        ("postgresql:///x?host=/nowhere", "cannot be opened"),
    ],
)
def test_a_wrong_address_gets_a_sentence(url: str, words: str) -> None:
    with pytest.raises(HushpollError, match=r"^[^\n]*$") as caught:
        Store(url)
    assert words in str(caught.value)


def test_a_password_is_never_shown(tmp_path: Path) -> None:
    with pytest.raises(HushpollError) as caught:
        Store("postgresql://me:swordfish@/x?host=/nowhere")
    assert "swordfish" not in str(caught.value)


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("This is not a database. " * 100)
    with pytest.raises(HushpollError, match="cannot be opened"):
        Store(f"sqlite:///{file}")
    assert file.read_text() == "This is not a database. " * 100


def test_sqlite_is_new_enough_for_what_the_store_uses() -> None:
    # RETURNING and upserts, trusted_schema.
    assert sqlite3.sqlite_version_info >= (3, 35)


def test_a_database_in_a_home_that_existed_before_cannot_be_read_by_others(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    before = os.umask(0o022)
    try:
        store = Store(f"sqlite:///{tmp_path / 'hushpoll.sqlite'}")
        add(store, "a@b")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
        store.close()
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(["hushpoll.sqlite", "hushpoll.sqlite-wal", "hushpoll.sqlite-shm"], 0o600)


def test_a_home_in_which_everybody_may_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(HushpollError, match="everybody may write"):
        Store(f"sqlite:///{tmp_path / 'hushpoll.sqlite'}")
    assert list(tmp_path.iterdir()) == []
