"""How every cost grows with the number of reports already stored.

One instance is filled through the real endpoint, in batches of 1,000. At each size single reports are compared with
empty responses, batches with the raw engine in a new table, and the estimates with an empty response: the cost of these
does not depend on what is stored, so a change of the ratio is growth and not drift. Measuring itself adds some ten
thousand reports. The memory is that of all processes of the server, measured last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from bench import floor
from bench.batches import raw_rate
from bench.instance import Running, send, send_batches, send_reports
from bench.reading import Reader, sign_in
from bench.results import Effort, Figure, Watcher, below

# Counters are read, not reports: a larger ratio is not clock drift.
GOAL_READING = 1.25
GOAL_MEMORY = 1.1


@dataclass(frozen=True)
class Point:
    """What was measured with this many reports stored."""

    stored: int
    singles: float
    batches: float
    reading: float
    megabytes: float | None


@dataclass(frozen=True)
class Probe:
    """What is needed to measure a point."""

    server: Running
    reader: Reader
    empty_port: int
    effort: Effort

    def point(self, stored: int) -> Point:
        """Fill the instance up to a size and measure everything there."""
        self.reader.fill_up_to(stored)
        rounds = range(self.effort.choose(full=3, quick=1))
        return Point(
            stored=stored,
            singles=median(self._singles() for _ in rounds),
            batches=median(self._batches() for _ in rounds),
            reading=median(self._reading() for _ in rounds),
            megabytes=self.server.megabytes,
        )

    def _singles(self) -> float:
        number = self.effort.choose(full=3_000, quick=1_000)
        empty = send(self.empty_port, floor.PATH, expected="204", requests=number)
        return send_reports(self.server.port, self.server.instance, requests=number).rate / empty.rate

    def _batches(self) -> float:
        number, raw = self.effort.choose(full=10, quick=3), raw_rate(self.server.instance)
        return send_batches(self.server.port, self.server.instance, requests=number).stored_rate / raw

    def _reading(self) -> float:
        empty = send(self.empty_port, floor.PATH, expected="204", connections=1, seconds=1)
        return self.reader.estimates(seconds=1).p50 / empty.p50


def sizes(effort: Effort) -> list[int]:
    """Return the numbers of stored reports that are compared."""
    return [10_000, 100_000, 1_000_000] if effort is Effort.FULL else [2_000, 20_000]


def steps(effort: Effort) -> int:
    """Return the number of steps that are announced."""
    return len(sizes(effort))


def measure(server: Running, empty_port: int, effort: Effort, watcher: Watcher) -> list[Figure]:
    """Measure at one size after another."""
    engine, points = server.instance.engine, []
    probe = Probe(server, sign_in(server), empty_port, effort)
    for size in sizes(effort):
        watcher.step(f"{engine}: with {size:,} reports stored")
        points.append(probe.point(size))
    if points[0].megabytes is None:
        watcher.note("The memory was not measured: this system does not report it.")
    return figures(engine, points)


def figures(engine: str, points: list[Point]) -> list[Figure]:
    """Compare every size with the first."""
    first, last = points[0], points[-1]

    def growth(cost: Callable[[Point], float]) -> float:
        return cost(last) / cost(first)

    between = f"n = {last.stored:,} / n = {first.stored:,}"
    read, goal = growth(lambda at: at.reading), below(GOAL_READING)
    ratios = [
        Figure(what=f"{engine}: cost of a report, {between}", value=growth(lambda at: 1 / at.singles), unit="ratio"),
        Figure(what=f"{engine}: of one in a batch, {between}", value=growth(lambda at: 1 / at.batches), unit="ratio"),
        Figure(what=f"{engine}: of the estimates, {between}", value=read, unit="ratio", goal=goal),
    ]
    return ratios + _memory(engine, points, between) + [each for point in points for each in _at(engine, point)]


def _memory(engine: str, points: list[Point], between: str) -> list[Figure]:
    held = [point.megabytes for point in points if point.megabytes is not None]
    if len(held) < len(points):
        return []
    goal = below(GOAL_MEMORY)
    ratio = Figure(what=f"{engine}: memory, {between}", value=held[-1] / held[0], unit="ratio", goal=goal)
    sizes = (f"{engine}, n = {point.stored:,}: memory" for point in points)
    return [ratio, *(Figure(what=what, value=value, unit="MB") for what, value in zip(sizes, held, strict=True))]


def _at(engine: str, point: Point) -> list[Figure]:
    there = f"{engine}, n = {point.stored:,}"
    return [
        Figure(what=f"{there}: reports / empty 204s", value=point.singles, unit="ratio"),
        Figure(what=f"{there}: batches / raw engine", value=point.batches, unit="ratio"),
        Figure(what=f"{there}: estimates / an empty 204", value=point.reading, unit="ratio"),
    ]
