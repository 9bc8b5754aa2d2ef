"""The real server in a process of its own, to be killed and started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

START_SECONDS = 30


class ServerProcess:
    """`hushpoll serve` on a free port of this machine."""

    def __init__(self, home: Path, database_url: str, *, workers: int = 1) -> None:
        self.home, self.database_url, self.workers = home, database_url, workers
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        self.log = home / "server.log"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self.home.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "hushpoll_client", "serve", "--port", str(self.port)]
        command += ["--workers", str(self.workers), "--db", self.database_url]
        environment = {**os.environ, "HUSHPOLL_HOME": str(self.home)}
        with self.log.open("ab") as log:
            # A group of its own, so that a kill reaches the workers too.
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        """Wait for the first answer."""
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if time.monotonic() > deadline or (self.process and self.process.poll() is not None):
                raise RuntimeError(f"the server does not start:\n{self.log.read_text()[-2000:]}")
            time.sleep(0.02)

    def is_ready(self) -> bool:
        """Tell whether the server answers."""
        try:
            with urllib.request.urlopen(f"{self.address}/readyz", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def kill(self) -> None:
        """Kill the server and its workers as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> float:
        """Ask the server to stop; tell how many seconds it took."""
        started = time.monotonic()
        self._end(signal.SIGTERM)
        return time.monotonic() - started

    def is_alive(self) -> bool:
        """Tell whether any process of the server still runs, a worker without its main process included."""
        return self.process is not None and any(
            _runs_in(stat, self.process.pid) for stat in Path("/proc").glob("*/stat")
        )

    def _end(self, sign: signal.Signals) -> None:
        if self.process:
            # A test may have ended it already.
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, sign)
            self.process.wait(START_SECONDS)
            self.process = None


def _runs_in(stat: Path, group: int) -> bool:
    with suppress(OSError):
        # After the name in parentheses: the state, the parent, the group.
        state, _, found, *_ = stat.read_text().rpartition(")")[2].split()
        return int(found) == group and state != "Z"
    return False


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
