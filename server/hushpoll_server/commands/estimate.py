"""hushpoll estimate: shares with intervals from counts or from a file of reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

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
from hushpoll_server.commands.figures import print_result, print_results, print_table
from hushpoll_server.commands.numbers import COUNT, WHOLE, read_counts
from hushpoll_server.estimate.joint import NAMES_ONE
from hushpoll_server.estimate.options import Options
from hushpoll_server.estimate.results import Result
from hushpoll_server.estimate.shares import estimate_shares
from hushpoll_server.estimate.support import SupportDesign
from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.mechanisms.warner import Spinner
from hushpoll_shared.errors import InvalidValue

# Printed with the figures: nothing in the counts can tell the two cases apart.
ASSUMED = (
    "each report names one of the {k} categories of one question. A cross table of two questions has another design: "
    "use --manifest, --reports and --cross"
)


@click.command()
@manifest_option
@click.option("--reports", "reports_path", type=click.Path(dir_okay=False, path_type=Path), help="One report per line.")
@click.option("--design", type=click.Choice(["warner", "grr"]), help="Estimate from counts: the design they come from.")
@click.option("--epsilon", metavar="E", help="The design by its epsilon.")
@click.option("--odds", metavar="A:B", help="The design by its odds, such as 3:1.")
@click.option("--p", metavar="P", help="Warner's design by the spinner's probability.")
@click.option("--truth", metavar="R", help="Warner's design by the probability of the truth, else a fair coin.")
@click.option("--yes", metavar="C", type=WHOLE, help="warner: reports that say yes.")
@click.option("--n", metavar="N", type=WHOLE, help="warner: all reports.")
@click.option("--counts", metavar="C1,C2,…", help="grr: reports that name each category of one question.")
@click.option("--population", metavar="N", type=COUNT, help="Size of the population, if it is finite.")
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

    grr is for one question of which each report names one category. The counts of a cross table of two questions, each
    randomized by itself, have another design: it is estimated from the reports, with --cross.
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
        if design == "warner":
            _show(design, _estimate_warner(stated, yes, n, counts, options), {}, as_json=as_json)
        else:
            result = _estimate_grr(stated, counts, (yes, n), options)
            _show(design, result, {"assumed": ASSUMED.format(k=len(result.cells))}, as_json=as_json)
    except InvalidValue as error:
        # All figures come from the command line, so this is a usage error.
        raise click.UsageError(str(error)) from None


def _show(design: str, result: Result, about: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        print_json(result.to_json() | about)
        return
    print_result(design, result)
    for name, sentence in about.items():
        click.echo(f"{design}  {name}: {sentence}")


def _estimate_warner(
    privacy: dict[str, str], yes: int | None, n: int | None, counts: str | None, options: Options
) -> Result:
    if yes is None or n is None or counts is not None:
        raise click.UsageError("--design warner needs --yes and --n, and no --counts.")
    spinner = Spinner.read(privacy)
    support, epsilon = SupportDesign(spinner.p, 1 - spinner.p), float(spinner.bound.epsilon)
    return estimate_shares([("yes", yes, n)], support, epsilon=epsilon, joint=NAMES_ONE, **vars(options))


def _estimate_grr(
    privacy: dict[str, str], counts: str | None, others: tuple[int | None, int | None], options: Options
) -> Result:
    if counts is None or others != (None, None):
        raise click.UsageError(
            "--design grr needs --counts, one for each category: 380,270,200,150, and neither --yes nor --n."
        )
    numbers = read_counts(counts)
    design = SubsetMechanism.of(Bound.read(privacy), len(numbers), picks=1)
    cells = [(str(place), count, sum(numbers)) for place, count in enumerate(numbers, start=1)]
    support, epsilon = SupportDesign(design.p, design.q), float(design.epsilon)
    return estimate_shares(cells, support, epsilon=epsilon, joint=NAMES_ONE, **vars(options))


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
        print_table(table)
    for warning in analysis.warnings:
        click.echo(f"warning: {warning}")
