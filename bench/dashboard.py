"""How long a researcher waits for the figures, with few reports stored and with many.

The estimates over the API and every page whose figures are in counters are read one after the other on one connection,
from the real server. They are compared with an empty response, and with what they would cost without counters:
recounting all stored reports, in SQL and through the ORM (`recount`). Tables that no counter holds are computed from
all reports (`scanned`), and surveys with fifty questions of one type are looked at twice (`fifty`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from bench import explored, fifty, floor
from bench.instance import (
    SQLITE,
    Instance,
    Running,
    databases,
    engines,
    instance,
    material,
    note_engines,
    running,
    send,
)
from bench.processes import json_of, output_of, processors
from bench.reading import Reader, sign_in
from bench.results import Benchmark, Effort, Figure, Watcher, below

# Counters are read, not reports: a larger ratio is not clock drift.
GOAL = 1.25
ESTIMATES = "estimates"


@dataclass(frozen=True)
class Round:
    """The seconds of one response of each kind, measured right after each other."""

    empty: float
    pages: Mapping[str, float]


@dataclass(frozen=True)
class Point:
    """What was measured with this many reports stored."""

    stored: int
    rounds: list[Round]
    grouped: float
    scanned: float
    tables: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def middle(self, value: Callable[[Round], float]) -> float:
        """Return the median of all rounds."""
        return median(value(each) for each in self.rounds)

    def empties(self, page: str) -> float:
        """Return what a page costs in units of an empty response."""
        return self.middle(lambda each: each.pages[page] / each.empty)


def measure(effort: Effort, watcher: Watcher) -> list[Figure]:
    """Measure on SQLite and, where its wheel is installed, on PostgreSQL."""
    note_engines(watcher)
    measurements: list[Figure] = []
    with material(explored.write_reports) as folder, floor.served_empty() as floors:
        for engine in engines():
            with _serving(engine, folder) as server:
                reader = sign_in(server)
                measurements += figures(engine, _points(server, reader, floors.alone, effort, watcher))
                if engine == SQLITE:
                    measurements += fifty.figures(server, reader, folder, effort, watcher)
    return measurements


def figures(engine: str, points: list[Point]) -> list[Figure]:
    """Compare the sizes with each other, and reading with counting."""
    first, last = points[0], points[-1]
    between, goal = f"n = {last.stored:,} / n = {first.stored:,}", below(GOAL)
    return [
        *(
            Figure(
                what=f"{engine}: {page}, {between}",
                value=last.empties(page) / first.empties(page),
                unit="ratio",
                goal=goal,
            )
            for page in first.rounds[0].pages
        ),
        *(figure for point in points for figure in _at(engine, point)),
    ]


def sizes(effort: Effort) -> list[int]:
    """Return the numbers of stored reports that are compared."""
    return [10_000, 1_000_000] if effort is Effort.FULL else [2_000, 20_000]


def _at(engine: str, point: Point) -> list[Figure]:
    there = f"{engine}, n = {point.stored:,}"
    estimates = point.middle(lambda each: each.pages[ESTIMATES])

    def ratio(what: str, value: float) -> Figure:
        return Figure(what=f"{there}: {what}", value=value, unit="ratio")

    return [
        *(
            Figure(what=f"{there}: {page}", value=1000 * point.middle(lambda each: each.pages[page]), unit="ms")  # noqa: B023 (called at once)
            for page in point.rounds[0].pages
        ),
        *(ratio(f"{page} / an empty 204", point.empties(page)) for page in point.rounds[0].pages),
        ratio("SQL GROUP BY / estimates", point.grouped / estimates),
        ratio("ORM scan / estimates", point.scanned / estimates),
        *(figure for name, seconds in point.tables.items() for figure in _table(there, name, seconds, point.stored)),
    ]


def _table(there: str, name: str, seconds: Mapping[str, float], stored: int) -> list[Figure]:
    by_columns, one_by_one = seconds["by_columns"], seconds["one_by_one"]
    what = f"{there}: {name} from all reports"
    return [
        Figure(what=what, value=by_columns, unit="s"),
        Figure(what=f"{what}, of one report", value=1e6 * by_columns / stored, unit="µs"),
        Figure(what=f"{what}, reports one by one / by columns", value=one_by_one / by_columns, unit="ratio"),
    ]


def _points(server: Running, reader: Reader, empty_port: int, effort: Effort, watcher: Watcher) -> list[Point]:
    points = []
    for size in sizes(effort):
        watcher.step(f"{server.instance.engine}: with {size:,} reports stored")
        reader.fill_up_to(size)
        rounds = [_round(reader, empty_port) for _ in range(effort.choose(full=5, quick=1))]
        last = size == sizes(effort)[-1]
        tables = _run("bench.scanned", server.instance) if last else {}
        points.append(Point(size, rounds, **_run("bench.recount", server.instance), tables=tables))
    return points


def _round(reader: Reader, empty_port: int) -> Round:
    return Round(
        empty=send(empty_port, floor.PATH, expected="204", connections=1, seconds=1).p50,
        pages={
            ESTIMATES: reader.estimates(seconds=1).p50,
            **{name: reader.page(path, seconds=1).p50 for name, path in explored.COUNTED.items()},
        },
    )


def _run(program: str, measured: Instance) -> dict[str, Any]:
    on, _ = processors()
    printed: dict[str, Any] = json_of(
        output_of([sys.executable, "-m", program], environment=measured.environment, on=on)
    )
    return printed


@contextmanager
def _serving(engine: str, folder: Path) -> Iterator[Running]:
    definition = explored.write_definition(folder)
    with databases(engine) as fresh, instance(engine, fresh, folder, definition) as measured, running(measured) as made:
        yield made


def _steps(effort: Effort) -> int:
    return len(engines()) * len(sizes(effort)) + len(fifty.names())


BENCHMARK = Benchmark("dashboard", "The researcher's figures, with few reports and with many", _steps, measure)
