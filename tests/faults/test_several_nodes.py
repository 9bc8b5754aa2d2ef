"""Several nodes on one PostgreSQL: a retry may reach any of them, any of them may be killed, counters are right."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.faults.exactly_once import Figures, check_load, publish
from tests.faults.load import Respondents
from tests.running.server_process import ServerProcess


@pytest.fixture
def three_nodes(tmp_path: Path, postgres_url: str) -> Iterator[list[ServerProcess]]:
    """Yield three servers on one database."""
    with ExitStack() as stack:
        nodes = [ServerProcess(tmp_path / f"node-{number}", postgres_url, workers=2) for number in range(3)]
        for node in nodes:
            stack.callback(node.kill)
        yield nodes


def check_nodes(nodes: list[ServerProcess], note: Callable[[Figures], None], *, kills: int) -> None:
    """Kill one node after the other under load, while the others go on."""
    manifest = publish(nodes[0])
    for node in nodes:
        node.start()
    moments, worst = random.Random(20261116), 0.0
    with Respondents(manifest, *(node.port for node in nodes)) as respondents:
        for number in range(kills):
            respondents.recovery(time.monotonic())
            time.sleep(moments.uniform(0.1, 0.4))
            moment, node = time.monotonic(), nodes[number % len(nodes)]
            node.kill()
            worst = max(worst, respondents.recovery(moment))
            node.start()
    for node in nodes:
        node.stop()
    found = check_load(nodes[0], manifest, respondents)
    note(Figures(fault="kill -9, one of 3 nodes", engine=nodes[0].engine, times=kills, recovery=worst, **found))
    assert found["acknowledged"] > 10 * kills


def test_one_node_is_killed_and_the_others_go_on(
    three_nodes: list[ServerProcess], note: Callable[[Figures], None]
) -> None:
    check_nodes(three_nodes, note, kills=1)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_sixty_kills_among_three_nodes(three_nodes: list[ServerProcess], note: Callable[[Figures], None]) -> None:
    check_nodes(three_nodes, note, kills=60)
