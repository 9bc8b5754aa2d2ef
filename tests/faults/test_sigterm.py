"""Fault 11: SIGTERM, and the end of the main process: what was acknowledged is durable, and nothing is left behind."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import pytest
from tests.faults.exactly_once import Figures, check_load, publish
from tests.faults.load import Respondents, path_of
from tests.faults.sockets import head, stalled
from tests.running.server_process import ServerProcess

SECONDS = 5
STALLED = 100


def check_ends(
    server: ServerProcess, note: Callable[[Figures], None], sign: signal.Signals, *, times: int, stalled_clients: int
) -> None:
    """End the main process alone under load, as a service manager does; compare what was promised with what is there.

    The workers must follow it, although clients stall.
    """
    manifest = publish(server)
    half = head(path_of(manifest.survey), "Content-Type: application/json", "Content-Length: 100") + b"{"
    worst = 0.0
    with Respondents(manifest, server.port) as respondents:
        for _ in range(times):
            server.start()
            respondents.recovery(time.monotonic())
            with stalled(server.port, stalled_clients, half):
                worst = max(worst, server.end_main(sign))
    found = check_load(server, manifest, respondents)
    note(Figures(fault=f"{sign.name} of the main process", engine=server.engine, times=times, wait=worst, **found))
    assert found["acknowledged"] > 0
    assert worst < SECONDS


def test_sigterm_drains_within_five_seconds_and_keeps_what_was_acknowledged(
    server: ServerProcess, note: Callable[[Figures], None]
) -> None:
    server.workers = 2
    check_ends(server, note, signal.SIGTERM, times=1, stalled_clients=STALLED)


def test_workers_end_when_their_main_process_is_killed(server: ServerProcess, note: Callable[[Figures], None]) -> None:
    check_ends(server, note, signal.SIGKILL, times=1, stalled_clients=0)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_ten_ends_with_stalled_clients(
    server: ServerProcess, note: Callable[[Figures], None], sign: signal.Signals, workers: int
) -> None:
    server.workers = workers
    check_ends(server, note, sign, times=10, stalled_clients=3 * STALLED)
