"""How many answers per second the two clients randomize, line by line, and whether their memory stays flat.

An answer is one line for a survey with one question. The floor is a program in the same language that reads and
writes such lines and uses as many random bytes, but no manifest; the two take turns.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import survey
from bench.processes import CHECKOUT, HUSHPOLL, json_of, output_of
from bench.results import BenchError, Benchmark, Effort, Figure, Watcher, at_least, below

# The peak with ten times the lines, divided by the peak without: a client that keeps its lines would reach ten.
GOAL_GROWTH = 1.5
SURVEYS = (1, 3)

Command = tuple[str, ...]


@dataclass(frozen=True)
class Client:
    """A client program, its floor, and its goal in answers per second."""

    name: str
    randomize: Command
    floor: Command
    goal: float


@dataclass(frozen=True)
class Run:
    """One run of a program over a file of lines."""

    seconds: float
    peak: int


def measure(effort: Effort, watcher: Watcher) -> list[Figure]:
    """Measure both clients."""
    clients = _clients()
    with tempfile.TemporaryDirectory(prefix="hushpoll-bench-") as folder:
        return [figure for client in clients for figure in _measure(client, Path(folder), effort, watcher)]


def _measure(client: Client, folder: Path, effort: Effort, watcher: Watcher) -> list[Figure]:
    figures, peak = [], 0.0
    for questions in SURVEYS:
        manifest = survey.compile_manifest(folder, questions)
        answers = survey.write_answers(folder, questions, _lines(effort))
        command = (*client.randomize, "--manifest", str(manifest))
        pairs = []
        for _ in range(_rounds(effort)):
            watcher.step(f"{client.name}, {questions} in a survey")
            pairs.append((_run(command, answers), _run(client.floor, answers)))
        figures += _speeds(client, questions, _lines(effort), pairs)
        peak = median(run.peak for run, _ in pairs)
    watcher.step(f"{client.name}, memory")
    many = _run(command, survey.write_answers(folder, SURVEYS[-1], 10 * _lines(effort)))
    return figures + _memory(client, _lines(effort), peak, many.peak)


def _speeds(client: Client, questions: int, lines: int, pairs: Sequence[tuple[Run, Run]]) -> list[Figure]:
    speed = median(lines / run.seconds for run, _ in pairs)
    share = median(floor.seconds / run.seconds for run, floor in pairs)
    where = f"{client.name}, {questions} question{'s' if questions > 1 else ''}"
    goal = at_least(client.goal) if questions == 1 else None
    return [
        Figure(what=f"{where}: lines", value=speed, unit="/s", goal=goal),
        Figure(what=f"{where}: / copying lines", value=share, unit="ratio"),
    ]


def _memory(client: Client, lines: int, peak: float, peak_of_many: float) -> list[Figure]:
    return [
        Figure(what=f"{client.name}: peak memory, {lines:,} lines", value=peak / 1e6, unit="MB"),
        Figure(what=f"{client.name}: peak memory, {10 * lines:,} lines", value=peak_of_many / 1e6, unit="MB"),
        Figure(
            what=f"{client.name}: growth of the peak", value=peak_of_many / peak, unit="ratio", goal=below(GOAL_GROWTH)
        ),
    ]


def _run(command: Command, answers: Path) -> Run:
    timed = [sys.executable, "-I", "-S", str(CHECKOUT / "bench" / "timed.py"), str(answers), *command]
    figures = json_of(output_of(timed))
    return Run(seconds=float(figures["seconds"]), peak=int(figures["peak"]))


def _clients() -> list[Client]:
    node = shutil.which("node")
    if node is None:
        raise BenchError("the JavaScript client needs Node: install it, or run: python3 tools/bootstrap.py test")
    bench, script = CHECKOUT / "bench", CHECKOUT / "client" / "js" / "bin" / "randomize.mjs"
    python = Client("Python", (*HUSHPOLL, "randomize"), (sys.executable, str(bench / "copy_lines.py")), 20_000)
    return [python, Client("Node", (node, str(script)), (node, str(bench / "copy_lines.mjs")), 50_000)]


def _lines(effort: Effort) -> int:
    return effort.choose(full=100_000, quick=10_000)


def _rounds(effort: Effort) -> int:
    return effort.choose(full=3, quick=1)


def _steps(effort: Effort) -> int:
    return 2 * (len(SURVEYS) * _rounds(effort) + 1)


BENCHMARK = Benchmark("randomize", "Randomizing line by line", _steps, measure)
