"""The real server in processes of its own, to be killed, starved and started again."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

from tests.running.nursery import nursery

START_SECONDS = 30
PAUSE = 0.01
RESET_PEAK = "5"
# Linux gives clients ports from 32,768 on.
PORTS = range(20_000, 32_000)


class ServerProcess:
    """`hushpoll serve` on a free port of this machine."""

    def __init__(self, home: Path, database_url: str, *, workers: int = 1, settings: str = "") -> None:
        """Prepare; the settings are lines of `hushpoll.toml`."""
        self.home, self.database_url, self.workers, self.settings = home, database_url, workers, settings
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.main: int | None = None
        self.log = home / "server.log"

    @property
    def engine(self) -> str:
        """Return which kind of database this server has."""
        return "SQLite" if self.database_url.startswith("sqlite") else "PostgreSQL"

    def start(self) -> None:
        """Start the server and wait until it responds."""
        self.home.mkdir(parents=True, exist_ok=True)
        if self.settings:
            (self.home / "hushpoll.toml").write_text(self.settings)
        arguments = ["serve", "--port", str(self.port), "--workers", str(self.workers), "--db", self.database_url]
        self.main = nursery().start(arguments, {**os.environ, "HUSHPOLL_HOME": str(self.home)}, self.log)
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        """Wait for the first response."""
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if time.monotonic() > deadline or not self.is_alive():
                raise RuntimeError(f"the server does not start:\n{self.log.read_text()[-2000:]}")
            time.sleep(PAUSE)

    def is_ready(self) -> bool:
        """Return whether the server responds."""
        try:
            with urllib.request.urlopen(f"{self.address}/readyz", timeout=2) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def kill(self) -> None:
        """Kill the server and its workers as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> float:
        """Ask the server to stop; return how many seconds it took."""
        return self._end(signal.SIGTERM)

    def end_main(self, sign: signal.Signals) -> float:
        """Send a signal to the main process alone, as a service manager does; return the seconds until all are gone."""
        started = time.monotonic()
        if self.main:
            os.kill(self.main, sign)
        self._wait_until_gone()
        return time.monotonic() - started

    def kill_worker(self) -> None:
        """Kill the worker that runs longest and wait until another has taken its place."""
        [oldest, *others] = self.worker_processes()
        os.kill(oldest, signal.SIGKILL)
        deadline = time.monotonic() + START_SECONDS
        while len(found := self.worker_processes()) <= len(others) or oldest in found:
            assert time.monotonic() < deadline, "no worker came in place of the one that was killed"
            time.sleep(PAUSE)

    def wait_for_workers(self) -> None:
        """Wait until all workers run: the first one answers before the others are there."""
        deadline = time.monotonic() + START_SECONDS
        while len(self.worker_processes()) < self.workers:
            assert time.monotonic() < deadline, "not all workers have come"
            time.sleep(PAUSE)

    def worker_processes(self) -> list[int]:
        """Return the workers that run, the oldest first."""
        return [process for process in self.processes() if process != self.main]

    def is_alive(self) -> bool:
        """Return whether any process of the server still runs, a worker without its main process included."""
        return bool(self.processes())

    def processes(self) -> list[int]:
        """Return all processes that run, the oldest first."""
        group = self.main
        stats = Path("/proc").glob("[0-9]*/stat") if group else ()
        return sorted(int(stat.parent.name) for stat in stats if group and _runs(stat, group))

    def memory(self) -> int:
        """Return the bytes of memory that all processes have now, added up, and begin a new search for the peak."""
        for process in self.processes():
            Path(f"/proc/{process}/clear_refs").write_text(RESET_PEAK)
        return self.peak_memory()

    def peak_memory(self) -> int:
        """Return the most bytes that each process had since `memory` was called, added up."""
        return sum(_peak(process) for process in self.processes())

    def _end(self, sign: signal.Signals) -> float:
        started = time.monotonic()
        if self.main:
            # A test may have ended it already.
            with suppress(ProcessLookupError):
                os.killpg(self.main, sign)
            self._wait_until_gone()
        return time.monotonic() - started

    def _wait_until_gone(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while self.is_alive():
            assert time.monotonic() < deadline, "the server does not end"
            time.sleep(PAUSE)
        self.main = None


def _runs(stat: Path, group: int) -> bool:
    with suppress(OSError):
        # After the name in parentheses: the state, the parent, the group.
        state, _, found, *_ = stat.read_text().rpartition(")")[2].split()
        # Without its first thread a process looks dead, but others may still hold the port.
        return int(found) == group and (state != "Z" or len(list((stat.parent / "task").iterdir())) > 1)
    return False


def _peak(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    [peak] = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return 1024 * int(peak)


def free_port() -> int:
    """Find a port that nobody listens on.

    It is none of those that the system gives to clients: one that tries to reach a server that is down could be given
    the server's own port, talk to itself, and keep the server from coming back.
    """
    while True:
        port = secrets.choice(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
