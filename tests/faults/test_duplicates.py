"""Fault 3: the same report from many threads, processes and nodes at once: it is accepted once and counted once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice, product
from pathlib import Path

import pytest
from tests.faults.exactly_once import Figures, books, other_errors, publish
from tests.faults.load import send
from tests.running.server_process import ServerProcess
from tests.samples.surveys import make_report

from hushpoll_shared.manifest import Manifest
from hushpoll_shared.report import Report

THREADS = 64
# The bodies that one id can have: two questions, yes or no each.
DRAWS = list(product((0, 1), repeat=2))


@pytest.fixture
def nodes(tmp_path: Path, postgres_url: str) -> Iterator[list[ServerProcess]]:
    """Yield two servers on one PostgreSQL."""
    nodes = [ServerProcess(tmp_path / name, postgres_url, workers=2) for name in ("one", "two")]
    yield nodes
    for node in nodes:
        node.kill()


def send_at_once(ports: Sequence[int], reports: Sequence[Report]) -> Counter[int]:
    """Send the reports from as many threads at the same moment, to the ports in turn; count the statuses."""
    together = threading.Barrier(len(reports))

    def send_one(port: int, report: Report) -> int:
        together.wait()
        return send(port, report)

    with ThreadPoolExecutor(len(reports)) as threads:
        return Counter(threads.map(send_one, islice(cycle(ports), len(reports)), reports))


def storm(manifest: Manifest, ports: Sequence[int]) -> tuple[str, Counter[int]]:
    """Send one report from all threads."""
    report = make_report(manifest)
    statuses = send_at_once(ports, [report] * THREADS)
    assert statuses == {201: 1, 200: THREADS - 1}
    return report.id, statuses


def conflict(manifest: Manifest, ports: Sequence[int]) -> tuple[str, Counter[int]]:
    """Send every body that one id can have, each from equally many threads: one body wins."""
    name = make_report(manifest).id
    bodies = [make_report(manifest, *draws, report_id=name) for draws in DRAWS]
    statuses = send_at_once(ports, bodies * (THREADS // len(DRAWS)))
    same = THREADS // len(DRAWS)
    assert statuses == {201: 1, 200: same - 1, 409: THREADS - same}
    return name, statuses


def check_storms(servers: Sequence[ServerProcess], note: Callable[[Figures], None], *, rounds: int) -> None:
    """Send storms and conflicts and compare what was promised with what is there."""
    manifest = publish(servers[0])
    for server in servers:
        server.start()
    ports = [server.port for server in servers]
    statuses: Counter[int] = Counter()
    names: set[str] = set()
    for attack in (storm, conflict) * rounds:
        name, found = attack(manifest, ports)
        names.add(name)
        statuses += found
    there = books(servers[0], manifest, names, names)
    note(
        Figures(
            fault=f"duplicate storm, {len(servers)} node{'s' * (len(servers) > 1)}",
            engine=servers[0].engine,
            times=2 * rounds,
            inputs=statuses.total(),
            acknowledged=len(names),
            lost=there.lost,
            doubled=there.doubled,
            try_later=statuses[503],
            other_5xx=other_errors(statuses),
        )
    )
    assert there.balance
    assert there.stored == 2 * rounds


def test_a_report_from_many_threads_is_accepted_once(server: ServerProcess, note: Callable[[Figures], None]) -> None:
    server.workers = 3
    check_storms([server], note, rounds=2)


def test_a_report_at_two_nodes_is_accepted_once(nodes: list[ServerProcess], note: Callable[[Figures], None]) -> None:
    check_storms(nodes, note, rounds=2)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_hundred_storms(server: ServerProcess, note: Callable[[Figures], None]) -> None:
    server.workers = 3
    check_storms([server], note, rounds=100)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_hundred_storms_at_two_nodes(nodes: list[ServerProcess], note: Callable[[Figures], None]) -> None:
    check_storms(nodes, note, rounds=100)
