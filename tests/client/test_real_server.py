"""Devices and `hushpoll serve`: whatever breaks between them, each report is counted once."""

from __future__ import annotations

import json
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from socketserver import StreamRequestHandler
from urllib.parse import urlsplit

import pytest
from tests.client.servers import Collector, read_request, serving, talking
from tests.running.server_process import ServerProcess
from tests.running.tools import Tools
from tests.samples.surveys import KEY, two_questions
from tests.server.collect.recount import recount

from hushpoll_client import Client, Receipt, Report
from hushpoll_server.services import Services
from hushpoll_server.settings import Settings

pytestmark = pytest.mark.loopback

ROOT = Path(__file__).parents[2]
DEVICES = 6
# What the server asks for, and the longest that a device makes of it.
ASKED, LONGEST = 5, 10

JAVASCRIPT = """
import { once } from "node:events";
import { Client } from "%s";

const [url, key, devices] = process.argv.slice(1);
let passed = 0;
const now = () => Date.now() + passed;
const clients = Array.from({ length: Number(devices) }, () => new Client(url, { key, now }));
const say = (receipt) => console.log(JSON.stringify(receipt));
const reports = [];
for (const client of clients) {
  reports.push((await client.survey("campus")).randomize({ cheated: true, helped: false }));
}
const submitted = clients.map((client, i) => client.submit(reports[i]).then(say));
await once(process.stdin, "data");
await Promise.all(submitted);
passed = 10_000;
for (const client of clients) {
  await client.flush();
  say(await client.receipt("campus"));
}
process.exit();
"""

SHARING = """
import sys
from hushpoll_client import AlreadyAnswered, Client

url, key, state = sys.argv[1:]
with Client(url, key=key, state=state) as client:
    report = client.survey("campus").randomize({"cheated": True, "helped": False})
    sys.stdin.readline()
    try:
        print(client.submit(report).status)
    except AlreadyAnswered as error:
        print(error)
    client.flush()
"""


def draw(client: Client) -> Report:
    return client.survey("campus").randomize({"cheated": True, "helped": False})


@contextmanager
def publishing(server: ServerProcess) -> Iterator[Services]:
    """Publish a survey on a server and start it; yield a function that reads its database."""
    services = Services(Settings(home=server.home, db=server.database_url))
    services.surveys.publish(two_questions(), KEY)
    server.start()
    try:
        yield services
        assert services.collect.counts("campus") == recount(services, "campus")
    finally:
        server.kill()
        services.close()


@contextmanager
def blocked(database: Path) -> Iterator[None]:
    """Let nobody write to a SQLite file."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


def is_sent_away(receipt: dict[str, object]) -> bool:
    """Return whether the server asked for time, and the device waited a little longer."""
    wait = receipt.get("retryAfter", receipt.get("retry_after"))
    return receipt["status"] == "queued" and isinstance(wait, int) and ASKED <= wait <= LONGEST


def test_a_full_server_sends_devices_away_and_takes_every_report_when_they_are_back(
    tmp_path: Path, tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUSHPOLL_QUEUE_SIZE", "1")
    database, passed = tmp_path / "hushpoll.db", [0.0]
    server = ServerProcess(tmp_path / "home", f"sqlite:///{database}")
    with publishing(server) as services, ThreadPoolExecutor(DEVICES) as threads:
        options = {"key": KEY.public, "clock": lambda: time.time() + passed[0]}
        clients = [Client(server.address, **options) for _ in range(DEVICES)]  # type: ignore[arg-type]
        reports = [draw(client) for client in clients]
        program = JAVASCRIPT % (ROOT / "client" / "js" / "src" / "index.js").as_uri()
        with blocked(database):
            receipts = [threads.submit(client.submit, report) for client, report in zip(clients, reports, strict=True)]
            command = [str(tools.node), "--input-type=module", "-e", program, server.address, KEY.public, str(DEVICES)]
            node = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            assert node.stdout
            assert is_sent_away(json.loads(node.stdout.readline()))
        # Those who were let in are answered now, and there is room again.
        away = [receipt.result() for receipt in receipts if receipt.result().retry_after]
        said, _ = node.communicate("go\n", timeout=60)
        assert away
        assert all(is_sent_away(vars(receipt)) for receipt in away)
        passed[0] = LONGEST
        for client in clients:
            client.flush()
        # Devices that come back in turn find the one place free. On a busy machine a first try may have been given up.
        statuses = {client.receipt("campus").status for client in clients}  # type: ignore[union-attr]
        statuses |= {json.loads(line)["status"] for line in said.splitlines()[-DEVICES:]}
        assert statuses <= {"accepted", "duplicate"}
        assert services.collect.counts("campus")["cheated"]["n"] == 2 * DEVICES


def test_a_server_that_dies_between_commit_and_answer_counts_the_report_once(
    server: ServerProcess, tmp_path: Path
) -> None:
    def forward(handler: StreamRequestHandler) -> None:
        request, address = read_request(handler), urlsplit(server.address)
        with socket.create_connection((address.hostname, address.port)) as onward:
            onward.sendall(request)
            answer = b"".join(iter(lambda: onward.recv(65536), b""))
        if request.startswith(b"POST"):
            assert b" 201 " in answer.splitlines()[0]
            server.kill()
        else:
            handler.wfile.write(answer)

    state = tmp_path / "state.sqlite"
    with publishing(server) as services:
        with talking(forward) as url, Client(url, key=KEY.public, state=state) as client:
            report = draw(client)
            assert client.submit(report) == Receipt("queued", "campus", report.id)
            assert client.flush() == [Receipt("queued", "campus", report.id)]
        server.start()
        with Client(server.address, key=KEY.public, state=state) as client:
            assert client.flush(wait_seconds=10) == [Receipt("duplicate", "campus", report.id)]
        assert services.collect.counts("campus")["cheated"]["n"] == 1


def test_of_processes_that_share_a_state_one_answers_and_the_others_are_told_why(
    collector: Collector, state_file: Path
) -> None:
    with serving(collector) as url:
        command = [sys.executable, "-c", SHARING, url, KEY.public, str(state_file)]
        pipe = subprocess.PIPE
        processes = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(4)]
        said = sorted(process.communicate("go\n", timeout=60)[0].strip() for process in processes)
    assert said[0] == "accepted"
    assert all(sentence.startswith("this state holds another report to survey campus") for sentence in said[1:])
    # One that flushes may send what another is sending: the same bytes, counted once.
    assert len(set(collector.posts)) == len(collector.stored) == 1
