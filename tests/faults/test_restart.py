"""Fault 5: PostgreSQL is restarted under load without a warning: the server recovers by itself, nothing is lost."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from postgres_server import PostgresServer
from tests.faults.exactly_once import Figures, check_load, publish
from tests.faults.load import Respondents, send
from tests.running.server_process import ServerProcess
from tests.samples.surveys import make_report


def check_restarts(
    server: ServerProcess, postgres: PostgresServer, note: Callable[[Figures], None], *, restarts: int
) -> None:
    """Restart the database again and again and compare what was promised with what is there."""
    manifest = publish(server)
    server.start()
    processes, worst = server.processes(), 0.0
    with Respondents(manifest, server.port) as respondents:
        for _ in range(restarts):
            respondents.recovery(time.monotonic())
            time.sleep(0.3)
            moment = time.monotonic()
            postgres.restart()
            worst = max(worst, respondents.recovery(moment))
    found = check_load(server, manifest, respondents)
    note(Figures(fault="database restarted", engine=server.engine, times=restarts, recovery=worst, **found))
    assert found["acknowledged"] > 0
    # By itself: no process had to be replaced.
    assert server.processes() == processes


def test_the_server_survives_a_restart_of_its_database(
    durable_node: ServerProcess, durable_postgres: PostgresServer, note: Callable[[Figures], None]
) -> None:
    check_restarts(durable_node, durable_postgres, note, restarts=2)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_sixty_restarts_of_the_database(
    durable_node: ServerProcess, durable_postgres: PostgresServer, note: Callable[[Figures], None]
) -> None:
    check_restarts(durable_node, durable_postgres, note, restarts=60)


def test_a_worker_that_never_saw_the_survey_says_try_later_while_the_database_is_away(
    durable_node: ServerProcess, durable_postgres: PostgresServer
) -> None:
    manifest = publish(durable_node)
    durable_node.start()
    durable_postgres.kill()
    during = {send(durable_node.port, make_report(manifest)) for _ in range(10)}
    durable_postgres.start()
    assert during == {503}
    assert send(durable_node.port, make_report(manifest)) == 201


def test_a_worker_that_starts_while_the_database_is_away_waits_for_it(
    durable_node: ServerProcess, durable_postgres: PostgresServer
) -> None:
    manifest = publish(durable_node)
    durable_node.start()
    durable_postgres.kill()
    durable_node.kill_worker()
    time.sleep(1)
    durable_postgres.start()
    durable_node.wait_until_ready()
    assert len(durable_node.worker_processes()) == durable_node.workers
    assert send(durable_node.port, make_report(manifest)) == 201
