"""What it costs to take a report: the real server, in its own process, driven over loopback.

Three parts for each engine: single reports (`singles`), batches (`batches`), and, in a fresh database, how the costs
grow with what is stored (`growth`).
"""

from __future__ import annotations

from bench import batches, floor, growth, singles
from bench.instance import databases, engines, instance, material, note_engines, running
from bench.results import Benchmark, Effort, Figure, Watcher


def measure(effort: Effort, watcher: Watcher) -> list[Figure]:
    """Measure on SQLite and, where its wheel is installed, on PostgreSQL."""
    note_engines(watcher)
    figures: list[Figure] = []
    with material() as folder, floor.served_empty() as floors:
        for engine in engines():
            with databases(engine) as fresh:
                with instance(engine, fresh, folder) as measured, running(measured) as server:
                    figures += singles.measure(server, floors, effort, watcher)
                    figures += batches.measure(server, effort, watcher)
                with instance(engine, fresh, folder) as measured, running(measured) as server:
                    figures += growth.measure(server, floors.alone, effort, watcher)
    return figures


def _steps(effort: Effort) -> int:
    return len(engines()) * (singles.steps(effort) + batches.steps(effort) + growth.steps(effort))


BENCHMARK = Benchmark("ingest", "Reports, stored durably", _steps, measure)
