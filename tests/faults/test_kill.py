"""Fault 1: kill -9 under load, of everything or of one process: nothing acknowledged is lost or counted twice."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from itertools import cycle, islice

import pytest
from tests.faults.exactly_once import Figures, check_load, publish
from tests.faults.load import Respondents
from tests.running.server_process import ServerProcess


def kill_all(server: ServerProcess) -> None:
    server.kill()
    server.start()


def kill_main(server: ServerProcess) -> None:
    # The workers follow it by themselves.
    server.end_main(signal.SIGKILL)
    server.start()


KINDS: tuple[Callable[[ServerProcess], None], ...] = (kill_all, ServerProcess.kill_worker, kill_main)


def check_kills(server: ServerProcess, note: Callable[[Figures], None], *, kills: int) -> None:
    """Kill processes of the server again and again under load and compare what was promised with what is there."""
    manifest = publish(server)
    server.workers = 3
    server.start()
    moments, worst = random.Random(20261116), 0.0
    with Respondents(manifest, server.port) as respondents:
        for kill in islice(cycle(KINDS), kills):
            time.sleep(moments.uniform(0.05, 0.4))
            moment = time.monotonic()
            kill(server)
            worst = max(worst, respondents.recovery(moment))
    server.stop()
    found = check_load(server, manifest, respondents)
    note(Figures(fault="kill -9", engine=server.engine, times=kills, recovery=worst, **found))
    assert found["acknowledged"] > 10 * kills


def test_no_acknowledged_report_is_lost_or_counted_twice_when_the_server_is_killed(
    server: ServerProcess, note: Callable[[Figures], None]
) -> None:
    check_kills(server, note, kills=len(KINDS))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_hundred_and_sixty_kills(server: ServerProcess, note: Callable[[Figures], None]) -> None:
    check_kills(server, note, kills=260)
