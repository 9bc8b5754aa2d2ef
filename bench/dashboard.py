"""How long a researcher waits for the figures, with few reports stored and with many.

The estimates over the API and the page of the dashboard are read one after the other on one connection, from the real
server. They are compared with an empty response, and with what they would cost without counters: recounting all stored
reports, in SQL and through the ORM (see `recount`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from bench import floor
from bench.instance import Instance, Running, databases, engines, instance, material, note_engines, running, send
from bench.processes import json_of, output_of, processors
from bench.reading import Reader, sign_in
from bench.results import Benchmark, Effort, Figure, Watcher, below

# Counters are read, not reports: a larger ratio is not clock drift.
GOAL = 1.25


@dataclass(frozen=True)
class Round:
    """The seconds of one response of each kind, measured right after each other."""

    empty: float
    estimates: float
    page: float


@dataclass(frozen=True)
class Point:
    """What was measured with this many reports stored."""

    stored: int
    rounds: list[Round]
    grouped: float
    scanned: float

    def middle(self, value: Callable[[Round], float]) -> float:
        """Return the median of all rounds."""
        return median(value(each) for each in self.rounds)


def measure(effort: Effort, watcher: Watcher) -> list[Figure]:
    """Measure on SQLite and, where its wheel is installed, on PostgreSQL."""
    note_engines(watcher)
    measurements: list[Figure] = []
    with material() as folder, floor.served_empty() as floors:
        for engine in engines():
            with databases(engine) as fresh, instance(engine, fresh, folder) as measured, running(measured) as server:
                measurements += figures(engine, _points(server, floors.alone, effort, watcher))
    return measurements


def figures(engine: str, points: list[Point]) -> list[Figure]:
    """Compare the sizes with each other, and reading with counting."""
    first, last = points[0], points[-1]
    between, goal = f"n = {last.stored:,} / n = {first.stored:,}", below(GOAL)

    def growth(value: Callable[[Round], float]) -> float:
        return last.middle(lambda each: value(each) / each.empty) / first.middle(lambda each: value(each) / each.empty)

    estimates, page = growth(lambda each: each.estimates), growth(lambda each: each.page)
    return [
        Figure(what=f"{engine}: estimates, {between}", value=estimates, unit="ratio", goal=goal),
        Figure(what=f"{engine}: dashboard page, {between}", value=page, unit="ratio", goal=goal),
        *(figure for point in points for figure in _at(engine, point)),
    ]


def sizes(effort: Effort) -> list[int]:
    """Return the numbers of stored reports that are compared."""
    return [10_000, 1_000_000] if effort is Effort.FULL else [2_000, 20_000]


def _at(engine: str, point: Point) -> list[Figure]:
    there = f"{engine}, n = {point.stored:,}"
    estimates = point.middle(lambda each: each.estimates)

    def ratio(what: str, value: float) -> Figure:
        return Figure(what=f"{there}: {what}", value=value, unit="ratio")

    return [
        Figure(what=f"{there}: estimates", value=1000 * estimates, unit="ms"),
        Figure(what=f"{there}: dashboard page", value=1000 * point.middle(lambda each: each.page), unit="ms"),
        ratio("estimates / an empty 204", point.middle(lambda each: each.estimates / each.empty)),
        ratio("dashboard page / an empty 204", point.middle(lambda each: each.page / each.empty)),
        ratio("SQL GROUP BY / estimates", point.grouped / estimates),
        ratio("ORM scan / estimates", point.scanned / estimates),
    ]


def _points(server: Running, empty_port: int, effort: Effort, watcher: Watcher) -> list[Point]:
    reader, points = sign_in(server), []
    for size in sizes(effort):
        watcher.step(f"{server.instance.engine}: with {size:,} reports stored")
        reader.fill_up_to(size)
        rounds = [_round(reader, empty_port) for _ in range(effort.choose(full=5, quick=1))]
        points.append(Point(size, rounds, **_recount(server.instance)))
    return points


def _round(reader: Reader, empty_port: int) -> Round:
    return Round(
        empty=send(empty_port, floor.PATH, expected="204", connections=1, seconds=1).p50,
        estimates=reader.estimates(seconds=1).p50,
        page=reader.page(seconds=1).p50,
    )


def _recount(measured: Instance) -> dict[str, float]:
    on, _ = processors()
    return json_of(output_of([sys.executable, "-m", "bench.recount"], environment=measured.environment, on=on))


def _steps(effort: Effort) -> int:
    return len(engines()) * len(sizes(effort))


BENCHMARK = Benchmark("dashboard", "The researcher's figures, with few reports and with many", _steps, measure)
