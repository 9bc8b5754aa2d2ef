"""Fault 4: the disk is full, or fails to sync: nothing is acknowledged, nothing is damaged, and it passes by itself.

The quick forms need no tool: a limit on the size of files lets every write fail. The long forms inject errors into
system calls with strace.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from postgres_server import PostgresServer
from tests.faults.disk import SYNCS, WRITES, Processes, failing, full
from tests.faults.exactly_once import Figures, check_file, check_load, publish
from tests.faults.load import Respondents
from tests.running.server_process import ServerProcess

# Less than the smallest commit of either engine writes.
ROOM = 4_000
# Seconds within which an answer that has left the server is read by a busy client.
ON_THE_WAY = 0.25
ALWAYS, NOW_AND_THEN = "1+", "2+3"


@dataclass(frozen=True)
class Case:
    """A server with the processes that write its disk, their account, and what a service manager does for them."""

    server: ServerProcess
    writers: Processes
    account: Mapping[str, Any]
    revive: Callable[[], None]

    def no_room(self) -> AbstractContextManager[None]:
        """Let every write fail for a while."""
        return full(self.writers, ROOM, self.account)


@pytest.fixture
def sqlite_case(tmp_path: Path, sqlite_url: str) -> Iterator[Case]:
    """Yield a server that writes by itself."""
    # One worker: another that is about to be replaced would come back with a disk that works.
    server = ServerProcess(tmp_path / "home", sqlite_url)
    yield Case(server, server.processes, {}, lambda: None)
    server.kill()


@pytest.fixture
def postgres_case(durable_node: ServerProcess, durable_postgres: PostgresServer) -> Case:
    """Yield a server whose PostgreSQL writes; that ends when it cannot write its log, and is started again."""

    def revive() -> None:
        if not durable_postgres.processes():
            durable_postgres.start()

    return Case(durable_node, durable_postgres.processes, durable_postgres.account, revive)


@pytest.fixture(params=["sqlite", "postgres"])
def case(request: pytest.FixtureRequest) -> Case:
    """Yield a server on each kind of database."""
    found: Case = request.getfixturevalue(f"{request.param}_case")
    return found


def check_disk(
    case: Case,
    note: Callable[[Figures], None],
    name: str,
    fault: Callable[[], AbstractContextManager[None]],
    *,
    times: int,
    total: bool,
    unsafe: bool,
) -> None:
    """Let the disk fail for a while under load, again and again.

    While all writing fails nothing may be acknowledged. After an unsafe error a process that wrote is replaced.
    """
    server, manifest, worst = case.server, publish(case.server), 0.0
    server.start()
    processes = server.processes()
    with Respondents(manifest, server.port) as respondents:
        for _ in range(times):
            respondents.recovery(time.monotonic())
            with fault():
                # An answer to what was on the disk before may still be on its way.
                time.sleep(ON_THE_WAY)
                moment = time.monotonic()
                time.sleep(1)
                if total:
                    respondents.wait_for_refusal()
                    assert respondents.latest < moment
            case.revive()
            worst = max(worst, respondents.recovery(moment := time.monotonic()))
    replaced = server.processes() != processes
    server.stop()
    found = check_load(server, manifest, respondents)
    if server.engine == "SQLite":
        check_file(server)
    note(Figures(fault=name, engine=server.engine, times=times, recovery=worst, **found))
    # PostgreSQL replaces its own processes.
    assert replaced == (unsafe and server.engine == "SQLite")


def test_a_full_disk_acknowledges_nothing_and_damages_nothing(case: Case, note: Callable[[Figures], None]) -> None:
    check_disk(case, note, "no room on the disk", case.no_room, times=1, total=True, unsafe=True)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_ten_times_a_full_disk(case: Case, note: Callable[[Figures], None]) -> None:
    check_disk(case, note, "no room on the disk", case.no_room, times=10, total=True, unsafe=True)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("calls", "error"), [(WRITES, "ENOSPC"), (WRITES, "EIO"), (SYNCS, "EIO")])
@pytest.mark.parametrize("when", [ALWAYS, NOW_AND_THEN])
def test_ten_times_an_injected_error(
    case: Case, note: Callable[[Figures], None], calls: str, error: str, when: str
) -> None:
    name = f"{error} of {calls.split(',')[0]}{' now and then' * (when == NOW_AND_THEN)}"

    def fault() -> AbstractContextManager[None]:
        return failing(case.writers, calls, error, when=when)

    check_disk(case, note, name, fault, times=10, total=when == ALWAYS, unsafe=error == "EIO")
