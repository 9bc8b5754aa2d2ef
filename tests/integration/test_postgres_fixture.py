"""The databases of tests are real, fresh and separate from each other."""

from __future__ import annotations

import socket

import psycopg
import pytest
from postgres_server import PostgresServer
from pytest_socket import SocketConnectBlockedError
from sqlalchemy import create_engine, text


def answer(url: str, statement: str) -> object:
    engine = create_engine(url)
    with engine.begin() as connection:
        result = connection.execute(text(statement))
        found = result.scalar() if result.returns_rows else None
    engine.dispose()
    return found


@pytest.mark.parametrize("attempt", [1, 2])
def test_each_test_gets_an_empty_database(database_url: str, attempt: int) -> None:
    answer(database_url, "CREATE TABLE visit (attempt INTEGER)")
    answer(database_url, f"INSERT INTO visit VALUES ({attempt})")
    assert answer(database_url, "SELECT count(*) FROM visit") == 1


def test_postgres_is_a_recent_real_server(postgres_url: str) -> None:
    version = answer(postgres_url, "SHOW server_version_num")
    assert int(str(version)) >= 18_00_00


def test_a_database_is_emptied_after_its_test_even_while_in_use(postgres_server: PostgresServer) -> None:
    with postgres_server.database() as url:
        answer(url, "CREATE TABLE kept AS SELECT 7 AS number")
        left_open = psycopg.connect(url.replace("+psycopg", ""))
        left_open.execute("SELECT number FROM kept")
    with pytest.raises(psycopg.OperationalError):
        left_open.execute("SELECT 1")
    left_open.close()
    with postgres_server.database() as again:
        assert again == url
        assert answer(again, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0


def test_a_committed_row_survives_the_crash_of_a_private_server() -> None:
    with PostgresServer() as server, server.database() as url:
        answer(url, "CREATE TABLE kept AS SELECT 7 AS number")
        server.kill()
        server.start()
        assert answer(url, "SELECT number FROM kept") == 7


def test_only_the_owner_can_enter_the_folder_of_the_server(postgres_server: PostgresServer) -> None:
    assert postgres_server.folder.stat().st_mode & 0o077 == 0


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_no_test_can_reach_another_machine() -> None:
    with socket.socket() as outward, pytest.raises(SocketConnectBlockedError):
        outward.connect(("192.0.2.1", 80))  # TEST-NET-1 of RFC 5737: no machine has this address
