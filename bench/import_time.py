"""How long `import hushpoll_client` takes: what the SDK adds to the start of an app."""

from __future__ import annotations

import sys
import time
from statistics import median

from bench.processes import output_of
from bench.results import Benchmark, Effort, Figure, Watcher, below

GOAL_MILLISECONDS = 150.0

# Each is a fresh interpreter; they take turns, because the machine's clock drifts.
PROGRAMS = {"bare": "pass", "import": "import hushpoll_client"}


def measure(effort: Effort, watcher: Watcher) -> list[Figure]:
    """Time fresh interpreters with and without the import."""
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    # The first round fills the caches and does not count.
    for number in range(_rounds(effort) + 1):
        watcher.step("fresh interpreters")
        for name, program in PROGRAMS.items():
            took = _milliseconds(program)
            if number > 0:
                times[name].append(took)
    return figures(median(times["bare"]), median(times["import"]))


def figures(bare: float, with_import: float) -> list[Figure]:
    """Return what the import adds to a start of the interpreter."""
    added = max(with_import - bare, 0.0)
    return [
        Figure(what="import hushpoll_client", value=added, unit="ms", goal=below(GOAL_MILLISECONDS)),
        Figure(what="a bare start of the interpreter", value=bare, unit="ms"),
        Figure(what="import / bare start", value=added / bare, unit="ratio"),
    ]


def _rounds(effort: Effort) -> int:
    return effort.choose(full=15, quick=3)


def _milliseconds(program: str) -> float:
    began = time.perf_counter()
    output_of([sys.executable, "-c", program])
    return 1000 * (time.perf_counter() - began)


BENCHMARK = Benchmark("import", "Importing the SDK", lambda effort: _rounds(effort) + 1, measure)
