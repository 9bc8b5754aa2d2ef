"""Fault 6: eight processes write one SQLite file: "database is locked" never reaches a client."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.faults.exactly_once import Figures, check_file, check_load, publish
from tests.faults.load import Respondents
from tests.running.server_process import ServerProcess

PROCESSES = 8


@pytest.fixture
def eight(tmp_path: Path, sqlite_url: str) -> Iterator[ServerProcess]:
    """Yield a server of eight processes on one file."""
    server = ServerProcess(tmp_path / "home", sqlite_url, workers=PROCESSES)
    yield server
    server.kill()


def check_contention(server: ServerProcess, note: Callable[[Figures], None], *, seconds: float) -> None:
    """Let many respondents send to all processes; nobody may be sent away, not even to try later."""
    manifest = publish(server)
    server.start()
    server.wait_for_workers()
    with Respondents(manifest, server.port, at_once=4 * PROCESSES) as respondents:
        respondents.recovery(time.monotonic())
        time.sleep(seconds)
    server.stop()
    found = check_load(server, manifest, respondents)
    check_file(server)
    note(Figures(fault="eight writers of one file", engine=server.engine, times=PROCESSES, **found))
    assert set(respondents.statuses) == {201}


def test_eight_processes_on_one_file_never_send_a_client_away(
    eight: ServerProcess, note: Callable[[Figures], None]
) -> None:
    check_contention(eight, note, seconds=1)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_eight_processes_on_one_file_for_a_minute(eight: ServerProcess, note: Callable[[Figures], None]) -> None:
    check_contention(eight, note, seconds=60)
