"""hushpoll estimate: shares with intervals from counts or from a file of reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from hushpoll_server.collect.tally import tally
from hushpoll_server.commands.common import (
    beta_option,
    coverage_option,
    cross_option,
    json_option,
    level_option,
    manifest_option,
    method_option,
    print_json,
    read_crossed,
    read_manifest,
)
from hushpoll_server.estimate import CrossResult, Result
from hushpoll_server.estimate.distribution import DistributionResult
from hushpoll_server.estimate.mean_of_some import MeanOfSomeResult
from hushpoll_server.oddities import repeats_in, warnings_of
from hushpoll_server.results import (
    Counted,
    QuestionResult,
    cross_results_of,
    estimate_cells,
    estimates_to_json,
    results_of,
)
from hushpoll_shared.designs import Bound, Draw, Subset, Warner
from hushpoll_shared.errors import InvalidValue
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.problems import ProblemError
from hushpoll_shared.report import LARGEST_REPORT, Report, decode


@click.command()
@manifest_option
@click.option("--reports", "reports_path", type=click.Path(dir_okay=False, path_type=Path), help="Reports, one a line.")
@click.option("--design", type=click.Choice(["warner", "grr"]), help="Estimate from counts: the design they come from.")
@click.option("--epsilon", metavar="E", help="The design by its epsilon.")
@click.option("--odds", metavar="A:B", help="The design by its odds, such as 3:1.")
@click.option("--p", metavar="P", help="Warner's design by the spinner's probability.")
@click.option("--truth", metavar="R", help="Warner's design by the probability of the truth, else a fair coin.")
@click.option("--yes", metavar="C", type=click.IntRange(min=0), help="warner: reports that say yes.")
@click.option("--n", metavar="N", type=click.IntRange(min=0), help="warner: all reports.")
@click.option("--counts", metavar="C1,C2,…", help="grr: reports that name each category.")
@click.option("--population", metavar="N", type=click.IntRange(min=1), help="Size of the population, if it is finite.")
@cross_option
@level_option
@method_option
@coverage_option
@beta_option
@json_option
def command(
    manifest_path: Path | None,
    reports_path: Path | None,
    cross: tuple[str, ...],
    design: str | None,
    yes: int | None,
    n: int | None,
    counts: str | None,
    population: int | None,
    level: float,
    method: str | None,
    coverage: str,
    beta: float | None,
    as_json: bool,
    **privacy: str | None,
) -> None:
    """Estimate true shares and means from randomized reports.

    Either --manifest with --reports; or --design warner with one of --epsilon, --odds, --p, --truth and with --yes and
    --n; or --design grr (k-ary randomized response) with --epsilon or --odds and --counts.
    """
    given = {name: value for name, value in privacy.items() if value is not None}
    wanted = {"level": level, "method": method, "coverage": coverage, "beta": beta}
    if design is None:
        if manifest_path is None or reports_path is None or given or (yes, n, counts) != (None, None, None):
            raise click.UsageError("Give --manifest with --reports, or --design with its parameter and its counts.")
        if population is not None:
            raise click.UsageError("--population goes with --design; a manifest holds its own.")
        _estimate_file(manifest_path, reports_path, cross, wanted, as_json=as_json)
        return
    if manifest_path or reports_path or cross or len(given) != 1:
        raise click.UsageError("--design needs exactly one of --epsilon, --odds, --p, --truth, and no --manifest.")
    try:
        made, cells = _read_warner(given, yes, n) if design == "warner" else _read_grr(given, counts)
        result = estimate_cells(made, cells, population=population, **wanted)
    except InvalidValue as error:
        # All figures come from the command line, so it is the call that is wrong.
        raise click.UsageError(str(error)) from None
    print_json(result.to_json()) if as_json else print_result(design, result)


def _read_warner(privacy: dict[str, str], yes: int | None, n: int | None) -> tuple[Warner, Counted]:
    if yes is None or n is None:
        raise click.UsageError("--design warner needs --yes and --n.")
    return Warner.from_privacy(privacy), [("yes", yes, n)]


def _read_grr(privacy: dict[str, str], counts: str | None) -> tuple[Subset, Counted]:
    if counts is None:
        raise click.UsageError("--design grr needs --counts, one for each category: 380,270,200,150.")
    try:
        numbers = [int(count) for count in counts.split(",")]
    except ValueError:
        raise click.UsageError("--counts must be whole numbers with commas between them: 380,270,200,150.") from None
    design = Subset.from_bound(Bound.read(privacy), len(numbers), picks=1)
    return design, [(str(place), count, sum(numbers)) for place, count in enumerate(numbers, start=1)]


def read_reports(path: Path, manifest: Manifest) -> Iterator[Report]:
    """Read a file of reports; a report that stands there twice counts once."""
    seen: dict[str, Mapping[str, Draw]] = {}
    with path.open("rb") as file:
        # A line that is longer than any report is not read to its end.
        for number, line in enumerate(iter(partial(file.readline, LARGEST_REPORT + 2), b""), start=1):
            if not line.strip():
                continue
            report = _read_report(line, manifest, f"{path}, line {number}")
            if report.id not in seen:
                seen[report.id] = report.answers
                yield report
            elif seen[report.id] != report.answers:
                raise InvalidValue(f"{path}, line {number}: another report with this id came before: remove one")


def print_result(name: str, result: QuestionResult) -> None:
    """Print one question for people."""
    about = result.mean if isinstance(result, DistributionResult) else result
    for label, figures, number, method in _lines(result):
        if figures.estimate is None or figures.low is None or figures.high is None:
            continue
        click.echo(
            f"{name}  {label}: {number(figures.estimate):>7}  se {number(figures.se)}  "
            f"{100 * about.level:.6g}% {method} {number(figures.low)} to {number(figures.high)}  n = {about.n}"
        )
    for warning in about.warnings:
        click.echo(f"{name}  warning: {warning}")


def _lines(result: QuestionResult) -> Iterator[tuple[str, Any, Callable[[Any], str], str]]:
    """Give what is printed of a question: a label, its figures, how they are written, the method of the interval."""
    share, plain = "{:.2%}".format, "{:.6g}".format
    if isinstance(result, Result):
        yield from ((cell.name, cell, share, result.method) for cell in result.cells)
        return
    mean = result.mean if isinstance(result, DistributionResult) else result
    yield "mean", mean.mean, plain, mean.method
    if isinstance(mean, MeanOfSomeResult):
        yield from ((cell.name, cell, share, mean.method) for cell in mean.cells)
    if isinstance(result, DistributionResult):
        yield from ((each.name, each, share, "bootstrap") for each in result.bins)


def print_results(results: dict[str, QuestionResult], extra: dict[str, dict[str, Any]], *, as_json: bool) -> None:
    """Print all questions of a survey."""
    if as_json:
        print_json({"questions": {name: result.to_json() | extra.get(name, {}) for name, result in results.items()}})
        return
    for name, result in results.items():
        print_result(name, result)


def _print_table(table: CrossResult) -> None:
    name, share = " × ".join(table.names), "{:.2%}".format
    for cell in table.cells:
        if cell.estimate is not None and cell.low is not None and cell.high is not None:
            click.echo(
                f"{name}  {cell.name}: {share(cell.estimate):>7}  se {share(cell.se)}  "
                f"{100 * table.level:.6g}% {table.method} {share(cell.low)} to {share(cell.high)}  n = {table.n}"
            )
    if (test := table.independence) is not None:
        click.echo(f"{name}  independence: χ² = {test.statistic:.4g}, df = {test.degrees}, p = {test.p_value:.3g}")
    for warning in table.warnings:
        click.echo(f"{name}  warning: {warning}")


def _estimate_file(
    manifest_path: Path, reports_path: Path, cross: Sequence[str], wanted: dict[str, Any], *, as_json: bool
) -> None:
    manifest, _ = read_manifest(manifest_path)
    crossed = read_crossed(cross, manifest)
    reports = [report.answers for report in read_reports(reports_path, manifest)]
    counts, warnings = tally(manifest, reports, crossed), warnings_of(manifest, len(reports), repeats_in(reports))
    results, tables = results_of(manifest, counts, **wanted), cross_results_of(manifest, counts, crossed, **wanted)
    if as_json:
        print_json(estimates_to_json(results, tables, warnings))
        return
    print_results(results, {}, as_json=False)
    for table in tables:
        _print_table(table)
    for warning in warnings:
        click.echo(f"warning: {warning}")


def _read_report(line: bytes, manifest: Manifest, place: str) -> Report:
    try:
        return decode(line, manifest)
    except ProblemError as error:
        raise InvalidValue(f"{place}: {error}") from None
