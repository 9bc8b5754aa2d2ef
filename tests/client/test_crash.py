"""A device that dies in the middle of sending sends the identical bytes when it is back."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path
from socketserver import StreamRequestHandler

import pytest
from tests.client.conftest import MakeClient
from tests.client.servers import Collector, read_request, talking
from tests.samples.surveys import KEY

DEVICE = """
import os, signal, sys
from hushpoll_client import Client, UrllibTransport

class Dying(UrllibTransport):
    def send(self, method, url, **options):
        os.kill(os.getpid(), signal.SIGKILL)

url, key, state, transport = sys.argv[1:]
client = Client(url, key=key, state=state, transport=Dying() if transport == "dying" else None)
# Offline: the survey comes from the state. Reading it must not kill.
client._server.fetch = lambda name, attempt: client._state.find_envelope(key, name)
report = client.survey("campus").randomize({"cheated": True, "helped": False})
sys.stdout.buffer.write(report.encode())
sys.stdout.buffer.flush()
client.submit(report)
"""


def start_device(url: str, state_file: Path, transport: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", DEVICE, url, KEY.public, str(state_file), transport]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def test_killed_between_keeping_and_sending(make_client: MakeClient, collector: Collector, state_file: Path) -> None:
    make_client().survey("campus")
    device = start_device("http://localhost:1", state_file, "dying")
    drawn, _ = device.communicate()
    assert device.returncode == -signal.SIGKILL
    assert collector.posts == []
    assert [receipt.status for receipt in make_client().flush()] == ["accepted"]
    assert collector.posts == [drawn]
    assert drawn


@pytest.mark.loopback
def test_killed_while_waiting_for_the_answer(make_client: MakeClient, collector: Collector, state_file: Path) -> None:
    make_client().survey("campus")
    arrived, requests = threading.Event(), []

    def say(handler: StreamRequestHandler) -> None:
        requests.append(read_request(handler))
        arrived.set()
        handler.rfile.read()

    with talking(say) as url:
        device = start_device(url, state_file, "real")
        assert arrived.wait(60)
        device.kill()
        drawn, _ = device.communicate()
    assert requests[0].endswith(b"\r\n\r\n" + drawn)
    assert [receipt.status for receipt in make_client().flush()] == ["accepted"]
    assert collector.posts == [drawn]
