"""SIGTERM, and the end of the main process: what was acknowledged is durable, and nothing is left behind."""

from __future__ import annotations

import signal
import time

import pytest
from tests.support.load import Respondents
from tests.support.server_process import ServerProcess
from tests.support.sockets import head, stalled
from tests.support.surveys import KEY, two_questions

from hushpoll_server.services import Services
from hushpoll_server.settings import Settings

SECONDS = 5
HALF_A_REPORT = head("/api/v1/surveys/any/reports", "Content-Type: application/json", "Content-Length: 100") + b"{"


def check_end(server: ServerProcess, sign: signal.Signals, *, stalled_clients: int) -> None:
    """End the main process alone under load, as a service manager does; compare what was promised with what is there.

    The workers must follow it.
    """
    manifest = two_questions()
    services = Services(Settings(home=server.home, db=server.database_url))
    services.surveys.publish(manifest, KEY)
    server.start()
    assert server.process
    with stalled(server.port, stalled_clients, HALF_A_REPORT), Respondents(server.address, manifest) as respondents:
        time.sleep(0.5)
        started = time.monotonic()
        server.process.send_signal(sign)
        server.process.wait(2 * SECONDS)
        while server.is_alive():
            assert time.monotonic() - started < 2 * SECONDS
        seconds = time.monotonic() - started
    stored = {report.id for report in services.collect.reports(manifest.survey)}
    counts, recount = services.collect.counts(manifest.survey), services.collect.recount(manifest.survey)
    services.close()
    lost = respondents.acknowledged - stored
    print(
        f"{server.database_url.split(':')[0]}: {sign.name} with {stalled_clients} stalled clients: gone after "
        f"{seconds:.1f} s, {len(respondents.acknowledged)} acknowledged, {len(lost)} lost, "
        f"counters equal a recount: {counts == recount}"
    )
    assert respondents.acknowledged
    assert not lost
    assert counts == recount
    assert not respondents.unexpected
    assert seconds < SECONDS


def test_sigterm_drains_within_five_seconds_and_keeps_what_was_acknowledged(server: ServerProcess) -> None:
    check_end(server, signal.SIGTERM, stalled_clients=0)


def test_workers_end_when_their_main_process_is_killed(server: ServerProcess) -> None:
    check_end(server, signal.SIGKILL, stalled_clients=0)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_ten_ends_with_stalled_clients(server: ServerProcess, sign: signal.Signals, workers: int) -> None:
    server.workers = workers
    for _ in range(10):
        check_end(server, sign, stalled_clients=300)
        server.kill()
