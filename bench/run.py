"""Run the chosen benchmarks and print their figures.

Progress goes to stderr, figures to stdout. A figure that misses its goal is printed, not an error: the machine may be
busy. Only something that could not be measured at all makes the run fail.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench import dashboard, demo, import_time, ingest, mechanisms, page, randomize
from bench.results import BenchError, Benchmark, Effort, Figure

BENCHMARKS = {
    module.BENCHMARK.name: module.BENCHMARK
    for module in (import_time, randomize, mechanisms, page, demo, ingest, dashboard)
}


@dataclass
class Findings:
    """The outcome of one benchmark."""

    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    error: str = ""

    def to_json(self) -> dict[str, object]:
        """Return the outcome for programs."""
        figures = [figure.to_json() for figure in self.figures]
        return {"figures": figures, "notes": self.notes, "error": self.error or None}


def run(names: Sequence[str], effort: Effort, *, as_json: bool) -> bool:
    """Run the benchmarks with these names, or all; return whether all could be measured."""
    outcomes: dict[str, Findings] = {}
    for benchmark in _chosen(names):
        findings = outcomes[benchmark.name] = _run(benchmark, effort)
        if not as_json:
            _print(benchmark, findings)
    if as_json:
        everything = {name: findings.to_json() for name, findings in outcomes.items()}
        click.echo(json.dumps({"benchmarks": everything}, indent=2, ensure_ascii=False, allow_nan=False))
    return not any(findings.error for findings in outcomes.values())


def table_of(benchmark: Benchmark, figures: Sequence[Figure]) -> Table:
    """Lay out the figures as a table: what, measured, goal, verdict."""
    table = Table(title=benchmark.title, title_justify="left", title_style="bold")
    table.add_column("what")
    for name in ("measured", "goal"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, min_width=len("missed"))
    for figure in figures:
        goal = f"{figure.goal.sign} {_number(figure.goal.limit)}" if figure.goal else ""
        table.add_row(figure.what, f"{_number(figure.value)} {figure.unit}", goal, figure.verdict)
    return table


def _chosen(names: Sequence[str]) -> list[Benchmark]:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        raise click.UsageError(f"there is no benchmark {unknown[0]!r}: choose from {', '.join(BENCHMARKS)}")
    return [BENCHMARKS[name] for name in dict.fromkeys(names)] or list(BENCHMARKS.values())


def _run(benchmark: Benchmark, effort: Effort) -> Findings:
    findings = Findings()
    with _watching(benchmark, effort, findings.notes) as watcher:
        try:
            findings.figures = benchmark.measure(effort, watcher)
        except BenchError as error:
            findings.error = f"{benchmark.name} could not be measured: {error}"
    if findings.error:
        click.echo(findings.error, err=True)
    return findings


@dataclass(frozen=True)
class _Bar:
    """A watcher that moves a progress bar."""

    progress: Progress
    notes: list[str]

    def step(self, what: str) -> None:
        [task] = self.progress.task_ids
        # The start of a step ends the one before.
        self.progress.update(
            task, advance=1 if self.progress.tasks[0].fields["begun"] else 0, begun=True, description=what
        )

    def note(self, text: str) -> None:
        self.notes.append(text)


@contextmanager
def _watching(benchmark: Benchmark, effort: Effort, notes: list[str]) -> Iterator[_Bar]:
    with Progress(console=Console(stderr=True), transient=True) as progress:
        progress.add_task(benchmark.title, total=benchmark.steps(effort), begun=False)
        yield _Bar(progress, notes)


def _print(benchmark: Benchmark, findings: Findings) -> None:
    console = Console()
    if findings.figures:
        console.print(table_of(benchmark, findings.figures))
    for note in findings.notes:
        console.print(note, soft_wrap=True, markup=False, highlight=False)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
