"""How long a second `hushpoll demo` takes until it responds: the first one makes the data, the second finds it."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.processes import HOST, HUSHPOLL, free_port, output_of, started, wait_until_ready
from bench.results import Benchmark, Effort, Figure, Watcher, below

GOAL_SECONDS = 5.0


def measure(effort: Effort, watcher: Watcher) -> list[Figure]:
    """Start the demonstration once to set it up, then again and again."""
    with tempfile.TemporaryDirectory(prefix="hushpoll-bench-") as folder:
        watcher.step("first start")
        first = _seconds_to_respond(Path(folder))
        again, imports = [], []
        for _ in range(_rounds(effort)):
            watcher.step("start with data")
            again.append(_seconds_to_respond(Path(folder)))
            imports.append(_seconds_to_import())
    return figures(first, median(again), median(imports))


def figures(first: float, again: float, imports: float) -> list[Figure]:
    """Compare a start with what cannot be avoided: loading the libraries."""
    return [
        Figure(what="a second start until it answers", value=again, unit="s", goal=below(GOAL_SECONDS)),
        Figure(what="the first start, with simulated respondents", value=first, unit="s"),
        Figure(what="second start / importing the server", value=again / imports, unit="ratio"),
    ]


def _rounds(effort: Effort) -> int:
    return effort.choose(full=3, quick=1)


def _seconds_to_respond(home: Path) -> float:
    port = free_port()
    began = time.perf_counter()
    command = [*HUSHPOLL, "demo", "--port", str(port)]
    with started(command, environment={"HUSHPOLL_HOME": str(home)}) as process:
        wait_until_ready(process, f"http://{HOST}:{port}/readyz")
        return time.perf_counter() - began


def _seconds_to_import() -> float:
    began = time.perf_counter()
    output_of([sys.executable, "-c", "import hushpoll_server.app"])
    return time.perf_counter() - began


BENCHMARK = Benchmark("demo", "The demonstration's second start", lambda effort: 1 + _rounds(effort), measure)
