"""hushpoll estimate: shares with intervals from counts or from a file of reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from hushpoll_server.analysis.files import read_manifest, read_reports
from hushpoll_server.analysis.survey import analyse
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
)
from hushpoll_server.estimate.cross_results import CrossResult
from hushpoll_server.estimate.distribution import DistributionResult
from hushpoll_server.estimate.estimands import QuestionResult
from hushpoll_server.estimate.joint import NAMES_ONE
from hushpoll_server.estimate.mean_of_some import MeanOfSomeResult
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.mechanisms.warner import Spinner
from hushpoll_shared.errors import InvalidValue


@click.command()
@manifest_option
@click.option("--reports", "reports_path", type=click.Path(dir_okay=False, path_type=Path), help="One report per line.")
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
    stated = {name: value for name, value in privacy.items() if value is not None}
    options = Options(level=level, method=method, coverage=coverage, beta=beta, population=population)
    if design is None:
        if manifest_path is None or reports_path is None or stated or (yes, n, counts) != (None, None, None):
            raise click.UsageError("Give --manifest with --reports, or --design with its parameter and its counts.")
        if population is not None:
            raise click.UsageError("--population goes with --design; a manifest holds its own.")
        _estimate_file(manifest_path, reports_path, cross, options, as_json=as_json)
        return
    if manifest_path or reports_path or cross or len(stated) != 1:
        raise click.UsageError("--design needs exactly one of --epsilon, --odds, --p, --truth, and no --manifest.")
    try:
        result = (
            _estimate_warner(stated, yes, n, options) if design == "warner" else _estimate_grr(stated, counts, options)
        )
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None
    print_json(result.to_json()) if as_json else print_result(design, result)


def _estimate_warner(privacy: dict[str, str], yes: int | None, n: int | None, options: Options) -> Result:
    if yes is None or n is None:
        raise click.UsageError("--design warner needs --yes and --n.")
    spinner = Spinner.read(privacy)
    support, epsilon = SupportDesign(spinner.p, 1 - spinner.p), float(spinner.bound.epsilon)
    return estimate_shares([("yes", yes, n)], support, epsilon=epsilon, joint=NAMES_ONE, **vars(options))


def _estimate_grr(privacy: dict[str, str], counts: str | None, options: Options) -> Result:
    if counts is None:
        raise click.UsageError("--design grr needs --counts, one for each category: 380,270,200,150.")
    try:
        numbers = [int(count) for count in counts.split(",")]
    except ValueError:
        raise click.UsageError("--counts must be whole numbers with commas between them: 380,270,200,150.") from None
    design = SubsetMechanism.of(Bound.read(privacy), len(numbers), picks=1)
    cells = [(str(place), count, sum(numbers)) for place, count in enumerate(numbers, start=1)]
    support, epsilon = SupportDesign(design.p, design.q), float(design.epsilon)
    return estimate_shares(cells, support, epsilon=epsilon, joint=NAMES_ONE, **vars(options))


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
    """Yield what is printed of a question: a label, its figures, how they are written, the method of the interval."""
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
    manifest_path: Path, reports_path: Path, cross: Sequence[str], options: Options, *, as_json: bool
) -> None:
    manifest = read_manifest(manifest_path)
    crossed = read_crossed(cross, manifest)
    analysis = analyse(manifest, read_reports(reports_path, manifest), crossed=crossed, options=options)
    if as_json:
        print_json(analysis.to_json())
        return
    print_results(analysis.results, {}, as_json=False)
    for table in analysis.tables:
        _print_table(table)
    for warning in analysis.warnings:
        click.echo(f"warning: {warning}")
