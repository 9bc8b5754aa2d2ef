"""How much of the raw engine's speed is left when reports come in batches over HTTP.

NDJSON of 1,000 reports, plain and compressed, and of 100. The raw engine (see `raw`) stores the same rows on the same
processor, in turn with the batches.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from bench.instance import SQLITE, Instance, Running, send_batches
from bench.load import Outcome
from bench.processes import json_of, output_of, processors
from bench.results import Effort, Figure, Watcher, at_least

GOAL = 0.35


@dataclass(frozen=True)
class Round:
    """One measurement of each, taken right after each other."""

    raw: float
    copied: float | None
    thousand: Outcome
    compressed: Outcome
    hundred: Outcome


def steps(effort: Effort) -> int:
    """Return the number of steps that are announced."""
    return effort.choose(full=5, quick=1)


def measure(server: Running, effort: Effort, watcher: Watcher) -> list[Figure]:
    """Measure in rounds."""
    engine, rounds = server.instance.engine, []
    for _ in range(steps(effort)):
        watcher.step(f"{engine}: batches")
        rounds.append(_round(server, reports=effort.choose(full=50_000, quick=10_000)))
    return figures(engine, rounds)


def raw_rate(measured: Instance, *flags: str) -> float:
    """Return the rows per second of the raw engine; the flags are those of `raw`."""
    where = f"--file={measured.home / 'raw.sqlite'}"
    if measured.engine != SQLITE:
        where = f"--url={measured.environment['HUSHPOLL_DB']}"
    command = [sys.executable, "-m", "bench.raw", f"--reports={measured.reports}", where, *flags]
    on, _ = processors()
    return float(json_of(output_of(command, on=on))["rate"])


def figures(engine: str, rounds: list[Round]) -> list[Figure]:
    """Compare the rounds' medians with the goal."""

    def ratio(outcome: Callable[[Round], Outcome]) -> float:
        return median(outcome(each).stored_rate / each.raw for each in rounds)

    thousand = ratio(lambda each: each.thousand)
    return [
        Figure(what=f"{engine}: batches of 1,000 / raw engine", value=thousand, unit="ratio", goal=at_least(GOAL)),
        Figure(what=f"{engine}: with gzip", value=ratio(lambda each: each.compressed), unit="ratio"),
        Figure(what=f"{engine}: batches of 100 / raw engine", value=ratio(lambda each: each.hundred), unit="ratio"),
        Figure(what=f"{engine}: raw engine", value=median(each.raw for each in rounds), unit="/s"),
        Figure(
            what=f"{engine}: reports in batches of 1,000",
            value=median(each.thousand.stored_rate for each in rounds),
            unit="/s",
        ),
        *_copied(engine, rounds),
    ]


def _copied(engine: str, rounds: list[Round]) -> list[Figure]:
    ratios = [each.thousand.stored_rate / each.copied for each in rounds if each.copied]
    return [Figure(what=f"{engine}: batches of 1,000 / COPY", value=median(ratios), unit="ratio")] if ratios else []


def _round(server: Running, *, reports: int) -> Round:
    port, measured = server.port, server.instance
    return Round(
        # Its table grows from round to round, like the server's.
        raw=raw_rate(measured, "--keep"),
        copied=None if measured.engine == SQLITE else raw_rate(measured, "--keep", "--copy"),
        thousand=send_batches(port, measured, requests=reports // 1000),
        compressed=send_batches(port, measured, requests=reports // 1000, gzip=True),
        # A smaller batch costs more per report, so fewer of them are enough.
        hundred=send_batches(port, measured, requests=reports // 200, size=100),
    )
