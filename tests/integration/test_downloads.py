"""A download of reports from the real server: whole, or broken off so that nobody takes a part for the whole."""

from __future__ import annotations

import http.client
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.running.server_process import ServerProcess
from tests.samples.surveys import KEY, two_questions
from tests.server.researchers.sign_in import EMAIL

from hushpoll_server.services import Services
from hushpoll_server.settings import Settings

NUMBER = 20_000


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "reports.db"


@pytest.fixture
def cookie(tmp_path: Path, database: Path) -> str:
    """Publish a survey, store reports directly, and sign a researcher in."""
    services = Services(Settings(home=tmp_path, db=f"sqlite:///{database}"))
    services.surveys.publish(two_questions(), KEY)
    services.researchers.add(EMAIL)
    session = services.sessions.sign_in(services.researchers.new_link(EMAIL))
    services.close()
    assert session is not None
    store(database, [(f"{place:032x}", '["1","0"]') for place in range(NUMBER)])
    return f"hushpoll={session.secret}"


def store(database: Path, rows: list[tuple[str, str]]) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        values = [(bytes.fromhex(id_), draws) for id_, draws in rows]
        connection.executemany("INSERT INTO report (survey, id, draws) VALUES ('campus', ?, ?)", values)


@pytest.fixture
def server(tmp_path: Path, database: Path, cookie: str) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path / "home", f"sqlite:///{database}")
    server.start()
    yield server
    server.stop()


@contextmanager
def fetch(server: ServerProcess, cookie: str) -> Iterator[http.client.HTTPResponse]:
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        connection.request("GET", "/surveys/campus/download/reports.ndjson", headers={"Cookie": cookie})
        with connection.getresponse() as response:
            yield response


def test_all_reports_arrive_and_readers_who_leave_make_room(server: ServerProcess, cookie: str) -> None:
    # Were they not noticed, these would take all places.
    for _ in range(4):
        with fetch(server, cookie) as left:
            assert left.status in (200, 503)
            left.read(1)
    for _ in range(300):
        with fetch(server, cookie) as response:
            if response.status == 200:
                assert response.headers["Transfer-Encoding"] == "chunked"
                assert response.headers["Content-Disposition"] == "attachment; filename=campus-reports.ndjson"
                assert len(response.read().splitlines()) == NUMBER
                return
    raise AssertionError("there is no room again")


def test_what_cannot_be_read_breaks_the_download_off(server: ServerProcess, cookie: str, database: Path) -> None:
    # The last one in the order of the ids is not a report.
    store(database, [("f" * 32, "[broken]")])
    with fetch(server, cookie) as response, pytest.raises(http.client.IncompleteRead) as broken:
        response.read()
    assert response.status == 200
    assert broken.value.partial
    log = server.log.read_text()
    assert "a response was broken off: ProblemError" in log
    assert "[broken]" not in log
