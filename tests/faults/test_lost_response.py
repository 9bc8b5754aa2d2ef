"""Fault 2: the report is committed and its answer is lost: the retry is a duplicate, and the report counts once."""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
from tests.faults.exactly_once import Figures, books, publish
from tests.faults.load import path_of, send
from tests.faults.losses import Loss, losing
from tests.faults.sockets import addressed, head
from tests.running.server_process import ServerProcess
from tests.samples.surveys import KEY, make_report

from hushpoll_client import Client, Receipt
from hushpoll_shared.manifest import Manifest

LOSSES = [Loss.ALL, Loss.HALF, Loss.OTHER]
# With this, closing a socket resets the connection at once.
NO_LINGER = struct.pack("ii", 1, 0)


def answer_through(port: int, manifest: Manifest, losses: list[Loss]) -> Receipt:
    """Be a device that submits once and then flushes until the server's answer arrives."""
    # Each look at this clock is days later, so a retry is always due.
    days = count(0.0, 1e6)
    with (
        losing(port, iter(losses)) as address,
        Client(address, key=KEY.public, clock=lambda: next(days)) as client,
    ):
        survey = client.survey(manifest.survey)
        receipts = [client.submit(survey.randomize({"cheated": True, "helped": False}))]
        receipts += [receipt for _ in losses for receipt in client.flush()]
    assert [receipt.status for receipt in receipts[:-1]] == ["queued"] * len(losses)
    return receipts[-1]


def check_losses(
    server: ServerProcess, note: Callable[[Figures], None], sequences: list[list[Loss]], *, at_once: int
) -> None:
    """Lose answers and compare what the devices believe with what is there."""
    manifest = publish(server)
    server.workers = 2
    server.start()
    with ThreadPoolExecutor(at_once) as devices:
        receipts = list(devices.map(lambda losses: answer_through(server.port, manifest, losses), sequences))
    names = {receipt.id for receipt in receipts}
    found = books(server, manifest, names, names)
    note(
        Figures(
            fault="answer lost, SDK retries",
            engine=server.engine,
            times=sum(map(len, sequences)),
            inputs=sum(map(len, sequences)) + len(sequences),
            acknowledged=found.acknowledged,
            lost=found.lost,
            doubled=found.doubled,
        )
    )
    assert [receipt.status for receipt in receipts] == ["duplicate"] * len(sequences)
    assert found.balance
    assert found.stored == len(sequences)


def leave(port: int, request: bytes, *, reset: bool) -> None:
    """Send a request and go away without waiting for the answer."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        if reset:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        client.sendall(addressed(request, port))


def check_leavers(server: ServerProcess, note: Callable[[Figures], None], *, times: int) -> None:
    """Let clients go away right after sending, then send the same report again."""
    manifest = publish(server)
    server.start()
    reports = [make_report(manifest) for _ in range(times)]
    for number, report in enumerate(reports):
        body = report.encode()
        beginning = head(path_of(report.survey), "Content-Type: application/json", f"Content-Length: {len(body)}")
        leave(server.port, beginning + body, reset=number % 2 == 0)
    statuses = {send(server.port, report) for report in reports}
    names = {report.id for report in reports}
    found = books(server, manifest, names, names)
    note(
        Figures(
            fault="client gone after sending",
            engine=server.engine,
            times=times,
            inputs=2 * times,
            acknowledged=found.acknowledged,
            lost=found.lost,
            doubled=found.doubled,
        )
    )
    # It was taken although its sender was gone, or it was not: the second one finds out.
    assert statuses <= {200, 201}
    assert found.balance
    assert found.stored == times


def test_a_report_whose_answer_was_lost_is_a_duplicate_when_it_is_sent_again(
    server: ServerProcess, note: Callable[[Figures], None]
) -> None:
    check_losses(server, note, [[loss] for loss in LOSSES] + [LOSSES], at_once=4)


def test_a_client_that_leaves_after_sending_is_counted_once(
    server: ServerProcess, note: Callable[[Figures], None]
) -> None:
    check_leavers(server, note, times=20)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_thousand_devices_lose_answers(server: ServerProcess, note: Callable[[Figures], None]) -> None:
    chance = random.Random(20261116)
    check_losses(server, note, [chance.choices(LOSSES, k=chance.randint(1, 3)) for _ in range(1000)], at_once=16)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_thousand_clients_leave_after_sending(server: ServerProcess, note: Callable[[Figures], None]) -> None:
    check_leavers(server, note, times=2000)
